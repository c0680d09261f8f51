import NetLogging
import TestLab
import Testing

@Suite("FileSink") struct FileSinkTests {
    private let folder: TemporaryDirectory
    private var file: URL { folder.file("network.log") }

    init() throws { folder = try TemporaryDirectory() }

    private func event(_ message: String, privacy: LogPrivacy = .public) -> LogEvent {
        LogEvent(date: Date(timeIntervalSince1970: 0), level: .info, category: "c", message: message, privacy: privacy)
    }

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
        let line = "1970-01-01T00:00:00.000Z info c "
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

    @Test func throughALogger() async throws {
        let logger = NetworkLogger(sinks: [try FileSink(url: file)])
        logger.logMessage("hello", logPrivacy: .public)
        await logger.flush()
        #expect(try text().hasSuffix(" hello\n") && logger.failureCount == 0)
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
        #expect(try text("network.log.1").hasPrefix("1970-01-01T00:00:00.000Z info c 0\n"))
    }
}
