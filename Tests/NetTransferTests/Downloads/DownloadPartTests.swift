import NetTesting
import TestLab
import Testing

@testable import NetTransfer

/// Several connections to servers that do not play along: the download goes on with one.
@Suite(.timeLimit(.minutes(1))) struct ConnectionFallbackTests {
    private let bench: DownloadBench
    init() throws { bench = try DownloadBench() }
    private static let data = MockResponse.generatedBytes(count: 6 << 20)

    enum Habit: CaseIterable {
        case forbids, notImplemented, ignoresRanges, unsatisfied, wrongRange, otherVersion
        case limits, isBusy, resets, closes
        /// Whether it gives parts when it is asked for one at a time.
        var isAboutNumbers: Bool { [.limits, .isBusy, .resets, .closes].contains(self) }

        func answer(_ honest: MockResponse) -> MockResponse {
            switch self {
            case .forbids: .status(403)
            case .notImplemented: .status(501)
            case .ignoresRanges: MockResponse(status: 200, headers: ["ETag": "\"v2\""], body: .data(data))
            case .unsatisfied: .status(416)
            case .wrongRange: honest.header("Content-Range", "bytes 1-2/\(data.count)")
            case .otherVersion: honest.header("ETag", "\"v2\"")
            case .limits: .status(429)
            case .isBusy: .status(503)
            case .resets: honest.fault(.reset(.beforeResponse))
            case .closes: honest.fault(.close(.beforeResponse))
            }
        }
    }

    private func options(_ maxResumptions: Int = 1) -> Downloader.Options {
        .atOnce { ($0.connections, $0.maxResumptions) = (4, maxResumptions) }
    }

    /// The response to the first connection. Its part is not complete before the others are refused.
    private static func first(_ honest: MockResponse, end: [MockResponse.Piece] = [.bytes(data.dropFirst(5 << 19))])
        -> MockResponse
    {
        var first = honest.header("Content-Length", "\(data.count)")
        first.body = .stream([.bytes(data.prefix(1 << 20)), .pause(4), .bytes(data[(1 << 20)..<(5 << 19)])] + end)
        return first
    }

    /// All parts are refused while the first connection lives: that one brings the whole file.
    @Test(arguments: Habit.allCases) func firstConnectionContinuesIfTheOthersAreRefused(_ habit: Habit) async throws {
        let server = try FileServer(Self.data) { $1 == 0 ? Self.first($2) : habit.answer($2) }
        #expect(try await Data(contentsOf: bench.download(server.url, options())) == Self.data)
        #expect(server.ranges.count <= 4, "\(server.ranges)")
        #expect(try server.ranges.filter { $0 == nil }.count == 1 && bench.isClean(with: ["report.bin"]))
    }

    /// The first connection went on alone, beyond its part.
    @Test(arguments: [false, true]) func pauseAfterTheOthersWereRefusedKeepsItsBytes(staysInProcess: Bool) async throws
    {
        let server = try FileServer(Self.data) { request, number, honest in
            switch number {
            // The file is not complete before the pause.
            case 0: Self.first(honest, end: [.hold])
            case 1...3: .status(429)
            default: honest
            }
        }
        let task = await bench.start(server.url, options(), until: (2 << 20) + 1)
        let response: NetworkResponse<URL>
        if staysInProcess {
            try task.pause()
            // The three that were refused stay open.
            try await server.server.waitForOpenConnections(atMost: 3)
            try task.resume()
            response = try await task.value
        } else {
            response = try await bench.resume(bench.downloader.pauseDownload(task: task))
        }
        #expect(try Data(contentsOf: response.get()) == Self.data)
        #expect(server.ranges.count == 5 && server.ranges.filter { $0 == nil }.count == 1, "\(server.ranges)")
    }

    /// The first connection has its part before the others are answered.
    @Test(arguments: Habit.allCases) func refusedPartsAreFetchedOnAnotherConnection(_ habit: Habit) async throws {
        let server = try FileServer(Self.data) { request, number, honest in
            let isRefused = number > 0 && request.headers["Range"] != nil && (!habit.isAboutNumbers || number < 4)
            return isRefused ? habit.answer(honest).delayed(by: 0.3) : honest
        }
        #expect(try await Data(contentsOf: bench.download(server.url, options(2))) == Self.data)
        #expect(server.ranges.count <= 10, "\(server.ranges)")
        // No round with several connections follows.
        if !habit.isAboutNumbers { #expect(server.ranges.filter { $0 == nil }.count <= 2, "\(server.ranges)") }
        #expect(try bench.isClean(with: ["report.bin"]))
    }

    /// Two servers behind one name, which have a tag each for the same file.
    @Test func differentETagsFallBackToOneConnection() async throws {
        let server = try FileServer(Self.data) { $1 % 2 == 0 ? $2 : FileServer.answer($0, Self.data, tag: "\"other\"") }
        #expect(try await Data(contentsOf: bench.download(server.url, options(3))) == Self.data)
        #expect(server.ranges.filter { $0 == nil }.count <= 2, "\(server.ranges)")
    }

    @Test func finishedPartsAreKept() async throws {
        let refused: Set<String?> = ["bytes=3145728-4718591", "bytes=4718592-6291455"]
        let seen = Locked<Set<String?>>([])
        let server = try FileServer(Self.data) { request, _, honest in
            let range = request.headers["Range"]
            return refused.contains(range) && seen.withLock { $0.insert(range).inserted } ? .status(503) : honest
        }
        _ = try await bench.download(server.url, options())
        #expect(try (Data(contentsOf: bench.file), server.ranges.count) == (Self.data, 6))
        #expect(Set(server.ranges.suffix(2)) == refused, "each part once more")
        #expect(try bench.isClean(with: ["report.bin"]))
    }
}

/// A file in several parts, and what a killed process or a crashed machine leaves of it.
struct UnfinishedFileTests {
    private let directory: TemporaryDirectory
    private let record: DownloadRecord

    init() throws {
        directory = try TemporaryDirectory()
        var record = DownloadRecord(
            url: .example, destination: .temporary, folder: directory.url, options: Downloader.Options())
        (record.starts, record.durable) = ([0, 4, 8], [0, 0, 0])
        record.file.length = 12
        self.record = record
    }

    private func split() throws -> UnfinishedFile {
        let file = try UnfinishedFile(record, isNew: true)
        try file.divide(at: record.starts, length: 12)
        return file
    }

    private var bytes: Data { get throws { try Data(contentsOf: URL(fileURLWithPath: record.gatheringPath)) } }

    @Test func partsAreWrittenInPlace() async throws {
        let file = try split()
        #expect(try bytes == Data(count: 12))
        let parts = file.parts
        for (index, text) in [(2, "89ab"), (0, "01"), (1, "4567"), (0, "23")] {
            try await parts[index].append(Data(text.utf8), writesBack: true)
        }
        #expect(try parts.map(\.length) == [4, 4, 4] && file.received == 12 && bytes == Data("0123456789ab".utf8))
        #expect(try await file.digest(of: parts[1], from: 1) == Data(SHA256.digest(Data("567".utf8))))
        #expect(try await file.digest() == Data(SHA256.digest(Data("0123456789ab".utf8))) && file.durable == [0, 0, 0])
        try await file.sync()
        #expect(file.durable == [4, 4, 4])
    }

    @Test func receivedBytesAreKnownToTheNextProcess() async throws {
        do {
            let file = try split()
            try await file.parts[0].append(Data("01".utf8), writesBack: false)
            try await file.parts[2].append(Data("89a".utf8), writesBack: false)
            file.unlock()
        }
        #expect(UnfinishedFile.received(record) == 5)
        let file = try UnfinishedFile(record, isNew: false)
        #expect(try file.reopen(record, known: nil) && file.parts.map(\.length) == [2, 0, 3])
        try await file.parts[0].append(Data("23".utf8), writesBack: false)
        #expect(try bytes == Data("0123".utf8) + Data(count: 4) + Data("89a".utf8) + Data(count: 1))
        // After a crash of the machine, only what is known to be on the medium counts.
        #expect(try file.reopen(record, known: [1, 0, 2]) && UnfinishedFile.received(record) == 3)
    }

    @Test(arguments: [
        nil, Data(), Data(count: 23), Data(count: 25), Data([5] + [UInt8](repeating: 0, count: 23)),
        Data(repeating: 0xFF, count: 24), Data(repeating: 0x7F, count: 24),
    ]) func invalidCountsAreIgnored(_ counts: Data?) throws {
        let (file, path) = try (split(), URL(fileURLWithPath: record.countsPath))
        if let counts { try counts.write(to: path) } else { try FileManager.default.removeItem(at: path) }
        #expect(try !file.reopen(record, known: nil) && UnfinishedFile.received(record) == 0)
        try file.truncate(to: 0)
        #expect(try bytes.isEmpty && !FileManager.default.fileExists(atPath: record.countsPath))
    }

    @Test func fileOfAnotherLengthIsNotResumed() throws {
        let file = try split()
        try Data(count: 11).write(to: URL(fileURLWithPath: record.gatheringPath))
        #expect(try !file.reopen(record, known: nil))
    }

    /// As after a kill between the two steps that give the file its name.
    @Test func resumingDoesNotChangeAFinishedFileThatStillHasItsHiddenName() async throws {
        let (bench, options) = try (DownloadBench(), Downloader.Options(existingFile: .refuse))
        let finished = DownloadRecord(
            url: record.url, destination: .file(bench.file), folder: bench.folder, options: options)
        try Data("whole".utf8).write(to: bench.file)
        #expect(link(bench.file.path, finished.gatheringPath) == 0)
        let task = bench.downloader.download(.resumeData(try finished.data), options: options).task
        #expect(try await (task.value.error?.embeddedError as? DownloadError)?.code == .destinationExists)
        #expect(try Data(contentsOf: bench.file) == Data("whole".utf8) && bench.isClean(with: ["report.bin"]))
    }
}
