import NetSystem
import TestLab
import Testing

@Suite struct DigestTests {
    /// The examples of FIPS 180 (NIST), with the lengths at which the padding changes shape.
    @Test(arguments: [
        "": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq":
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu":
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
    ]) func sha256OfNISTExamples(text: String, digest: String) { #expect(SHA256.hex(Data(text.utf8)) == digest) }

    @Test func sha256OfAMillionLetters() {
        let data = Data(repeating: UInt8(ascii: "a"), count: 1_000_000)
        #expect(SHA256.hex(data) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    /// Made with `head -c N /dev/zero | sha256sum`: one byte below, at, and above where a second block of padding begins, and around a whole block.
    @Test(arguments: [
        (55, "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"),
        (56, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"),
        (63, "c7723fa1e0127975e49e62e753db53924c1bd84b8ac1ac08df78d09270f3d971"),
        (64, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"),
        (65, "98ce42deef51d40269d542f5314bef2c7468d401ad5d85168bfab4c0108f75f7"),
    ]) func sha256OfZeros(count: Int, digest: String) { #expect(SHA256.hex(Data(count: count)) == digest) }

    @Test func sha256OfATextIsThatOfItsBytes() {
        for count in 0..<200 {
            let text = String(repeating: "ü", count: count)
            #expect(SHA256.digest(text) == SHA256.digest(Data(text.utf8)))
        }
    }

    /// From the reference implementation, seed 0.
    @Test(arguments: [
        ("", 0xEF46_DB37_51D8_E999 as UInt64), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
        ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
        ("The quick brown fox jumps over the lazy dog", 0x0B24_2D36_1FDA_71BC),
    ]) func xxHash64OfKnownValues(text: String, expected: UInt64) {
        #expect(XXHash64.hash(Data(text.utf8)) == expected)
    }

    @Test(arguments: [1, 3, 7, 31, 32, 33, 55, 63, 64, 65, 100, 127, 200, 999]) func piecesMakeNoDifference(size: Int) {
        let data = pattern(1000)
        var (sha, xx) = (SHA256(), XXHash64())
        for start in stride(from: 0, to: data.count, by: size) {
            let piece = data.dropFirst(start).prefix(size)
            sha.update(piece)
            xx.update(piece)
        }
        #expect(sha.finalize() == SHA256.digest(data) && xx.value == XXHash64.hash(data))
    }

    @Test func everyBitCountsForXXHash64() {
        let data = Data(repeating: 7, count: 75)
        let whole = XXHash64.hash(data)
        for bit in 0..<(75 * 8) {
            var changed = data
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(XXHash64.hash(changed) != whole)
        }
    }
}
