public import NetCore

/// Adds up the metrics of calls: counts, bytes and percentiles, for all and for each host. Its memory does not grow with the number of calls.
public final class MetricsSummary: MetricsObserver {
    /// What many calls had in common.
    public struct Aggregate: Sendable, Hashable {
        /// Calls.
        public internal(set) var calls = 0
        /// Calls that ended with an error, or a status from 400.
        public internal(set) var failures = 0
        /// Calls that were cancelled.
        public internal(set) var cancellations = 0
        /// Times that a request was sent again, by its reason.
        public internal(set) var retries: [RetryTrace.Reason: Int] = [:]
        /// Calls that a cache answered without the server.
        public internal(set) var cacheHits = 0
        /// Exchanges with a server.
        public internal(set) var exchanges = 0
        /// Exchanges on a connection that had been used before.
        public internal(set) var reusedConnections = 0
        /// Bytes of request bodies.
        public internal(set) var bytesSent: Int64 = 0
        /// Bytes of response bodies on the wire.
        public internal(set) var bytesReceived: Int64 = 0
        /// Calls, to the end of the body.
        public internal(set) var duration = DurationHistogram()
        /// Exchanges: waiting in the client.
        public internal(set) var queue = DurationHistogram()
        /// Exchanges that looked up an address.
        public internal(set) var nameLookup = DurationHistogram()
        /// Exchanges that opened a connection.
        public internal(set) var connect = DurationHistogram()
        /// Exchanges with a TLS handshake.
        public internal(set) var secureConnect = DurationHistogram()
        /// Exchanges: to the first byte.
        public internal(set) var firstByte = DurationHistogram()
        /// Exchanges: from the first byte to the last.
        public internal(set) var transfer = DurationHistogram()

        mutating func add(_ call: CallMetrics) {
            calls += 1
            if call.isFailure { failures += 1 }
            if call.outcome == .cancelled { cancellations += 1 }
            if call.cache == .hit { cacheHits += 1 }
            for retry in call.retries { retries[retry.reason, default: 0] += 1 }
            bytesSent = bytesSent.addingReportingOverflow(call.bytesSent).partialValue
            bytesReceived = bytesReceived.addingReportingOverflow(call.bytesReceived).partialValue
            duration.add(call.duration)
            for exchange in call.exchanges {
                exchanges += 1
                if exchange.isReusedConnection == true { reusedConnections += 1 }
                queue.add(exchange.queue)
                if let time = exchange.nameLookup { nameLookup.add(time) }
                if let time = exchange.connect { connect.add(time) }
                if let time = exchange.secureConnect { secureConnect.add(time) }
                if let time = exchange.firstByte { firstByte.add(time) }
                if let time = exchange.transfer { transfer.add(time) }
            }
        }
    }

    private struct State {
        var total = Aggregate()
        var hosts: [String: Aggregate] = [:]
    }

    private let maximumHostCount: Int
    private let state = Locked(State())

    /// An empty summary.
    ///
    /// - Parameter maximumHostCount: hosts that are counted apart; those beyond are in ``total`` only.
    public init(maximumHostCount: Int = 100) {
        self.maximumHostCount = max(0, maximumHostCount)
    }

    /// Adds a call.
    public func record(_ call: CallMetrics) {
        state.withLock { state in
            state.total.add(call)
            guard state.hosts[call.host] != nil || state.hosts.count < maximumHostCount else { return }
            state.hosts[call.host, default: Aggregate()].add(call)
        }
    }

    /// All calls.
    public var total: Aggregate { state.withLock(\.total) }

    /// The calls to a host, as it stands in ``CallMetrics/host``; nil if there was none, or there were too many other hosts before.
    public func aggregate(for host: String) -> Aggregate? { state.withLock { $0.hosts[host] } }

    /// The hosts that are counted apart, sorted.
    public var hosts: [String] { state.withLock { $0.hosts.keys.sorted() } }

    /// Begins anew.
    public func reset() { state.withLock { $0 = State() } }
}
