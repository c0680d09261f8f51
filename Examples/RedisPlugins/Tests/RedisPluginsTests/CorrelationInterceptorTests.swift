import NetClient
import NetCore
import NetTesting
import RedisPlugins
import Testing

struct CorrelationInterceptorTests {
    private let request: URLRequest

    init() throws {
        request = URLRequest(url: try #require(URL(string: "http://origin.example/")))
    }

    @Test func allAttemptsOfACallHaveOneIdentifierAndEachCallItsOwn() async throws {
        let transport = StubTransport { request, _, context in
            TransportResponse(status: context.attempt == 0 ? 503 : 200, url: request.url, body: .empty)
        }
        let client = NetworkClient(
            retryPolicy: .default, transport: transport, callInterceptors: [CorrelationInterceptor()],
            clock: TestClock(autoAdvance: true))
        for _ in 0..<2 { _ = try await client.send(request) }

        let ids = transport.exchanges.map { $0.request.value(forHTTPHeaderField: "X-Correlation-ID") }
        try #require(ids.count == 4)
        #expect(ids[0] != nil)
        #expect(ids[0] == ids[1])
        #expect(ids[2] == ids[3])
        #expect(ids[0] != ids[2])
    }

    @Test func passesOnTheIdentifierOfTheRequestBeingServed() async throws {
        let transport = StubTransport { request, _, _ in TransportResponse(status: 200, url: request.url, body: .empty)
        }
        let client = NetworkClient(
            transport: transport, callInterceptors: [CorrelationInterceptor(field: "X-Request-ID", makeID: { "made" })])
        var context = RequestContext()
        context.correlationID = "from-the-caller"
        _ = try await client.send(request, context: context)
        var request = request
        request.setValue("own", forHTTPHeaderField: "X-Request-ID")
        _ = try await client.send(request, context: context)
        #expect(
            transport.exchanges.map { $0.request.value(forHTTPHeaderField: "X-Request-ID") } == [
                "from-the-caller", "own",
            ])
    }

    @Test(arguments: ["", "a b", "x\r\nX-Admin: yes", "ü", String(repeating: "x", count: 129)])
    func doesNotPassOnWhatIsNoToken(_ incoming: String) async throws {
        let transport = StubTransport { request, _, _ in TransportResponse(status: 200, url: request.url, body: .empty)
        }
        let client = NetworkClient(
            transport: transport, callInterceptors: [CorrelationInterceptor(makeID: { "made" })])
        var context = RequestContext()
        context.correlationID = incoming
        _ = try await client.send(request, context: context)
        #expect(transport.exchanges.map { $0.request.value(forHTTPHeaderField: "X-Correlation-ID") } == ["made"])
    }
}
