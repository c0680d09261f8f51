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
        for transport in [StubTransport(), URLSessionTransport()] as [any HTTPTransport] {
            #expect(NetworkClient(transport: transport).connectionStatistics() == nil)
        }
    }
}
