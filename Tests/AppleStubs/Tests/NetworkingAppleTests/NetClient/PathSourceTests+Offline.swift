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

private func answering() -> StubTransport {
    StubTransport { request, _, _ in TransportResponse(status: 200, url: request.url) }
}

/// A watch: what the system does, and what our code is told of it.
private func onWatch<Result: Sendable>(_ body: @Sendable () async throws -> Result) async rethrows -> Result {
    try await FakeSystem.$current.withValue(.watchOS) {
        try await SystemTraits.$current.withValue(.watchOS) { try await body() }
    }
}

/// Who is asked before a request is sent, and where.
extension PathSourceTests {
    private var address: URL { get throws { try #require(URL(string: "https://api.example.com/users")) } }

    private func goOffline(_ monitor: ConnectionMonitor) async {
        FakePaths.change(to: NWPath(status: .unsatisfied))
        for await status in monitor.statuses where !status.isReachable { break }
    }

    private func goOnline() { FakePaths.change(to: NWPath(status: .satisfied, interfaces: [.wifi])) }

    @Test func defaultMonitorRefusesNoRequest() async throws {
        defer { goOnline() }
        await goOffline(.shared)
        let transport = answering()
        let networking = Networking(transport: transport, connectionMonitor: .configured)
        let response: NetworkResponse<Data> = await networking.request(url: try address)
        #expect((response.failure, transport.exchanges.count) == (nil, 1))
        #expect(networking.connectionMonitor?.isReachable == false)
    }

    @Test func givenMonitorRefusesOffline() async throws {
        defer { goOnline() }
        let monitor = ConnectionMonitor()
        await goOffline(monitor)
        let transport = answering()
        let client = NetworkClient(transport: transport, connectionMonitor: monitor)
        let request = URLRequest(url: try address)
        let failure = await #expect(throws: NetworkFailure.self) { let _: Data = try await client.execute(request) }
        #expect((failure?.cause, transport.exchanges.count) == (.noInternetConnection, 0))
    }

    @Test func transfersAreRefusedOffline() async throws {
        defer { goOnline() }
        let monitor = ConnectionMonitor()
        await goOffline(monitor)
        let network = DownloadNetwork(monitor, Downloader.Options(), url: try address)
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
