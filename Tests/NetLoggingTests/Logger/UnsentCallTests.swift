import NetClient
import NetLogging
import NetTesting
import Testing

/// A call that was put together and never sent is told to the logger of the client.
@Suite struct UnsentCallTests {
    private struct GetUser: Endpoint {
        var path: String { "/users/1" }
        var method: HTTPMethod { .get }
        typealias Response = EmptyResponse
    }

    private struct Lab: NetworkEnvironment { let baseURL: URL }

    @Test func isLogged() async throws {
        let sink = RecordingSink()
        let logger = NetworkLogger(sinks: [sink])
        let client = NetworkClient(
            environment: Lab(baseURL: try #require(URL(string: "https://a.example"))),
            transport: StubTransport(.failure(URLError(.unknown))),
            callInterceptors: [LoggingInterceptor(logger: logger)])
        _ = client.request(GetUser()).timeout(3)
        await logger.flush()
        #expect(sink.events.map(\.level) == [.warning])
        let message = try #require(sink.events.first?.visibleMessage)
        #expect(message.hasPrefix("GET https://a.example/users/1 was released without"))
    }
}
