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

@Suite struct StructuredFieldTests {
    @Test func integersAndBooleansAreParsed() {
        #expect((StructuredField.integer("0"), StructuredField.integer(" 25000000 ;x=1")) == (0, 25_000_000))
        #expect(StructuredField.integer("-7") == -7)
        #expect(StructuredField.integer("999999999999999") == 999_999_999_999_999)
        for text in ["", "-", "+1", "1.0", "1e3", "0x1", "1 2", "9999999999999999", "\"1\"", "?1", "--1", "١"] {
            #expect(StructuredField.integer(text) == nil, "\(text)")
        }
        #expect((StructuredField.boolean("?1"), StructuredField.boolean("?0;a")) == (true, false))
        for text in ["", "1", "true", "?2", "? 1"] { #expect(StructuredField.boolean(text) == nil) }
    }

    @Test func uploadLimitIsParsed() {
        let all = UploadLimits(
            field: "max-size=100, min-size=1 , max-append-size=50;note=\"a, b\",min-append-size=5, max-age=3600")
        #expect((all?.maxSize, all?.minSize, all?.maxAppendSize) == (100, 1, 50))
        #expect((all?.minAppendSize, all?.maxAge) == (5, 3600))
        let others = UploadLimits(field: "flag, inner=(1 2 \"x,\\\"y\"), max-size=3, text=\"max-size=9\", e=:YQ==:")
        #expect(others?.maxSize == 3)
        // A limit that is not an integer invalidates the whole field.
        for field in [
            "max-size=1.5", "max-size", "max-size=\"5\"", "max-age=-1", "=1", "MAX=1",
        ] { #expect(UploadLimits(field: field) == nil, "\(field)") }
    }

    @Test func randomFieldsNeverTrap() {
        var random = SeededGenerator(state: 3)
        for _ in 0..<5000 {
            let text = random.text(of: Array("maxsize-=,;\"\\() ?01:\u{0}é9"), upTo: 30)
            _ = UploadLimits(field: text)
            _ = StructuredField.integer(text)
        }
    }

    @Test func pieceLengthRespectsTheLimits() {
        var limits = UploadLimits()
        #expect((limits.pieceLength(rest: 100, wanted: nil), limits.pieceLength(rest: 100, wanted: 0)) == (100, 100))
        #expect(limits.pieceLength(rest: 100, wanted: 30) == 30)
        limits.minAppendSize = 40
        #expect((limits.pieceLength(rest: 100, wanted: 30), limits.pieceLength(rest: 35, wanted: 30)) == (40, 35))
        limits.maxAppendSize = 20
        #expect(limits.pieceLength(rest: 100, wanted: 30) == 20)
        limits.maxAppendSize = 0
        #expect(limits.pieceLength(rest: 100, wanted: nil) == 100)
    }
}
