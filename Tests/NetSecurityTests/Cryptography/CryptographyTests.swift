import Testing

@testable import NetSecurity

@Suite struct CryptographyTests {
    /// RFC 1321 (A.5), and FIPS 180-4's own examples, of "abc".
    @Test func digests() throws {
        func digest(_ function: Cryptography.HashFunction) throws -> String {
            try Cryptography.digest(Data("abc".utf8), function).hexadecimal
        }
        #expect(try digest(.md5) == "900150983cd24fb0d6963f7d28e17f72")
        #expect(try digest(.sha256) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            try digest(.sha512) == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
    }

    /// The same of NIST. CryptoKit has no such function, and says so.
    @Test func sha512_256() throws {
        #if canImport(CryptoKit)
            let error = #expect(throws: NetworkError.self) { try Cryptography.digest(Data("abc".utf8), .sha512_256) }
            #expect(error?.code == "unsupported")
        #else
            #expect(
                try Cryptography.digest(Data("abc".utf8), .sha512_256).hexadecimal
                    == "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23")
        #endif
    }

    /// RFC 4231, test cases 1, 2 and 6 (a key longer than a block).
    @Test func hmacSHA256() {
        func code(_ text: String, _ key: Data) -> String { SHA256.hmac(Data(text.utf8), key: key).hexadecimal }
        let first = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        #expect(code("Hi There", Data(repeating: 0x0B, count: 20)) == first)
        let second = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        #expect(code("what do ya want for nothing?", Data("Jefe".utf8)) == second)
        let sixth = "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        let longKey = Data(repeating: 0xAA, count: 131)
        #expect(code("Test Using Larger Than Block-Size Key - Hash Key First", longKey) == sixth)
    }

    /// The Galois/Counter Mode of Operation (McGrew, Viega), test case 16: opened, since sealing chooses its own nonce.
    @Test func opensTheGCMTestVector() throws {
        let key = try hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
        let sealed = try hex(
            "cafebabefacedbaddecaf888"
                + "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
                + "c5f61e6393ba7a0abcc9f662" + "76fc6ece0f4e1768cddf8853bb2d551b")
        let plain = try hex(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
                + "b16aedf5aa0de657ba637b39")
        let context = try hex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        #expect(Cryptography.open(sealed, key: key, context: context) == plain)
        #expect(Cryptography.open(sealed, key: key, context: context + [0]) == nil)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 4096]) func sealedDataOpensWithItsKeyAndContextOnly(count: Int) throws {
        let (key, plain) = (Cryptography.randomBytes(32), Cryptography.randomBytes(count))
        let context = Data("context".utf8)
        let sealed = try #require(Cryptography.seal(plain, key: key, context: context))
        #expect((sealed.count, Cryptography.open(sealed, key: key, context: context)) == (count + 28, plain))
        #expect(Cryptography.open(sealed, key: Cryptography.randomBytes(32), context: context) == nil)
        #expect(Cryptography.open(sealed, key: key, context: Data()) == nil)
        for index in sealed.indices where index < 40 {
            var changed = sealed
            changed[index] ^= 1
            #expect(Cryptography.open(changed, key: key, context: context) == nil, "byte \(index)")
        }
        for shorter in 0..<min(30, sealed.count) {
            #expect(Cryptography.open(sealed.prefix(shorter), key: key, context: context) == nil)
        }
        #expect(Cryptography.seal(plain, key: key, context: context) != sealed, "the nonce is a new one")
    }

    @Test func base64ForURLsHasNoPadding() {
        for count in 0..<20 {
            let data = Cryptography.randomBytes(count)
            let text = data.base64URL
            #expect(!text.contains { "+/=".contains($0) } && Data(base64URL: text) == data)
        }
        #expect(Data(base64URL: "a*b") == nil)
    }

    @Test(arguments: ["", "30", "3000", "300602010102", "3006020101020200", "3107020101020101", "30060201010201017f"])
    func malformedECDSASignatureIsNil(der: String) throws { #expect(ECDSASignature.pair(fromDER: try hex(der)) == nil) }

    @Test func ecdsaNumbersArePaddedTo32Bytes() throws {
        let pair = try #require(ECDSASignature.pair(fromDER: try hex("3007020200ff02017f")))
        #expect(pair == Data(count: 31) + [0xFF] + Data(count: 31) + [0x7F])
    }
}

func hex(_ text: String) throws -> Data {
    let digits = try text.map { try #require($0.hexDigitValue) }
    return Data(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
}
