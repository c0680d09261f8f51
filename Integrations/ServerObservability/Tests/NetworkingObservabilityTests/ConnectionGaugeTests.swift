import CoreMetrics
import MetricsTestKit
import NetClient
import NetCore
import NetTesting
import NetworkingObservability
import Testing

/// The gauges of connections and of requests in line.
@Suite(.timeLimit(.minutes(2))) struct ConnectionGaugeTests {
    private let metrics = TestMetrics()

    /// A transport that tells what a test says.
    private final class Telling: HTTPTransport {
        let statistics: Locked

        final class Locked: @unchecked Sendable {
            private let lock = NSLock()
            private var value: [ConnectionStatistics]? = []
            func set(_ new: [ConnectionStatistics]?) { lock.withLock { value = new } }
            func get() -> [ConnectionStatistics]? { lock.withLock { value } }
        }

        init(_ statistics: Locked) { self.statistics = statistics }

        func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
            TransportResponse(status: 200, url: request.url)
        }

        func connectionStatistics() -> [ConnectionStatistics]? { statistics.get() }
    }

    /// `active`, `idle`, opening connections and waiting requests of a server; nil for what was not recorded.
    private func values(_ address: String, port: String? = "443") -> [Double?] {
        func value(_ name: String, _ state: String?) -> Double? {
            let found = metrics.meters(label: name).filter { meter in
                func label(_ name: String) -> String? { meter.dimensions.first { $0.0 == name }?.1 }
                return label("server.address") == address && label("server.port") == port
                    && label("http.connection.state") == state
            }
            #expect(found.count <= 1)
            return found.first?.lastValue
        }
        return [
            value("http.client.open_connections", "active"), value("http.client.open_connections", "idle"),
            value("networking.client.opening_connections", nil), value("networking.client.waiting_requests", nil),
        ]
    }

    private func one(_ host: String, open: Int = 3) -> ConnectionStatistics {
        ConnectionStatistics(
            origin: "https://\(host):443", openConnections: open, idleConnections: 1, openingConnections: 4,
            runningExchanges: 5, waitingExchanges: 6)
    }

    @Test func eachServerHasItsGauges() {
        let statistics = Telling.Locked()
        let gauges = ConnectionGauges(
            of: NetworkClient(transport: Telling(statistics)), metrics: .factory(metrics), maximumServers: 2)
        gauges.record()
        #expect(metrics.meters.isEmpty)
        statistics.set([one("a.example"), one("b.example", open: 1)])
        gauges.record()
        #expect(values("a.example") == [2, 1, 4, 6])
        #expect(values("b.example") == [0, 1, 4, 6])
        // Closed ones are zero; those beyond the limit are one.
        statistics.set([one("b.example"), one("c.example"), one("d.example", open: 2)])
        gauges.record()
        #expect(values("a.example") == [0, 0, 0, 0])
        #expect(values("b.example") == [2, 1, 4, 6])
        #expect(values("c.example") == [nil, nil, nil, nil])
        #expect(values("_OTHER", port: nil) == [3, 2, 8, 12])
        statistics.set(nil)
        gauges.record()
        #expect(values("b.example") == [2, 1, 4, 6])
    }

    @Test func aRealClient() async throws {
        let server = try MockServer { _ in .ok }
        let client = NetworkClient(baseURL: server.url)
        let gauges = ConnectionGauges(of: client, metrics: .factory(metrics))
        _ = try await client.data(for: URLRequest(url: server.url("/")))
        gauges.record()
        #if os(Linux)
            #expect(values("127.0.0.1", port: "\(server.port)") == [0, 1, 0, 0])
        #endif
        await client.shutdown()
        gauges.record()
        #if os(Linux)
            #expect(values("127.0.0.1", port: "\(server.port)") == [0, 0, 0, 0])
        #endif
        await server.stop()
    }

    @Test func recordsUntilItIsCancelled() async throws {
        let statistics = Telling.Locked()
        statistics.set([one("a.example")])
        let clock = TestClock()
        var configuration = NetworkClient.Configuration()
        configuration.transport = Telling(statistics)
        configuration.clock = clock
        let gauges = ConnectionGauges(of: NetworkClient(configuration: configuration), metrics: .factory(metrics))
        let run = Task { try await gauges.run(every: 10) }
        try await clock.waitForSleepers()
        #expect(values("a.example") == [2, 1, 4, 6])
        statistics.set([one("a.example", open: 9)])
        await clock.advance(by: 10)
        try await clock.waitForSleepers()
        #expect(values("a.example") == [8, 1, 4, 6])
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    @Test func nothingWithoutAMetricsSystem() {
        let statistics = Telling.Locked()
        statistics.set([one("a.example")])
        ConnectionGauges(of: NetworkClient(transport: Telling(statistics)), metrics: .off).record()
        #expect(metrics.meters.isEmpty)
    }
}
