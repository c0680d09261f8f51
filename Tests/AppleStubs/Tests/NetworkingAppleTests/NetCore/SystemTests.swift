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
