import CoreMetrics
public import NetClient
import NetCore

/// Gauges of a client's connections and of its requests in line, for each server: see ``NetworkClient/connectionStatistics()``.
///
/// ```swift
/// let gauges = ConnectionGauges(of: client)
/// try await gauges.run(every: 10)
/// ```
///
/// A server whose connections have closed is recorded with zeros.
public final class ConnectionGauges: Sendable {
    private let client: NetworkClient
    private let metrics: Observability.MetricsDestination
    private let maximumServers: Int
    private let known = Guarded<[Server: Instruments]>([:])

    /// - Parameters:
    ///   - client: the client. Clients that share its transport have the same connections, so record one of them only.
    ///   - metrics: the destination.
    ///   - maximumServers: the most servers that get their own `server.address`, 100 by default; at least 0. Further servers share the value
    ///     `_OTHER`.
    public init(
        of client: NetworkClient, metrics: Observability.MetricsDestination = .system, maximumServers: Int = 100
    ) {
        self.client = client
        self.metrics = metrics
        self.maximumServers = maximumServers
    }

    /// Records the gauges until the task is cancelled, by the clock of the client.
    ///
    /// - Parameter interval: the seconds between two records; at least 0.1.
    /// - Throws: `CancellationError`.
    public func run(every interval: TimeInterval = 10) async throws {
        while true {
            record()
            try await client.clock.sleep(for: interval > 0.1 ? interval : 0.1)
        }
    }

    /// Records the gauges once. Does nothing without a metrics system, and for a transport that cannot tell, such as `URLSessionTransport`.
    public func record() {
        guard let factory = metrics.current, let statistics = client.connectionStatistics() else { return }
        known.withLock { known in
            var sums: [Server: Sums] = known.mapValues { _ in Sums() }
            for origin in statistics {
                var server = Server(origin: origin.origin)
                if sums[server] == nil, server.port != nil, sums.keys.count(where: { $0.port != nil }) >= maximumServers
                {
                    server = Server(otherWith: server.scheme)
                }
                sums[server, default: Sums()].add(origin)
            }
            for (server, sum) in sums {
                let instruments = known[server] ?? Instruments(server, factory)
                known[server] = instruments
                instruments.record(sum)
            }
        }
    }

    /// The numbers of one server.
    private struct Sums {
        var active = 0
        var idle = 0
        var opening = 0
        var waiting = 0

        mutating func add(_ statistics: ConnectionStatistics) {
            active += statistics.openConnections - statistics.idleConnections
            idle += statistics.idleConnections
            opening += statistics.openingConnections
            waiting += statistics.waitingExchanges
        }
    }

    private struct Instruments {
        let active: Meter
        let idle: Meter
        let opening: Meter
        let waiting: Meter

        init(_ server: Server, _ factory: any MetricsFactory) {
            func meter(_ name: String, state: String? = nil) -> Meter {
                let labels = server.labels + (state.map { [(Attribute.connectionState, $0)] } ?? [])
                return Meter(label: name, dimensions: labels, factory: factory)
            }
            active = meter(Metric.openConnections, state: "active")
            idle = meter(Metric.openConnections, state: "idle")
            opening = meter(Metric.openingConnections)
            waiting = meter(Metric.waitingRequests)
        }

        func record(_ sums: Sums) {
            active.set(Int64(sums.active))
            idle.set(Int64(sums.idle))
            opening.set(Int64(sums.opening))
            waiting.set(Int64(sums.waiting))
        }
    }
}
