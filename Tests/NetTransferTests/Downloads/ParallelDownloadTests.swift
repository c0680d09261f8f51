import NetTesting
import NetTransfer
import TestLab
import Testing

@Suite(.timeLimit(.minutes(5)), .requires(.nginx)) struct ParallelDownloadTests {
    private let bench: DownloadBench
    init() throws { bench = try DownloadBench() }
    private static let size = 6 << 20
    private static let data = MockResponse.generatedBytes(count: size)
    private static func options(_ connections: Int) -> Downloader.Options { .atOnce { $0.connections = connections } }

    @Test(arguments: [2, 4, 16]) func partsAreJoinedToTheFile(_ connections: Int) async throws {
        let (server, count) = try (FileServer(Self.data), min(connections, 6))
        let (progress, task) = bench.downloader.download(
            .url(server.url), to: .file(bench.file), options: Self.options(connections))
        let last = await progress.last
        #expect(try await task.value.isSuccess)
        #expect(try Data(contentsOf: bench.file) == Self.data && last?.bytesCompleted == Int64(Self.size))
        #expect(server.ranges.count == count)
        let length = Self.size / count
        let expected = (1..<count).map {
            "bytes=\(length * $0)-\($0 == count - 1 ? Self.size - 1 : length * ($0 + 1) - 1)"
        }
        #expect(try Set(server.ranges.compactMap { $0 }) == Set(expected) && bench.isClean(with: ["report.bin"]))
    }

    @Test func droppedPartsAreResumed() async throws {
        let server = try FileServer(Self.data) { _, number, honest in number < 5 ? honest.cut : honest }
        var options = Self.options(3)
        options.maxResumptions = 10
        _ = try await bench.download(server.url, options)
        #expect(try Data(contentsOf: bench.file) == Self.data && bench.isClean(with: ["report.bin"]))
    }

    @Test func smallFilesAndPlainServersGetOneConnection() async throws {
        let small = try FileServer(pattern(1 << 20))
        _ = try await bench.download(small.url, Self.options(4))
        #expect(small.ranges == [nil])
        for server in [
            try FileServer(Self.data, tag: nil), try FileServer(Self.data, tag: "W/\"v1\""),
            try FileServer(Self.data) { _, _, honest in honest.header("Accept-Ranges", "none") },
        ] {
            _ = try await bench.download(server.url, Self.options(4))
            #expect(try (server.ranges, Data(contentsOf: bench.file)) == ([nil], Self.data))
        }
    }

    @Test(arguments: FalseResponseTests.Lie.allCases)
    func falseResponseNeverBecomesAFile(_ lie: FalseResponseTests.Lie) async throws {
        guard !lie.isFatal else { return }
        let server = try FileServer(Self.data) { $1 == 0 ? $2 : lie.response(to: $0, from: $2) }
        let response = await bench.outcome(of: server.url, Self.options(3))
        guard let file = response.value else { return #expect(try bench.names.filter { !$0.hasPrefix(".") } == []) }
        let there = try Data(contentsOf: file)
        #expect(there == Self.data || there == Data(repeating: 2, count: 70_000))
    }

    @Test func nginxServesParallelDownloads() async throws {
        let nginx = try await NginxServer()
        try nginx.write("big.bin", Self.data)
        var configuration = TransportConfiguration()
        configuration.certificateAuthorities = .onlyFile(try await TestCertificates.shared.ca.url)
        let bench = try DownloadBench(client: NetworkClient(transport: .platform(configuration)))
        for base in [nginx.httpURL, nginx.http2URL] {
            let url = base.appendingPathComponent("big.bin")
            for connections in [1, 4] {
                #expect(try await Data(contentsOf: bench.download(url, Self.options(connections))) == Self.data)
                #expect(try bench.isClean(with: ["report.bin"]))
            }
        }
        #expect(try await nginx.accessLog(containing: "big.bin").contains { $0.contains(" 206 ") })
    }

    @Test func missingPartsAreFetchedOneAtATimeWithDefaultOptions() async throws {
        let (bench, isStalling) = try (DownloadBench(), Locked(true))
        let inFlight = Locked((now: 0, most: 0))
        let server = try MockServer { request in
            let honest = FileServer.answer(request, Self.data, tag: "\"v1\"")
            if isStalling.withLock({ $0 }) { return honest.fault(.stall(.inBody)) }
            inFlight.withLock { count in
                count.now += 1
                count.most = max(count.most, count.now)
            }
            // Long enough to meet a request that is sent at the same time.
            try await SystemClock().sleep(for: 0.3)
            inFlight.withLock { $0.now -= 1 }
            return honest
        }
        // The first of three parts arrives whole, and half of each other one: all three requests have been answered.
        let url = server.url("/files/report.bin")
        let task = await bench.start(url, Self.options(3), until: (3 << 20) + 1)
        let data = await bench.downloader.pauseDownload(task: task)
        isStalling.withLock { $0 = false }
        let response = try await bench.resume(data)
        #expect(try (Data(contentsOf: response.get()), inFlight.withLock { $0.most }) == (Self.data, 1))
    }
}
