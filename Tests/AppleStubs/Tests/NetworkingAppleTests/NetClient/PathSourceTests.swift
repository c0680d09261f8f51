import AppleLiberties
import NetCore
import NetSecurity
import NetTesting
import Network
import Networking
import TestLab
import Testing

@testable import NetClient
@testable import NetTransfer

/// The paths are those of the one device: one test at a time.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PathSourceTests {
    /// The shared monitor is started by whoever asks first.
    init() { _ = ConnectionMonitor.shared }
    private var address: URL { get throws { try #require(URL(string: "https://api.example.com/users")) } }
    private func goOnline() { FakePaths.change(to: NWPath(status: .satisfied, interfaces: [.wifi])) }

    private func statuses(_ paths: [NWPath]) async -> [ConnectionStatus] {
        goOnline()
        let monitor = ConnectionMonitor()
        var news = monitor.statuses.makeAsyncIterator()
        var heard: [ConnectionStatus] = []
        while let status = await news.next() {
            // Before the first report nothing is known, and that may be out of date.
            guard status != .unknown, status.isReachable || !heard.isEmpty else { continue }
            heard.append(status)
            guard heard.count <= paths.count else { break }
            FakePaths.change(to: paths[heard.count - 1])
        }
        return heard
    }

    @Test func pathUpdatesBecomeStatuses() async {
        let heard = await statuses([
            NWPath(status: .satisfied, interfaces: [.cellular], isExpensive: true, isConstrained: true),
            NWPath(status: .unsatisfied), NWPath(status: .satisfied, interfaces: [.wiredEthernet]),
            NWPath(status: .requiresConnection, interfaces: [.other]),
            NWPath(status: .satisfied, interfaces: [.loopback]),
            NWPath(status: .satisfied, interfaces: [.cellular], isUltraConstrained: true),
        ])
        #expect(
            heard == [
                ConnectionStatus(isReachable: true, interfaceType: .wifi),
                ConnectionStatus(isReachable: true, interfaceType: .cellular, isExpensive: true, isConstrained: true),
                ConnectionStatus(isReachable: false, interfaceType: .unknown),
                ConnectionStatus(isReachable: true, interfaceType: .wired),
                ConnectionStatus(isReachable: true, interfaceType: .other),
                ConnectionStatus(isReachable: true, interfaceType: .loopback),
                ConnectionStatus(isReachable: true, interfaceType: .cellular, isUltraConstrained: true),
            ])
    }

    @Test func stoppedMonitorCanStartAgain() async throws {
        goOnline()
        let monitor = ConnectionMonitor()
        let first = try #require(FakePaths.newest)
        monitor.stopMonitoring()
        #expect(!FakePaths.isWatching(first))
        monitor.startMonitoring()
        let second = try #require(FakePaths.newest)
        #expect(first !== second)
        var news = monitor.statuses.makeAsyncIterator()
        while let status = await news.next(), status.interfaceType != .wifi {}
        #expect(monitor.interfaceType == .wifi)
        monitor.stopMonitoring()
        #expect(!FakePaths.isWatching(second))
    }

    @Test func deinitStopsTheMonitor() async throws {
        var source: NWPathMonitor?
        do {
            let monitor = ConnectionMonitor()
            source = FakePaths.newest
            #expect(monitor.isMonitoring)
        }
        let started = try #require(source)
        // A path that is being told holds the monitor as long as that takes.
        _ = try await waitUntil("the path monitor is cancelled") { FakePaths.isWatching(started) ? nil : true }
    }

    /// A path that was under way when the monitor was stopped is out of date.
    @Test func updatesAfterStopAreIgnored() async {
        for _ in 0..<20 {
            let monitor = ConnectionMonitor()
            FakePaths.change(to: NWPath(status: .unsatisfied))
            monitor.stopMonitoring()
            for _ in 0..<10 { await Task.yield() }
            #expect(monitor.status == .unknown)
        }
        goOnline()
    }

    // MARK: Who is asked before a request is sent, and where

    @Test func defaultMonitorRefusesNoRequest() async throws {
        defer { goOnline() }
        FakePaths.change(to: NWPath(status: .unsatisfied))
        for await status in ConnectionMonitor.shared.statuses where !status.isReachable { break }
        let transport = answering()
        let networking = Networking(transport: transport, connectionMonitor: .configured)
        let response: NetworkResponse<Data> = await networking.request(url: try address)
        #expect((response.failure, transport.exchanges.count) == (nil, 1))
        #expect(networking.connectionMonitor?.isReachable == false)
        // A given monitor does.
        let (url, given) = (
            try address, NetworkClient(transport: transport, connectionMonitor: ConnectionMonitor.shared)
        )
        let failure = await #expect(throws: NetworkFailure.self) {
            let _: Data = try await given.execute(URLRequest(url: url))
        }
        #expect((failure?.cause, transport.exchanges.count) == (.noInternetConnection, 1))
        let network = DownloadNetwork(ConnectionMonitor.shared, Downloader.Options(), url: url)
        #expect(throws: NetworkError.noInternetConnection) { try network.checkStart() }
    }

    @Test func watchRefusesNoRequest() async throws {
        goOnline()
        let before = FakePaths.startCount
        let address = try address
        try await onWatch {
            let monitor = ConnectionMonitor()
            // A path monitor would have been heard by now.
            try await Task.sleep(nanoseconds: 20_000_000)
            #expect(monitor.status == .unknown && monitor.isReachable && monitor.isMonitoring)
            #expect(FakePaths.startCount == before)
            let transport = answering()
            let client = NetworkClient(transport: transport, connectionMonitor: monitor)
            let _: Data = try await client.execute(URLRequest(url: address))
            #expect(transport.exchanges.count == 1)
            try DownloadNetwork(monitor, Downloader.Options(), url: address).checkStart()
            monitor.stopMonitoring()
            monitor.startMonitoring()
            #expect(monitor.status == .unknown)
        }
    }

    @Test(.requires(.pythonPackages)) func watchWebSocketErrorNamesTheReason() async throws {
        let server = try await PythonWebSocketServer()
        let url = try server.url("echo")
        let failure = await onWatch { await webSocketFailure { _ = try await NetworkClient().webSocket(to: url) } }
        guard case .unsupported(let reason)? = failure?.cause else {
            Issue.record("The failure is \(String(describing: failure)).")
            return
        }
        #expect(reason.contains("watchOS") && reason.contains("TN3135"))
        #expect(server.log.filter { $0.hasPrefix("request") }.isEmpty)
        #expect(failure?.isRetryable == false)
        // On other systems it is there.
        let socket = try await NetworkClient().webSocket(to: url)
        await socket.close()
    }

    /// What `FakeSystem` blocks is what the system blocks: the traits alone are a watch whose app streams audio.
    @Test(.requires(.pythonPackages)) func watchAudioStreamingAppMayOpenAWebSocket() async throws {
        let server = try await PythonWebSocketServer()
        let url = try server.url("echo")
        var options = WebSocket.Options()
        options.usesLowLevelNetworkingOnWatchOS = true
        let socket = try await SystemTraits.$current.withValue(.watchOS) {
            try await NetworkClient().webSocket(to: url, options: options)
        }
        await socket.close()
    }

    @Test func watchReconnectingWebSocketDoesNotRetry() async throws {
        let url = try #require(URL(string: "wss://example.com/feed"))
        let failure = await onWatch {
            let socket = NetworkClient().reconnectingWebSocket(to: url)
            return await webSocketFailure { for try await _ in socket.messages {} }
        }
        #expect(failure?.code == "unsupported")
    }

    @Test func watchSocketErrorNamesTheReason() async throws {
        let page = try address
        await onWatch {
            let error = #expect(throws: NetTestingError.self) { _ = try MockServer() }
            guard case .unavailable(let reason)? = error else {
                Issue.record("The error is \(String(describing: error)).")
                return
            }
            #expect(reason.contains("TN3135"))
            let step = OAuthClient.WebStep.loopback { _ in Issue.record("There must be no page.") }
            let refusal = await #expect(throws: OAuthError.self) { _ = try await step.callback { _ in page } }
            #expect(refusal?.code == "unsupported")
        }
    }
}

private func answering() -> StubTransport {
    StubTransport { request, _, _ in TransportResponse(status: 200, url: request.url) }
}

/// A watch: what the system does, and what our code is told of it.
private func onWatch<Result: Sendable>(_ body: @Sendable () async throws -> Result) async rethrows -> Result {
    try await FakeSystem.$current.withValue(.watchOS) {
        try await SystemTraits.$current.withValue(.watchOS) { try await body() }
    }
}
