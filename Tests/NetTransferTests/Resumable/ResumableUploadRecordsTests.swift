import NetTesting
import TestLab
import Testing

@testable import NetTransfer

@Suite struct ResumableUploadRecordsTests {
    private let directory: TemporaryDirectory
    private let records: ResumableUpload.Records
    private let file: URL

    init() throws {
        directory = try TemporaryDirectory()
        records = ResumableUpload.Records(directory: directory.file("a/b"))
        file = try directory.file("movie.mp4", bytes: 100_000)
    }

    private func record(_ target: String = "https://a.example/files", startDate: Date = Date()) throws
        -> ResumableUpload.Record
    {
        ResumableUpload.Record(
            fileURL: file, targetURL: try #require(URL(string: target)),
            uploadURL: try #require(URL(string: "https://a.example/files/1?secret=x")), protocol: .ietf,
            partition: "leia", startDate: startDate, expirationDate: nil, file: try FileIdentity(of: file),
            limits: UploadLimits(), verifiesSHA256: true)
    }

    @Test func recordsArePersistentAndPrivate() throws {
        let record = try record()
        let lock = try records.lock(record.key)
        try records.save(record)
        #expect((records.all, records.record(for: record.key)) == ([record], record))
        let file = records.directory.appendingPathComponent("\(record.key).upload")
        for (url, mode) in [(file, 0o600), (records.directory, 0o700)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode)
        }
        records.remove(record)
        #expect(records.all.isEmpty)
        _ = lock
    }

    @Test func lockIsExclusiveAndLeavesNoFile() throws {
        do {
            let lock = try records.lock("key")
            #expect(throws: ResumableUpload.Failure.alreadyRunning) { _ = try records.lock("key") }
            _ = try records.lock("other")
            withExtendedLifetime(lock) {}
        }
        _ = try records.lock("key")
        #expect(try FileManager.default.contentsOfDirectory(atPath: records.directory.path).isEmpty)
    }

    @Test func differentUploadsHaveDifferentKeys() throws {
        let (url, other) = (URL.example, try #require(URL(string: "https://api.example/stream?b")))
        let keys = [
            ResumableUpload.Record.key(fileURL: file, targetURL: url, protocol: .tus, partition: nil),
            ResumableUpload.Record.key(fileURL: file, targetURL: other, protocol: .tus, partition: nil),
            ResumableUpload.Record.key(fileURL: file, targetURL: url, protocol: .ietf, partition: nil),
            ResumableUpload.Record.key(fileURL: file, targetURL: url, protocol: .tus, partition: "leia"),
            ResumableUpload.Record.key(fileURL: directory.url, targetURL: url, protocol: .tus, partition: nil),
        ]
        #expect(Set(keys).count == keys.count)
    }

    @Test func damagedRecordsAreIgnored() throws {
        let record = try record()
        _ = try records.lock(record.key)
        try records.save(record)
        let url = records.directory.appendingPathComponent("\(record.key).upload")
        let whole = try Data(contentsOf: url)
        var random = SeededGenerator(state: 7)
        for _ in 0..<200 {
            try random.mutate(whole).write(to: url)
            if let found = records.record(for: record.key) { #expect(found.uploadURL.isHTTP) }
        }
        try Data(String(decoding: whole, as: UTF8.self).replacingOccurrences(of: "https:", with: "file:").utf8)
            .write(to: url)
        #expect(records.record(for: record.key) == nil)
        // Under another upload's name.
        try whole.write(to: records.directory.appendingPathComponent("0.upload"))
        #expect(records.record(for: "0") == nil)
    }

    @Test func recordsAreSortedByStartDate() throws {
        let dates = [Date(timeIntervalSince1970: 20), Date(timeIntervalSince1970: 10)]
        for (number, date) in dates.enumerated() {
            let record = try record("https://a.example/\(number)", startDate: date)
            _ = try records.lock(record.key)
            try records.save(record)
        }
        #expect(records.all.map(\.startDate) == dates.sorted())
    }

    @Test func fileIdentityDetectsAChangedFile() throws {
        let identity = try FileIdentity(of: file)
        #expect(try FileIdentity(of: file) == identity)
        // Same size, same time, another start.
        let time = try #require(try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date)
        try Data(repeating: 1, count: 100_000).write(to: file)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: file.path)
        #expect(try FileIdentity(of: file).startDigest != identity.startDigest)
    }

    @Test func unwritableRecordsFolderFailsTheUpload() async throws {
        var options = ResumableUpload.Options()
        options.records = ResumableUpload.Records(directory: file.appendingPathComponent("below"))
        let (transport, target) = (StubTransport(), URL.example)
        let task = NetworkClient(transport: transport).resumableUpload(file: file, to: target, options: options).task
        let failure = try await failure { try await task.value }
        guard case .recordNotWritable? = failure.underlyingError as? ResumableUpload.Failure else { throw failure }
        #expect(transport.exchanges.isEmpty)
    }
}
