public import NetCore

/// The durations and sizes of one call, in total and for each exchange with a server.
///
/// They contain no secrets: see ``SanitizationConfig``.
public struct CallMetrics: Sendable, Hashable, Identifiable {
    /// The end of a call.
    public enum Outcome: Sendable, Hashable {
        /// A response with that status.
        case status(Int)
        /// An error: see ``NetworkError/errorType``.
        case failure(code: String)
        case cancelled
    }

    public let id: RequestContext.ID
    /// The method of the first request.
    public let method: String
    /// The URL of the first request.
    public let url: String
    /// The host of that URL; empty if there is none.
    public let host: String
    /// The time when the call started.
    public let start: Date
    /// Seconds until the caller had read or released the response's body, or the call failed.
    public let duration: TimeInterval
    /// Seconds until the response's head arrived, or the call failed.
    public let timeToHead: TimeInterval
    public let outcome: Outcome
    /// The attempts, redirects and hedges, in the order in which they started. Empty if a cache answered.
    public let exchanges: [CallMetrics.Exchange]
    /// The reasons of the retries.
    public let retries: [RetryTrace.Retry]
    /// The result of the cache, or nil if there is none.
    public let cache: CallMetrics.CacheState?

    /// Bytes of request bodies, of all exchanges.
    public var bytesSent: Int64 { exchanges.reduce(0) { $0.addingUpToMaximum($1.bytesSent) } }
    /// Bytes of response bodies on the wire, of all exchanges.
    public var bytesReceived: Int64 { exchanges.reduce(0) { $0.addingUpToMaximum($1.bytesReceived) } }
    /// Whether the call ended with an error, or a status from 400.
    public var isFailure: Bool {
        switch outcome {
        case .status(let status): status >= 400
        case .failure: true
        case .cancelled: false
        }
    }

    /// The durations of one exchange, in seconds. A step that did not happen, or is unknown, is nil.
    public struct Exchange: Sendable, Hashable {
        /// The number of times the request had been sent before.
        public let attempt: Int
        public let method: String
        public let url: String
        /// Seconds from the start of the call to the start of the exchange.
        public let start: TimeInterval
        /// Waiting in the client for a place, for credentials, or for a connection.
        public let queue: TimeInterval
        /// The lookup of the address.
        public let nameLookup: TimeInterval?
        /// Opening the connection, without the TLS handshake.
        public let connect: TimeInterval?
        public let secureConnect: TimeInterval?
        /// From the request's first byte to the response's first byte.
        public let firstByte: TimeInterval?
        /// From the response's first byte to its last.
        public let transfer: TimeInterval?
        /// The whole exchange, without ``queue``.
        public let total: TimeInterval
        /// Bytes of the request's body.
        public let bytesSent: Int64
        /// Bytes of the response's body on the wire.
        public let bytesReceived: Int64
        /// Whether the connection had been used before.
        public let isReusedConnection: Bool?
        /// The HTTP version; nil without a response.
        public let version: HTTPVersion?
        public let remoteAddress: String?
        /// The connection with its TLS, as far as the transport knows it.
        public let connection: TransportResponse.Connection?
        /// The status; nil without a response.
        public let status: Int?
        /// The error, if the exchange failed or its body could not be read to the end: see ``NetworkError/errorType``.
        public let errorCode: String?
    }

    /// The result of the client's cache for a call, by its `Cache-Status` (RFC 9211).
    public enum CacheState: Hashable, Sendable, CustomStringConvertible {
        /// A stored response, without asking the server.
        case hit
        /// A stored response that the server validated.
        case revalidated
        /// A response of the server, for that reason: `uri-miss`, `stale`, `request` …
        case forwarded(reason: String)

        /// Reads the last member of a `Cache-Status` field, which is that of the nearest cache. Nil for other contents.
        public init?(cacheStatus: String) {
            let member = cacheStatus.split(separator: ",").last ?? ""
            let parameters = member.split(separator: ";").dropFirst().map { String($0.trimmingHTTPWhitespace) }
            let reason = parameters.first { $0.hasPrefix("fwd=") }.map { String($0.dropFirst(4)) }
            if parameters.contains("hit") {
                self = .hit
            } else if let reason, reason.isHTTPToken {
                self = parameters.contains("fwd-status=304") ? .revalidated : .forwarded(reason: reason)
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
        let metrics = record.response?.metrics ?? TransportResponse.Metrics()
        func between(_ first: TimeInterval?, _ second: TimeInterval?) -> TimeInterval? {
            guard let first, let second else { return nil }
            return max(0, second - first)
        }
        attempt = record.attempt
        method = record.request.httpMethod ?? "GET"
        url = record.request.url.map(redactor.text(of:)) ?? ""
        start = record.start - callStart
        // The request waited for an existing connection until it could be sent.
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
        connection = record.response?.connection
        status = record.response?.status
        errorCode = record.error.map { NetworkError($0).errorType }
    }
}

extension Int64 {
    /// A custom transport may report any number.
    fileprivate func addingUpToMaximum(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(Swift.max(0, other))
        return overflows ? .max : sum
    }
}
