import Foundation
import NetSystem
import Testing

@Suite("SHA-256") struct SHA256Tests {
    /// The examples of FIPS 180 (NIST), with the lengths at which the padding changes shape.
    @Test(arguments: [
        "": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq":
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu":
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
    ]) func nistExamples(text: String, digest: String) { #expect(SHA256.hex(Data(text.utf8)) == digest) }

    @Test func digestOfAMillionLetters() {
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
    ]) func zeros(count: Int, digest: String) { #expect(SHA256.hex(Data(count: count)) == digest) }

    @Test func digestOfATextIsThatOfItsBytes() {
        for count in 0..<200 {
            let text = String(repeating: "ü", count: count)
            #expect(SHA256.digest(text) == SHA256.digest(Data(text.utf8)))
        }
    }

    @Test(arguments: [1, 3, 55, 63, 64, 65, 127, 200]) func piecesMakeNoDifference(size: Int) {
        let data = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        var hash = SHA256()
        for start in stride(from: 0, to: data.count, by: size) { hash.update(data.dropFirst(start).prefix(size)) }
        #expect(hash.finalize() == SHA256.digest(data))
    }
}
