import NetTesting
import NetTransfer
import TestLab
import Testing

@Suite(.timeLimit(.minutes(5))) struct DownloadNetworkTests {
    final class Switch: ConnectionMonitoring {
        private let state: Locked<(status: ConnectionStatus, streams: [AsyncStream<ConnectionStatus>.Continuation])>
        init(_ status: ConnectionStatus) { state = Locked((status, [])) }
        var status: ConnectionStatus { state.withLock { $0.status } }
        var isReachable: Bool { status.isReachable }
        var listeners: Int { state.withLock { $0.streams.count } }

        var statuses: AsyncStream<ConnectionStatus> {
            let (stream, continuation) = AsyncStream<ConnectionStatus>.makeStream(bufferingPolicy: .bufferingNewest(1))
            state.withLock { state in
                continuation.yield(state.status)
                state.streams.append(continuation)
            }
            return stream
        }

        func set(_ status: ConnectionStatus) {
            setSilently(status)
            flash(status)
        }

        /// Changes the status without a report.
        func setSilently(_ status: ConnectionStatus) { state.withLock { $0.status = status } }

        /// Reports a status that has passed by the time of a read.
        func flash(_ status: ConnectionStatus) { for stream in state.withLock(\.streams) { stream.yield(status) } }
    }

    private static let online = ConnectionStatus(isReachable: true, interfaceType: .wifi)
    private static let offline = ConnectionStatus(isReachable: false)
    private static let costly = ConnectionStatus(isReachable: true, interfaceType: .cellular, isExpensive: true)
    private static let data = pattern(1000)

    /// A server far away, whose first answer stops in the middle and waits.
    private static func far() -> StubTransport {
        let count = Locked(UInt64(0))
        return StubTransport { request, _, _ in
            let first = request.value(forHTTPHeaderField: "Range").flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            var headers: HTTPHeaders = ["ETag": "\"v\""]
            guard count.next() > 1 else {
                let start = Locked<Data?>(Data(data[..<400]))
                let body = HTTPBody(length: 1000) {
                    if let start = start.withLock({ $0.take() }) { return start }
                    try await SystemClock().sleep(for: .infinity)
                    return nil
                }
                return TransportResponse(status: 200, headers: headers, url: nil, body: body)
            }
            if first > 0 { headers.add(name: "Content-Range", value: "bytes \(first)-999/1000") }
            let rest = HTTPBody(Data(data[first...]))
            return TransportResponse(status: first > 0 ? 206 : 200, headers: headers, url: nil, body: rest)
        }
    }

    private func start(
        _ monitor: Switch, _ options: Downloader.Options = .atOnce, clock: any NetworkClock = .system
    ) async throws -> (bench: DownloadBench, far: StubTransport, task: TransferTask<NetworkResponse<URL>>) {
        let far = Self.far()
        let bench = try DownloadBench(client: NetworkClient(transport: far, clock: clock), monitor: monitor)
        return (bench, far, await bench.start(.example, options, until: 400))
    }

    @Test func offlineDownloadFailsAtOnce() async throws {
        let (bench, far, task) = try await start(Switch(Self.offline))
        #expect(try await task.value.error == .noInternetConnection && far.exchanges.isEmpty)
        #expect(try bench.isClean(with: []))
    }

    @Test func runningDownloadWaitsWhileOffline() async throws {
        let monitor = Switch(Self.online)
        let (bench, far, task) = try await start(monitor)
        monitor.set(Self.offline)
        // It watches for news of the end, and then for news of the return.
        _ = try await waitUntil("it waits") { monitor.listeners >= 2 ? true : nil }
        #expect(!task.isFinished)
        monitor.set(Self.online)
        #expect(try await task.value.isSuccess)
        #expect(try (Data(contentsOf: bench.file), far.sent("Range")) == (Self.data, [nil, "bytes=400-"]))
    }

    /// The network is lost before the first byte, and is back when the download looks.
    @Test func shortNetworkLossRepeatsTheRequest() async throws {
        let (monitor, count) = (Switch(Self.online), Locked(UInt64(0)))
        let transport = StubTransport { _, _, _ in
            if count.next() == 1 { try await SystemClock().sleep(for: .infinity) }
            return TransportResponse(status: 200, url: nil, body: HTTPBody(Self.data))
        }
        let bench = try DownloadBench(client: NetworkClient(transport: transport), monitor: monitor)
        let (_, task) = bench.downloader.download(.url(.example), to: .file(bench.file), options: .atOnce)
        _ = try await waitUntil("it is sent") { monitor.listeners > 0 && count.withLock { $0 } > 0 ? true : nil }
        monitor.flash(Self.offline)
        #expect(try await (task.value.error, Data(contentsOf: bench.file)) == (nil, Self.data))
        #expect(count.withLock { $0 } == 2)
    }

    @Test func failImmediatelyKeepsTheResumeData() async throws {
        let monitor = Switch(Self.online)
        let (bench, far, task) = try await start(monitor, .atOnce { $0.whileOffline = .failImmediately })
        monitor.set(Self.offline)
        #expect(try await task.value.error == .noInternetConnection)
        let left = try #require(bench.registry.unfinished().first)
        #expect(try await (left.bytesCompleted, bench.resume(left.resumeData).error) == (400, .noInternetConnection))
        #expect(bench.registry.unfinished().first?.bytesCompleted == 400, "nothing is lost by asking too early")
        monitor.set(Self.online)
        let file: URL = try await bench.downloader.resumeDownload(with: left.resumeData)
        #expect(try (Data(contentsOf: file), far.sent("Range")) == (Self.data, [nil, "bytes=400-"]))
    }

    @Test func waitingWhileOfflineTimesOut() async throws {
        let (monitor, clock) = (Switch(Self.online), TestClock())
        let options = Downloader.Options.atOnce { $0.whileOffline = .wait(timeout: 90) }
        let (bench, _, task) = try await start(monitor, options, clock: clock)
        monitor.set(Self.offline)
        try await clock.waitForSleepers()
        #expect(clock.sleeps == [90])
        await clock.advance(by: 90)
        #expect(try await (task.value.error, bench.registry.unfinished().count) == (.noInternetConnection, 1))
    }

    @Test func expensiveNetworkCountsAsOffline() async throws {
        let monitor = Switch(Self.costly)
        let options = Downloader.Options.atOnce { $0.allowsExpensiveNetworkAccess = false }
        let (_, far, refused) = try await start(monitor, options)
        #expect(try await refused.value.error == .noInternetConnection && far.exchanges.isEmpty)
        monitor.set(Self.online)
        let (bench, _, task) = try await start(monitor, options)
        let before = monitor.listeners
        monitor.set(Self.costly)
        _ = try await waitUntil("it waits") { monitor.listeners > before || task.isFinished ? true : nil }
        #expect(!task.isFinished)
        monitor.set(Self.online)
        #expect(try await task.value.isSuccess && Data(contentsOf: bench.file) == Self.data)
        let (_, _, allowed) = try await start(Switch(Self.costly))
        allowed.cancel()
    }

    #if !canImport(Darwin)
        @Test func constrainedNetworkOptionIsUnsupportedWithoutAMonitor() async throws {
            let bench = try DownloadBench(client: NetworkClient(transport: Self.far()))
            let options = Downloader.Options.atOnce { $0.allowsConstrainedNetworkAccess = false }
            let error = await #expect(throws: NetworkError.self) { try await bench.download(.example, options) }
            #expect(error?.code == "unsupported")
        }
    #endif

    @Test func existingFileIsTheErrorWhileOffline() async throws {
        let monitor = Switch(Self.online)
        let (bytes, source) = AsyncStream.makeStream(of: Data.self)
        let transport = StubTransport { _, _, _ in
            TransportResponse(status: 200, url: nil, body: HTTPBody(stream: bytes, length: 1000))
        }
        let bench = try DownloadBench(client: NetworkClient(transport: transport), monitor: monitor)
        // A download that asks for the network fails with another error, in place of a wait.
        let options = Downloader.Options.atOnce { ($0.existingFile, $0.whileOffline) = (.refuse, .failImmediately) }
        source.yield(Data(Self.data[..<400]))
        let task = await bench.start(.example, options, until: 400)
        _ = try await waitUntil("it watches the network") { monitor.listeners > 0 ? true : nil }
        try Data("theirs".utf8).write(to: bench.file)
        // A report would cancel the transfer of the last bytes.
        monitor.setSilently(Self.offline)
        source.yield(Data(Self.data[400...]))
        source.finish()
        #expect(try await (task.value.error?.embeddedError as? DownloadError)?.code == .destinationExists)
    }
}
