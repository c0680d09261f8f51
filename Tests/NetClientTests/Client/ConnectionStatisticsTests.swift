import NetClient
import NetTesting
import Testing

/// What a client tells of the connections of its transport.
@Suite struct ConnectionStatisticsTests {
    private struct Telling: HTTPTransport {
        func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
            answer()
        }

        func connectionStatistics() -> [ConnectionStatistics]? {
            [ConnectionStatistics(origin: "https://a.example:443", openConnections: 2)]
        }
    }

    @Test func theTransportTells() {
        let client = NetworkClient(transport: Telling())
        #expect(client.connectionStatistics() == Telling().connectionStatistics())
        #expect(client.with { $0.timeoutInterval = 1 }.connectionStatistics()?.count == 1)
    }

    @Test func aTransportThatCannotTell() {
        #expect(NetworkClient(transport: StubTransport()).connectionStatistics() == nil)
        #expect(NetworkClient(transport: URLSessionTransport()).connectionStatistics() == nil)
    }
}
