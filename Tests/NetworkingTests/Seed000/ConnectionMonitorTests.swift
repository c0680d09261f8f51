import NetTesting
import Networking
import Testing

/// Seed 000, chapter Connection Monitor.
@Suite struct ConnectionMonitorTests {
    /// Section 1.
    @Test func quickStart() {
        let monitor = ConnectionMonitor()

        monitor.reachabilityChanged = { online in
            print("Network is now", online ? "🟢 ONLINE" : "🔴 OFFLINE")
        }

        monitor.startMonitoring()
        /// already called by init(), but explicit is fine
        #expect(monitor.isMonitoring)
        monitor.stopMonitoring()
    }

    /// Section 1, the second way.
    @Test func quickStartWithoutClosure() {
        let monitor = ConnectionMonitor()

        monitor.startMonitoring()
        /// already called by init(), but explicit is fine

        let isReachable = monitor.isReachable
        /// true or false
        #expect(isReachable == monitor.status.isReachable)
    }

    /// Section 2: "Throws `.noInternetConnection` before hit."
    @Test func requestWhileOffline() async throws {
        let transport = StubTransport()
        let networking = Networking(transport: transport, connectionMonitor: MockConnectionMonitor(isReachable: false))
        let url = try #require(URL(string: "https://a.example/"))
        let error = await #expect(throws: NetworkError.self) {
            let _: EmptyResponse = try await networking.request(url: url, retryCount: 2)
        }
        #expect(error == .noInternetConnection && transport.exchanges.isEmpty)
    }

    /// Section 2, the snippet inside a view-model.
    @Test @MainActor func viewModel() async throws {
        let server = try MockServer { _ in .json(text: "[]") }
        let model = FeedModel(feedURL: server.url("/feed"))
        model.monitor.stopMonitoring()
        await withCheckedContinuation { continuation in
            model.whenLoaded = { continuation.resume() }
            model.fetchFeed()
        }
        #expect(model.state == .loaded && server.requests.count == 1)
        await server.stop()
    }

    /// Section 6, `interfaceType`, is part of the monitor.
    @Test func interfaceType() {
        let type: ConnectionType = ConnectionMonitor.shared.interfaceType
        #expect(ConnectionType.allCases.contains(type))
    }
}

@MainActor
private final class FeedModel {
    enum State { case empty, offline, loaded }

    let monitor = ConnectionMonitor()
    let networking = Networking()
    let feedURL: URL
    var state = State.empty
    var whenLoaded: () -> Void = {}

    init(feedURL: URL) { self.feedURL = feedURL }

    func fetchFeed() {
        guard monitor.isReachable else {
            self.state = .offline
            return
        }
        networking.request(url: feedURL) { (response: NetworkResponse<[Int]>) in
            self.state = response.value == nil ? .empty : .loaded
            self.whenLoaded()
        }
    }
}
