/// Observes calls: the start and end of each exchange with a server, and each retry.
///
/// Use it for metrics, tracing and logs, which see every attempt and change none. To *change* something, write an ``HTTPInterceptor``.
/// An interceptor also attaches an observer to a call:
///
/// ```swift
/// struct Observing: HTTPInterceptor {
///     let observer: any NetworkEventObserver
///
///     func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
///         var next = next
///         next.context.observers.append(observer)
///         return try await next(request)
///     }
/// }
/// let client = NetworkClient(callInterceptors: [Observing(observer: myObserver)])
/// ```
///
/// In `callInterceptors:` it sees all attempts, redirects and retries of a call.
public protocol NetworkEventObserver: Sendable {
    /// Handles an event. It is called on the request's path, so return quickly.
    func observe(_ event: NetworkEvent)
}

/// An event of a call.
///
/// It holds the request and the response unredacted, **including secrets**. Show their ``RequestSnapshot`` and ``ResponseSnapshot`` instead.
public struct NetworkEvent: Sendable {
    /// The kinds of events. More are added in minor versions.
    public enum Kind: Sendable {
        /// The transport is about to send a request, with everything that interceptors added.
        case sending(URLRequest, body: HTTPBody?)
        /// The transport received a response, whose body may still be arriving. Do not read the body: it belongs to the caller.
        case responded(TransportResponse)
        /// The transport failed with a ``NetworkFailure`` or `CancellationError`.
        case failed(any Error)
        /// The request will be sent again, after ``RetryTrace/Retry/delay``.
        case retrying(RetryTrace.Retry)
        /// A remark for the client's user, such as credentials that a redirect dropped or a response that cannot be stored. The text names
        /// fields and hosts, and holds no secret.
        case notice(String)
    }

    public let requestID: RequestContext.ID
    /// How many times the request had been sent before.
    public let attempt: Int
    /// The exchange's number, unique in the process, which distinguishes concurrent exchanges (hedging). Nil for ``Kind/retrying(_:)``
    /// and ``Kind/notice(_:)``.
    public let exchange: UInt64?
    public let date: Date
    /// The time for measurements: ``NetworkClock/uptime`` of the call's clock.
    public let uptime: TimeInterval
    public let kind: Kind

    public init(_ kind: Kind, exchange: UInt64? = nil, context: RequestContext) {
        requestID = context.id
        attempt = context.attempt
        self.exchange = exchange
        date = context.clock.now
        uptime = context.clock.uptime
        self.kind = kind
    }

    private static let lastExchange = Locked(UInt64(0))

    /// Returns the number of a new exchange.
    package static func nextExchange() -> UInt64 {
        lastExchange.withLock { last in
            last += 1
            return last
        }
    }
}

extension RequestContext {
    /// Sends the event to the observers.
    package func notify(_ kind: @autoclosure () -> NetworkEvent.Kind, exchange: UInt64? = nil) {
        guard !observers.isEmpty else { return }
        let event = NetworkEvent(kind(), exchange: exchange, context: self)
        for observer in observers { observer.observe(event) }
    }
}
