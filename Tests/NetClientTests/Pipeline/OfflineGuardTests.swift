import NetClient
import NetTesting
import TestLab
import Testing

@Suite struct OfflineGuardTests {
    private let offline = MockConnectionMonitor(isReachable: false)

    @Test func offlineCallFailsWithoutSending() async throws {
        let transport = StubTransport()
        let client = NetworkClient(
            retryPolicy: RetryPolicy(maxRetries: 3), transport: transport, connectionMonitor: offline)
        let failure = try await failure { try await client.response(for: request()) }
        #expect(failure.cause == .noInternetConnection && failure.kind == .noConnection)
        #expect(failure.request?.url?.host == "a.example" && failure.retryAttempt == nil && transport.exchanges.isEmpty)
    }

    @Test func callsFollowTheMonitor() async throws {
        let monitor = MockConnectionMonitor()
        let client = NetworkClient(transport: StubTransport { _, _, _ in answer() }, connectionMonitor: monitor)
        #expect(try await client.response(for: request()).status == 200)
        monitor.isReachable = false
        await #expect(throws: NetworkFailure.self) { try await client.response(for: request()) }
        monitor.isReachable = true
        #expect(try await client.response(for: request()).status == 200)
    }

    @Test(arguments: ["http://localhost:8080/", "http://127.0.0.1/", "http://[::1]/", "http://app.localhost/"])
    func loopbackNeedsNoNetwork(_ url: String) async throws {
        let client = NetworkClient(transport: StubTransport { _, _, _ in answer() }, connectionMonitor: offline)
        #expect(try await client.response(for: request(url)).status == 200)
    }

    @Test func redirectFromLoopbackNeedsTheNetwork() async throws {
        let transport = StubTransport(.success(answer(302, headers: ["Location": "http://a.example/"])))
        let client = NetworkClient(transport: transport, connectionMonitor: offline)
        let failure = try await failure { try await client.response(for: request("http://localhost/")) }
        #expect(failure.cause == .noInternetConnection)
    }

    @Test func cacheAnswersOffline() async throws {
        struct Cache: HTTPCaching {
            func invalidate(for request: URLRequest) async {}
            func invalidateAll() async {}
            func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
                answer(200, "stored")
            }
        }
        let client = NetworkClient(cache: Cache(), transport: StubTransport(), connectionMonitor: offline)
        #expect(try await client.response(for: request()).body.data == Data("stored".utf8))
    }
}
