public import NetCore

extension CallMetrics {
    /// Adds up the metrics of calls: counts, bytes and percentiles, in total and for each host. Its memory does not grow with the number of calls.
    public final class Summary: MetricsObserver {
        /// The totals of several calls.
        public struct Aggregate: Sendable, Hashable {
            /// The number of calls.
            public internal(set) var calls = 0
            /// The number of calls that ended with an error, or a status from 400.
            public internal(set) var failures = 0
            /// The number of cancelled calls.
            public internal(set) var cancellations = 0
            /// The number of retries, by reason.
            public internal(set) var retries: [RetryTrace.Reason: Int] = [:]
            /// The number of calls that a cache answered without the server.
            public internal(set) var cacheHits = 0
            /// The number of exchanges with a server.
            public internal(set) var exchanges = 0
            /// The number of exchanges on a connection that had been used before.
            public internal(set) var reusedConnections = 0
            /// Bytes of request bodies.
            public internal(set) var bytesSent: Int64 = 0
            /// Bytes of response bodies on the wire.
            public internal(set) var bytesReceived: Int64 = 0
            /// The calls, to the end of the body.
            public internal(set) var duration = Histogram()
            /// The exchanges: waiting in the client.
            public internal(set) var queue = Histogram()
            /// The exchanges that looked up an address.
            public internal(set) var nameLookup = Histogram()
            /// The exchanges that opened a connection.
            public internal(set) var connect = Histogram()
            /// The exchanges with a TLS handshake.
            public internal(set) var secureConnect = Histogram()
            /// The exchanges: to the first byte.
            public internal(set) var firstByte = Histogram()
            /// The exchanges: from the first byte to the last.
            public internal(set) var transfer = Histogram()

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

        /// Creates an empty summary.
        ///
        /// - Parameter maximumHostCount: the number of hosts to count separately. Further hosts count in ``total`` only.
        public init(maximumHostCount: Int = 100) { self.maximumHostCount = max(0, maximumHostCount) }

        /// Adds a call.
        public func record(_ call: CallMetrics) {
            state.withLock { state in
                state.total.add(call)
                guard state.hosts[call.host] != nil || state.hosts.count < maximumHostCount else { return }
                state.hosts[call.host, default: Aggregate()].add(call)
            }
        }

        /// The totals of all calls.
        public var total: Aggregate { state.withLock(\.total) }

        /// Returns the totals of a host, as spelled in ``CallMetrics/host``; nil if the summary has no calls or too many other hosts.
        public func aggregate(for host: String) -> Aggregate? { state.withLock { $0.hosts[host] } }

        /// The hosts that are counted separately, sorted.
        public var hosts: [String] { state.withLock { $0.hosts.keys.sorted() } }

        /// Removes all calls.
        public func reset() { state.withLock { $0 = State() } }
    }
}

/// Receives the metrics of each call after its end.
///
/// ```swift
/// struct SlowCalls: MetricsObserver {
///     func record(_ call: CallMetrics) {
///         if call.duration > 2 { print("\(call.id) took \(call.duration) s: \(call.exchanges)") }
///     }
/// }
/// ```
public protocol MetricsObserver: Sendable {
    /// Receives the metrics of one call. The reader of the response calls it, so it must be quick.
    func record(_ call: CallMetrics)
}

/// Measures each call and notifies observers, such as a ``CallMetrics/Summary``.
///
/// ```swift
/// let summary = CallMetrics.Summary()
/// let client = NetworkClient(callInterceptors: [MetricsInterceptor(observers: [summary])])
/// // later
/// print(summary.total.duration.percentile(0.95) as Any)
/// ```
///
/// Place it among `callInterceptors:`, where it sees all attempts and redirects of a call. A call with a streamed body ends with the stream.
public struct MetricsInterceptor: HTTPInterceptor, CredentialFreeInterceptor {
    private let observers: [any MetricsObserver]
    private let sanitization: SanitizationConfig

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - observers: the receivers of the metrics.
    ///   - sanitization: the secrets to leave out of URLs.
    public init(observers: [any MetricsObserver], sanitization: SanitizationConfig = .default) {
        self.observers = observers
        self.sanitization = sanitization
    }

    /// Sends the request and measures it. Changes neither request nor response nor error.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await CallTrace.follow(request, next) { [observers, sanitization] call in
            let metrics = call.metrics(sanitization.redactor)
            for observer in observers { observer.record(metrics) }
        }
    }
}

extension CallMetrics.Summary {
    /// A distribution of durations: percentiles with an error of at most 5 %, in constant memory.
    ///
    /// It counts in classes from a microsecond to about three hours, each 5 % longer than the one before.
    public struct Histogram: Sendable, Hashable {
        private static let shortest: TimeInterval = 1e-6
        private static let ratio: Double = 1.05
        private static let classCount = 480

        private var counts: [Int] = []
        /// The number of durations.
        public private(set) var count = 0
        /// Their sum, in seconds.
        public private(set) var sum: TimeInterval = 0
        /// The longest, in seconds; zero if there is none.
        public private(set) var maximum: TimeInterval = 0

        public init() {}

        /// Adds a duration in seconds. A negative one and NaN count as zero.
        public mutating func add(_ duration: TimeInterval) {
            let duration = duration > 0 ? min(duration, Self.longest) : 0
            // Allocated when needed: most hosts never see a TLS handshake.
            if counts.isEmpty { counts = [Int](repeating: 0, count: Self.classCount) }
            counts[Self.index(of: duration)] += 1
            count += 1
            sum += duration
            maximum = max(maximum, duration)
        }

        /// The mean, in seconds, or nil if there is none.
        public var mean: TimeInterval? { count == 0 ? nil : sum / Double(count) }

        /// Returns the duration in seconds that this fraction of all durations does not exceed, or nil if there is none.
        ///
        /// - Parameter fraction: from 0 to 1: 0.5 for the median, 0.99 for all but the slowest hundredth.
        public func percentile(_ fraction: Double) -> TimeInterval? {
            guard count > 0, !fraction.isNaN else { return nil }
            let rank = max(1, (Double(count) * min(max(fraction, 0), 1)).rounded(.up))
            var seen = 0
            for (index, number) in counts.enumerated() {
                seen += number
                if Double(seen) >= rank { return min(Self.upperBound(of: index), maximum) }
            }
            return maximum
        }

        private static let longest = shortest * pow(ratio, Double(classCount - 2))

        private static func index(of duration: TimeInterval) -> Int {
            guard duration > shortest else { return 0 }
            return min(classCount - 1, Int((log(duration / shortest) / log(ratio)).rounded(.up)))
        }

        private static func upperBound(of index: Int) -> TimeInterval { shortest * pow(ratio, Double(index)) }
    }
}
