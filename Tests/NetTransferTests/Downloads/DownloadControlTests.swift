import NetTesting
import NetTransfer
import Networking
import TestLab
import Testing

@Suite(.timeLimit(.minutes(5))) struct DownloadControlTests {
    private let bench: DownloadBench
    init() throws { bench = try DownloadBench() }
    private static let data = pattern(400_000)

    /// A server whose first answer stops in the middle, and waits.
    private func stalling() throws -> FileServer {
        try FileServer(Self.data) { _, number, honest in number == 0 ? honest.fault(.stall(.inBody)) : honest }
    }

    private func start(_ server: FileServer) async -> TransferTask<NetworkResponse<URL>> {
        await bench.start(server.url, until: 200_000)
    }

    @Test func pauseReturnsResumeData() async throws {
        let server = try stalling()
        let task = await start(server)
        let data = try #require(await bench.downloader.pauseDownload(task: task))
        #expect(try await (task.value.error, bench.registry.unfinished().count) == (.cancelled, 1))
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.utf8.count < 1500 && text.contains("\"durable\":[200000]"))
        let elsewhere = bench.folder.appendingPathComponent("elsewhere.bin")
        let response = try await bench.resume(data, to: Downloader.Destination(elsewhere))
        #expect(try (Data(contentsOf: response.get()), response.statusCode) == (Self.data, 206))
        #expect(try server.ranges == [nil, "bytes=200000-"] && bench.isClean(with: ["elsewhere.bin"]))
        #expect(server.server.requests.last?.headers["If-Range"] == "\"v1\"")
        #expect(await bench.downloader.pauseDownload(task: task) == nil)
    }

    @Test func resumeMovesTheFileToAnotherFileSystem() async throws {
        guard FileManager.default.isWritableFile(atPath: "/dev/shm") else { return }
        let server = try stalling()
        let data = await bench.downloader.pauseDownload(task: await start(server))
        let target = URL(fileURLWithPath: "/dev/shm/networking-\(UUID().uuidString).bin")
        defer { try? FileManager.default.removeItem(at: target) }
        let file: URL = try await bench.downloader.resumeDownload(with: data, destinationURL: target)
        #expect(try (file, Data(contentsOf: target)) == (target, Self.data) && bench.isClean(with: []))
    }

    @Test func pausedTaskResumesWithARange() async throws {
        let server = try stalling()
        let task = await start(server)
        try task.pause()
        try await server.server.waitForOpenConnections()
        try task.pause()
        #expect(!task.isFinished && server.server.requestCount == 1)
        try task.resume()
        #expect(try await task.value.isSuccess)
        #expect(try (Data(contentsOf: bench.file), server.ranges) == (Self.data, [nil, "bytes=200000-"]))
    }

    /// The pause is over before what it interrupted has noticed, and no byte was there yet.
    @Test func resumeRightAfterPauseSendsTheRequestAgain() async throws {
        let server = try FileServer(Self.data) { $1 == 0 ? $2.fault(.stall(.beforeResponse)) : $2 }
        let (_, task) = bench.downloader.download(.url(server.url), to: .file(bench.file), options: .atOnce)
        _ = try await server.server.takeRequest()
        try task.pause()
        try task.resume()
        #expect(try await task.value.isSuccess)
        #expect(try (Data(contentsOf: bench.file), server.ranges) == (Self.data, [nil, nil]))
    }

    @Test func cancelDownloadRemovesThePartialFile() async throws {
        let server = try stalling()
        let task = await start(server)
        bench.downloader.cancelDownload(task: task)
        #expect(try await task.outcome.get().error == .cancelled)
        try await server.server.waitForOpenConnections()
        #expect(try bench.isClean(with: []))
    }

    @Test func cancelAllDownloadsCancelsEachTask() async throws {
        let server = try FileServer(Self.data) { _, _, honest in honest.fault(.stall(.inBody)) }
        var tasks: [TransferTask<NetworkResponse<URL>>] = []
        for _ in 0..<3 { tasks.append(await start(server)) }
        bench.downloader.cancelAllDownloads()
        for task in tasks { #expect(try await task.outcome.get().error == .cancelled) }
        #expect(try bench.isClean(with: []))
    }

    @Test func cancelAllOfTheClientKeepsTheResumeData() async throws {
        let server = try stalling()
        let task = await start(server)
        bench.client.cancelAll()
        #expect(try await (task.outcome.get().error, server.server.requestCount) == (.cancelled, 1))
        #expect(bench.registry.unfinished().first?.bytesCompleted == 200_000, "it can be resumed")
    }

    @Test func cancellingAllCallsEndsTheWaitBetweenTwoAttempts() async throws {
        let clock = TestClock()
        let bench = try DownloadBench(client: NetworkClient(clock: clock))
        let server = try FileServer(Self.data) { _, _, honest in honest.cut }
        let options = Downloader.Options.atOnce { $0.resumptionDelay = .fixed(60) }
        let (_, task) = bench.downloader.download(.url(server.url), to: .file(bench.file), options: options)
        try await clock.waitForSleepers()
        bench.client.cancelAll()
        #expect(try await (task.outcome.get().error, server.server.requestCount) == (.cancelled, 1))
    }

    @Test func cancellingTheAwaitingTaskCancelsTheDownload() async throws {
        let server = try stalling()
        let waiting = Task { try await bench.download(server.url) }
        _ = try await server.server.takeRequest()
        waiting.cancel()
        await #expect(throws: NetworkError.cancelled) { try await waiting.value }
        #expect(try bench.isClean(with: []))
    }

    @Test func resumingTwiceIsRefused() async throws {
        let server = try FileServer(Self.data) { _, _, honest in honest.fault(.stall(.inBody)) }
        let data = await bench.downloader.pauseDownload(task: await start(server))
        let (progress, first) = bench.downloader.download(.resumeData(try #require(data)))
        for await state in progress where state.bytesCompleted > 200_000 { break }
        #expect(try await bench.resume(data).error?.downloadCode == .inUse)
        #expect(bench.registry.unfinished().count == 1, "what belongs to the first is left alone")
        #expect(!bench.registry.discard(try #require(bench.registry.unfinished().first)))
        first.cancel()
        _ = await first.outcome
        #expect(try bench.isClean(with: []))
    }

    /// Two resume a download that was stopped before its first byte. The second gets a file or a refusal when the first has written bytes.
    @Test(arguments: [200, 404]) func resumingTwiceWithoutAFileIsRefused(secondStatus: Int) async throws {
        let file = pattern(1000)
        let (bytes, source) = AsyncStream.makeStream(of: Data.self)
        let (count, hasBytes) = (Locked(UInt64(0)), Locked(false))
        let transport = StubTransport { _, _, _ in
            let number = count.next()
            if number == 1 { try await SystemClock().sleep(for: .infinity) }
            _ = try await waitUntil("both have looked for the file") { count.withLock { $0 } >= 3 ? true : nil }
            if number == 2 {
                return TransportResponse(status: 200, url: nil, body: HTTPBody(stream: bytes, length: 1000))
            }
            _ = try await waitUntil("the first has bytes") { hasBytes.withLock { $0 } ? true : nil }
            return TransportResponse(status: secondStatus, url: nil, body: HTTPBody(file))
        }
        func waitForRequests(_ wanted: UInt64) async throws {
            try await waitUntil("\(wanted) requests") { count.withLock { $0 } == wanted ? () : nil }
        }
        let bench = try DownloadBench(client: NetworkClient(transport: transport))
        let (_, stopped) = bench.downloader.download(.url(.example), to: .file(bench.file), options: .atOnce)
        try await waitForRequests(1)
        let data = try #require(await bench.downloader.pauseDownload(task: stopped))
        let (progress, first) = bench.downloader.download(.resumeData(data))
        try await waitForRequests(2)
        async let second = bench.resume(data)
        source.yield(file[..<400])
        for await state in progress where state.bytesCompleted >= 400 { break }
        hasBytes.withLock { $0 = true }
        let refused = try await second
        if secondStatus == 200 { #expect(refused.error?.downloadCode == .inUse) }
        #expect(refused.error != nil && bench.registry.unfinished().count == 1)
        source.yield(Data(file[400...]))
        source.finish()
        #expect(try await Data(contentsOf: first.value.get()) == file && bench.isClean(with: ["report.bin"]))
    }

    @Test(arguments: [nil, Data(), Data("{}".utf8)] as [Data?])
    func invalidResumeDataIsRefused(_ data: Data?) async throws {
        #expect(try await bench.resume(data).error?.downloadCode == .invalidResumeData)
    }

    @Test func mutatedResumeDataNeverTraps() async throws {
        let server = try stalling()
        let data = try #require(await bench.downloader.pauseDownload(task: await start(server)))
        var random = SeededGenerator(state: 3)
        for _ in 0..<300 {
            let mutated = random.mutate(data)
            // Only where it would go on with this server.
            guard mutated.range(of: Data("127.0.0.1:\(server.server.port)/".utf8)) != nil else { continue }
            let (_, task) = bench.downloader.download(
                .resumeData(mutated), to: .folder(bench.folder), options: Downloader.Options(existingFile: .keepBoth))
            if let file = try await task.outcome.get().value { #expect(try Data(contentsOf: file) == Self.data) }
        }
    }

    private static let export = Drop(path: "/files/report.bin")

    @Test func postIsNotResumed() async throws {
        let server = try FileServer(Self.data) { _, number, honest in number == 0 ? honest.cut : honest }
        let bench = try DownloadBench(client: NetworkClient(server.server))
        func download() -> TransferTask<URL> {
            bench.client.download(from: Self.export, to: bench.file, options: .atOnce, registry: bench.registry).task
        }
        let task = download()
        await #expect(throws: NetworkFailure.self) { try await task.value }
        _ = await task.outcome
        #expect(try server.server.requestCount == 1 && bench.isClean(with: []))
        #expect(try await download().value == bench.file)
    }

    @Test func failedDownloadWithoutARegistryLeavesNoFile() async throws {
        let server = try FileServer(Self.data) { $2.cut }
        let options = Downloader.Options.atOnce { $0.maxResumptions = 0 }
        let response: NetworkResponse<URL> = await Downloader(client: bench.client, registry: nil).download(
            from: server.url, destinationURL: bench.file, options: options)
        #expect(try response.error?.isRetryable == true && bench.isClean(with: []))
    }

    @Test func pausedPostIsNotRepeated() async throws {
        let server = try stalling()
        let bench = try DownloadBench(client: NetworkClient(server.server))
        let (progress, task) = bench.client.download(
            from: Self.export, to: bench.file, options: .atOnce, registry: bench.registry)
        for await state in progress where state.bytesCompleted >= 200_000 { break }
        try task.pause()
        try await server.server.waitForOpenConnections()
        try task.resume()
        #expect(try await (failure { try await task.value }.code, server.server.requestCount) == ("unsupported", 1))
    }
}
