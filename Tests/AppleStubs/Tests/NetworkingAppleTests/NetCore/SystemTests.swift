import NetTransport
import TestLab
import Testing

@testable import NetCore

/// What the C library and the system tell differently there.
@Suite struct SystemTests {
    @Test func preferredLanguagesAreTheBundles() { #expect(SystemLanguages.preferred == Locale.preferredLanguages) }

    @Test func changedFileFailsTheRead() throws {
        let folder = try TemporaryDirectory()
        let file = folder.url.appendingPathComponent("body")
        try Data("0123456789".utf8).write(to: file)
        let open = try OpenFile(FileSegment(url: file))
        #expect(try open.read(upToCount: 4) == Data("0123".utf8))
        let earlier = Date(timeIntervalSince1970: 7)
        try FileManager.default.setAttributes([.modificationDate: earlier], ofItemAtPath: file.path)
        #expect(throws: TransportError.self) { try open.read(upToCount: 100) }
    }

    @Test func syncFallsBackToFsync() throws {
        let folder = try TemporaryDirectory()
        let path = folder.url.appendingPathComponent("file").path
        let file = try DiskFile(path, O_CREAT | O_RDWR)
        // This kernel does not know `F_FULLFSYNC`, as some file systems there do not: a plain fsync follows.
        try file.sync()
        #expect(try file.status().modified.timeIntervalSinceNow > -60)
    }
}

@Suite struct AppleCharsetTests {
    @Test(
        arguments: [
            ("windows-1251", [0xC9], "Й"), ("Shift_JIS", [0x93, 0xFA], "日"), ("latin2", [0xB3], "ł"),
            ("utf-16be", [0x00, 0xE4], "ä"),
        ] as [(String, [UInt8], String)])
    func charsetNameIsKnown(_ name: String, bytes: [UInt8], text: String) throws {
        let response = TransportResponse(
            status: 200, headers: ["Content-Type": "text/plain; charset=\(name)"], url: nil)
        #expect(try StringSerializer().serialize(Data(bytes), response: response) == text)
    }

    @Test("A name that the list or CoreFoundation does not know is its own error", arguments: ["unheard-of", "koi8-u"])
    func unknownCharsetNameIsNil(_ name: String) throws {
        let response = TransportResponse(
            status: 200, headers: ["Content-Type": "text/plain; charset=\(name)"], url: nil)
        let error = try #require(throws: NetworkError.self) {
            try StringSerializer().serialize(Data("a".utf8), response: response)
        }
        guard case .decodingError(let cause as StringSerializer.UnknownCharset) = error else { throw error }
        #expect(cause.name == name)
    }
}
