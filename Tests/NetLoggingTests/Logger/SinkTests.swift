import TestLab
import Testing

@testable import NetLogging

@Suite("FileSink") struct FileSinkTests {
    private let folder: TemporaryDirectory
    private var file: URL { folder.file("network.log") }

    init() throws { folder = try TemporaryDirectory() }

    private func text(_ name: String = "network.log") throws -> String {
        try String(contentsOf: folder.file(name), encoding: .utf8)
    }

    private func mode(_ name: String = "network.log") throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder.file(name).path)[.posixPermissions] as? Int
    }

    @Test func appendsPrivately() throws {
        try Data("before\n".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        try FileSink(url: file).write(event("a\nb"))
        try FileSink(url: file).write(event("S3CR3T", privacy: .private))
        try FileSink(url: file, showsPrivate: true).write(event("shown", privacy: .sensitive))
        let line = "1970-01-01T00:00:00.250Z info c "
        #expect(try (text(), mode()) == ("before\n\(line)a\n    b\n\(line)<private>\n\(line)shown\n", 0o600))
    }

    @Test func rotates() throws {
        let sink = try FileSink(url: file, maximumFileSize: 100, maximumFileCount: 3)
        // Each line is 35 bytes: two fit.
        for number in 0..<9 { try sink.write(event("\(number)")) }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == [
                "network.log", "network.log.1", "network.log.2",
            ])
        func numbers(_ name: String) throws -> [String] {
            try text(name).split(separator: "\n").map { String($0.suffix(1)) }
        }
        let kept = try numbers("network.log.2") + numbers("network.log.1") + numbers("network.log")
        #expect(kept == (9 - kept.count..<9).map { "\($0)" }, "the newest, in order: \(kept)")
        #expect(kept.count >= 5)
        for name in ["network.log", "network.log.1", "network.log.2"] {
            #expect(try mode(name) == 0o600 && Data(contentsOf: folder.file(name)).count <= 100)
        }
    }

    @Test func oneFileIsBegunAnew() throws {
        let sink = try FileSink(url: file, maximumFileSize: 50, maximumFileCount: 1)
        for number in 0..<5 { try sink.write(event("\(number)")) }
        #expect(try text().hasSuffix(" 4\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["network.log"])
    }

    @Test func saysWhatIsWrong() throws {
        let error = #expect(throws: FileSink.FileError.self) { _ = try FileSink(url: folder.file("no/such/file")) }
        #expect((error?.systemCode, error.map { "\($0)" }?.contains("no/such/file")) == (ENOENT, true))
        // A link could lead anywhere.
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: folder.file("elsewhere"))
        #expect(throws: FileSink.FileError.self) { _ = try FileSink(url: file) }
    }

    /// A folder has the name of the older file, so that it cannot be renamed over.
    @Test func logContinuesInItsFileIfItCannotBeRotated() throws {
        let sink = try FileSink(url: file, maximumFileSize: 100, maximumFileCount: 3)
        try FileManager.default.createDirectory(at: folder.file("network.log.1"), withIntermediateDirectories: false)
        // Each line is 35 bytes: every third one tries again.
        var failures: [Int] = []
        for number in 0..<6 { do { try sink.write(event("\(number)")) } catch { failures.append(number) } }
        #expect(failures == [2, 4])
        #expect(try text().split(separator: "\n").map { $0.suffix(1) } == ["0", "1", "2", "3", "4", "5"])
        try FileManager.default.removeItem(at: folder.file("network.log.1"))
        try sink.write(event("6"))
        #expect(try text("network.log.1").hasPrefix("1970-01-01T00:00:00.250Z info c 0\n"))
    }
}

@Suite("StandardErrorSink") struct StandardErrorSinkTests {
    private func written(_ event: LogEvent, showsPrivate: Bool = false) throws -> [String] {
        let pieces = Locked<[String]>([])
        try StandardErrorSink(showsPrivate: showsPrivate) { data in
            pieces.withLock { $0.append(String(decoding: data, as: UTF8.self)) }
        }.write(event)
        return pieces.withLock { $0 }
    }

    @Test func writesOneLineInOnePiece() throws {
        #expect(try written(event("hello")) == ["1970-01-01T00:00:00.250Z info c hello\n"])
        let id = RequestContext.ID()
        #expect(try written(event("hello", id: id)) == ["1970-01-01T00:00:00.250Z info c \(id) hello\n"])
        for privacy in [LogPrivacy.sensitive, .auto] {
            let date = Date(timeIntervalSince1970: 1_700_000_000.25)
            let other = LogEvent(date: date, level: .warning, category: "network", message: "S3CR3T", privacy: privacy)
            #expect(try written(other) == ["2023-11-14T22:13:20.250Z warning network <private>\n"])
        }
    }

    @Test(arguments: [false, true]) func showsPrivateMessagesOnlyIfToldTo(isShown: Bool) throws {
        let lines = try written(event("S3CR3T", privacy: .private), showsPrivate: isShown)
        #expect(lines == ["1970-01-01T00:00:00.250Z info c \(isShown ? "S3CR3T" : "<private>")\n"])
    }

    @Test func onlyLineBreaksAndControlCharactersAreEscaped() throws {
        let forged = "a\n2023-11-14T22:13:20.250Z error network forged\r\u{1B}[2Jb\u{7F}\u{85}\u{2028}c\td\u{0}"
        let lines = try written(event(forged))[0].split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 3 && lines[2] == "")
        let escaped = "    2023-11-14T22:13:20.250Z error network forged\\r\\u{1B}[2Jb\\u{7F}\\u{0085}\\u{2028}c\\td\\0"
        #expect(lines[1] == escaped)
        #expect(try written(event("➡️ GET Grüße 你好"))[0].hasSuffix("➡️ GET Grüße 你好\n"))
    }

    @Test func everyLineNamesTheRequest() throws {
        let id = RequestContext.ID()
        let lines = try written(event("➡️ GET /\n   Headers: []\n   Body: 1", id: id))[0].split(separator: "\n")
        #expect(lines.count == 3 && lines.allSatisfy { $0.contains("\(id) ") }, "\(lines)")
    }
}

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
        try sink.write(event("m"))
        #expect(throws: FileSink.FileError.self) { try sink.write(event("m")) }
        #expect(Directory.status(of: directory.file("app.log.2").path)?.kind == .pipe)
        #expect(Directory.status(of: file.path)?.kind == .regular)
        // Nor is what was put in the log's own place.
        #expect(unlink(directory.file("app.log.2").path) == 0 && unlink(file.path) == 0)
        #expect(mkfifo(file.path, 0o600) == 0)
        #expect(throws: FileSink.FileError.self) { try sink.write(event("m")) }
        #expect(Directory.status(of: file.path)?.kind == .pipe)
    }
}

private func event(_ message: String, privacy: LogPrivacy = .public, id: RequestContext.ID? = nil) -> LogEvent {
    LogEvent(
        date: Date(timeIntervalSince1970: 0.25), level: .info, category: "c", message: message, privacy: privacy,
        requestID: id)
}
