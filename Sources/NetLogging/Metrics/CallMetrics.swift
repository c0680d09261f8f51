public import NetCore

/// Where the time of one call went, and what it moved: the call as a whole, and each exchange with a server that it took.
///
/// No secret is in it: see ``SanitizationConfig``.
public struct CallMetrics: Sendable, Hashable, Identifiable {
    /// How a call ended.
    public enum Outcome: Sendable, Hashable {
        /// With a response of that status.
        case status(Int)
        /// With an error: see ``NetworkError/code``.
        case failure(code: String)
        /// It was cancelled.
        case cancelled
    }

    /// The call.
    public let id: RequestID
    /// The method with which it started.
    public let method: String
    /// The URL with which it started.
    public let url: String
    /// The host of that URL; empty if there is none.
    public let host: String
    /// When it started.
    public let start: Date
    /// Seconds until the response's body was read to its end, or let go of, or the call failed.
    public let duration: TimeInterval
    /// Seconds until the response's head was there, or the call failed.
    public let timeToHead: TimeInterval
    /// How it ended.
    public let outcome: Outcome
    /// What was sent and received: attempts, redirects, hedges, in the order in which they began. Empty if a cache answered.
    public let exchanges: [CallMetrics.Exchange]
    /// Why it was sent again, where it was.
    public let retries: [RetryTrace.Retry]
    /// What the cache did; nil if there is none.
    public let cache: CallMetrics.CacheState?

    /// Bytes of request bodies, of all exchanges.
    public var bytesSent: Int64 { exchanges.reduce(0) { $0.addingUpToMaximum($1.bytesSent) } }
    /// Bytes of response bodies on the wire, of all exchanges.
    public var bytesReceived: Int64 { exchanges.reduce(0) { $0.addingUpToMaximum($1.bytesReceived) } }
    /// Whether it ended with an error, or a status from 400.
    public var isFailure: Bool {
        switch outcome {
        case .status(let status): status >= 400
        case .failure: true
        case .cancelled: false
        }
    }
}

extension CallMetrics {
    /// Where the time of one exchange went. Times are durations in seconds; what did not happen or is not known is nil.
    public struct Exchange: Sendable, Hashable {
        /// How many times the request had been sent before.
        public let attempt: Int
        /// The method.
        public let method: String
        /// The URL.
        public let url: String
        /// Seconds from the start of the call to its start.
        public let start: TimeInterval
        /// Waiting in the client: for a place, for credentials, for a connection.
        public let queue: TimeInterval
        /// Looking up the address.
        public let nameLookup: TimeInterval?
        /// Opening the connection, without the TLS handshake.
        public let connect: TimeInterval?
        /// The TLS handshake.
        public let secureConnect: TimeInterval?
        /// From the request's first byte to that of the response.
        public let firstByte: TimeInterval?
        /// From the response's first byte to its last.
        public let transfer: TimeInterval?
        /// All of it, without ``queue``.
        public let total: TimeInterval
        /// Bytes of the request's body.
        public let bytesSent: Int64
        /// Bytes of the response's body on the wire.
        public let bytesReceived: Int64
        /// Whether the connection had been used before.
        public let isReusedConnection: Bool?
        /// The version of HTTP; nil without a response.
        public let version: HTTPVersion?
        /// The address of the peer.
        public let remoteAddress: String?
        /// The status; nil without a response.
        public let status: Int?
        /// The error, if it failed: see ``NetworkError/code``.
        public let errorCode: String?
    }

    /// What a cache on this side did with a call, by its `Cache-Status` (RFC 9211).
    public enum CacheState: Hashable, Sendable, CustomStringConvertible {
        /// The response was stored; the server was not asked.
        case hit
        /// The response was stored, and the server said that it is still good.
        case revalidated
        /// The server answered, for that reason: `uri-miss`, `stale`, `request` …
        case forwarded(reason: String)

        /// By the last member of a `Cache-Status` field, which is that of the nearest cache; nil if it says neither.
        public init?(cacheStatus: String) {
            let member = cacheStatus.split(separator: ",").last ?? ""
            let parameters = member.split(separator: ";").dropFirst().map { String($0.trimmingHTTPWhitespace) }
            if parameters.contains("hit") {
                self = .hit
            } else if let forward = parameters.first(where: { $0.hasPrefix("fwd=") }) {
                let reason = String(forward.dropFirst(4))
                guard reason.isHTTPToken else { return nil }
                let isGood = parameters.contains("fwd-status=304")
                self = isGood ? .revalidated : .forwarded(reason: reason)
            } else {
                return nil
            }
        }

        init?(_ response: TransportResponse) {
            guard let value = response.headers["Cache-Status"], let state = Self(cacheStatus: value) else { return nil }
            self = state
        }

        /// `hit`, `revalidated`, or the reason.
        public var description: String {
            switch self {
            case .hit: "hit"
            case .revalidated: "revalidated"
            case .forwarded(let reason): reason
            }
        }
    }
}

extension CallMetrics.Exchange {
    init(_ record: ExchangeRecord, callStart: TimeInterval, end: TimeInterval, redactor: Redactor) {
        let metrics = record.response?.metrics ?? TransportMetrics()
        /// From one moment to a later one; nil unless both are known.
        func between(_ first: TimeInterval?, _ second: TimeInterval?) -> TimeInterval? {
            guard let first, let second else { return nil }
            return max(0, second - first)
        }
        attempt = record.attempt
        method = record.request.httpMethod ?? "GET"
        url = record.request.url.map(redactor.text(of:)) ?? ""
        start = record.start - callStart
        // A connection that was there already is waited for until the request can be sent.
        let wait = metrics.isReusedConnection == true ? metrics.requestStart ?? 0 : 0
        queue = max(0, record.start - record.ready) + wait
        nameLookup = metrics.nameLookup
        connect = between(metrics.nameLookup ?? 0, metrics.connect)
        secureConnect = between(metrics.connect, metrics.secureConnect)
        firstByte = between(metrics.requestStart ?? metrics.secureConnect ?? metrics.connect ?? 0, metrics.firstByte)
        transfer = between(metrics.firstByte, metrics.total)
        total = max(0, (metrics.total ?? (record.end ?? end) - record.start) - wait)
        bytesSent = metrics.bytesSent
        bytesReceived = metrics.bytesReceived
        isReusedConnection = metrics.isReusedConnection
        version = record.response?.version
        remoteAddress = metrics.remoteAddress
        status = record.response?.status
        errorCode = record.error.map {
            $0.isCancellation ? NetworkError.cancelled.code : NetworkError(mapping: $0).code
        }
    }
}

extension Int64 {
    /// What somebody's transport reports may be anything.
    fileprivate func addingUpToMaximum(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(Swift.max(0, other))
        return overflows ? .max : sum
    }
}

extension Error {
    var isCancellation: Bool {
        switch self {
        case is CancellationError: true
        case let error as NetworkError: error.isCancellation
        case let failure as NetworkFailure: failure.isCancellation
        default: false
        }
    }
}
