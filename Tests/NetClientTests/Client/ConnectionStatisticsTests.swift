import NetClient
import NetTesting
import Testing

@Suite struct ConnectionStatisticsTests {
    private struct Counting: HTTPTransport {
        func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
            answer()
        }

        func connectionStatistics() -> [ConnectionStatistics]? {
            [ConnectionStatistics(origin: "https://a.example:443", openConnections: 2)]
        }
    }

    @Test func statisticsAreThoseOfTheTransport() {
        let client = NetworkClient(transport: Counting())
        #expect(client.connectionStatistics() == Counting().connectionStatistics())
        #expect(client.with { $0.timeoutInterval = 1 }.connectionStatistics()?.count == 1)
    }

    @Test func statisticsOfATransportWithoutThemAreNil() {
        #expect(NetworkClient(transport: StubTransport()).connectionStatistics() == nil)
        #expect(NetworkClient(transport: URLSessionTransport()).connectionStatistics() == nil)
    }
}
