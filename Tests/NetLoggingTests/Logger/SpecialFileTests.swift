import NetLogging
import TestLab
import Testing

/// Logs and archives where something is that is not a regular file.
@Suite(.timeLimit(.minutes(1))) struct SpecialFileTests {
    private let directory: TemporaryDirectory
    private let special: SpecialFiles
    private let archive = HTTPArchive()

    init() throws {
        directory = try TemporaryDirectory()
        special = try SpecialFiles(in: directory)
    }

    private func code(_ work: () throws -> Void) -> Int32? {
        #expect(throws: FileSink.FileError.self) { try work() }?.systemCode
    }

    @Test func isRefusedAndLeftAsItIs() throws {
        for file in special.all {
            let before = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            let expected = file == special.folder ? EISDIR : ENOTSUP
            #expect(code { _ = try FileSink(url: file) } == expected, "\(file.lastPathComponent)")
            #expect(code { try archive.write(to: file) } == expected, "\(file.lastPathComponent)")
            #expect(
                code { try HTTPArchive.Waterfall(archive).write(to: file) } == expected, "\(file.lastPathComponent)")
            #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == before)
        }
        #expect(special.areUnchanged())
    }

    @Test func archiveIsWrittenThroughASymbolicLink() throws {
        let elsewhere = try TemporaryDirectory()
        let link = directory.file("link")
        #expect(symlink(elsewhere.file("target").path, link.path) == 0)
        for _ in 0..<2 { try archive.write(to: link) }
        #expect(try HTTPArchive(contentsOf: elsewhere.file("target")) == archive)
        #expect(Directory.status(of: link.path)?.kind == .link)
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.url.path) == ["target"])
    }

    @Test func rotationDoesNotReplaceASpecialFile() throws {
        let file = directory.file("app.log")
        #expect(mkfifo(directory.file("app.log.2").path, 0o600) == 0)
        let sink = try FileSink(url: file, maximumFileSize: 1, maximumFileCount: 3)
        let event = LogEvent(date: Date(), level: .info, category: "c", message: "m", privacy: .public)
        try sink.write(event)
        #expect(throws: FileSink.FileError.self) { try sink.write(event) }
        #expect(Directory.status(of: directory.file("app.log.2").path)?.kind == .pipe)
        #expect(Directory.status(of: file.path)?.kind == .regular)
        // Nor is what was put in the log's own place.
        #expect(unlink(directory.file("app.log.2").path) == 0 && unlink(file.path) == 0)
        #expect(mkfifo(file.path, 0o600) == 0)
        #expect(throws: FileSink.FileError.self) { try sink.write(event) }
        #expect(Directory.status(of: file.path)?.kind == .pipe)
    }
}
