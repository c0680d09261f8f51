/// Told what happens to calls on their way: each exchange with a server as it begins and ends, each retry as it is decided.
///
/// For metrics, tracing and logs, which have to see every attempt and change none. Whoever wants to *change* something writes an
/// ``HTTPInterceptor``; an interceptor is also what attaches an observer to a call:
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
/// Given to `callInterceptors:` it sees all attempts, redirects and retries of a call.
public protocol NetworkEventObserver: Sendable {
    /// Takes one event. It is called on the path of the request: be quick, and hand over what takes time.
    func observe(_ event: NetworkEvent)
}

/// Something that happened to a call. One value, so that more can be added without a change to observers.
///
/// It holds the request and the response as they are, **secrets included**: show ``RequestSnapshot`` and ``ResponseSnapshot`` of them.
public struct NetworkEvent: Sendable {
    /// What happened.
    public enum Kind: Sendable {
        /// A request goes to the transport, as it is, with what all interceptors have added.
        case sending(URLRequest, body: HTTPBody?)
        /// The transport gave a response; its body may still be coming. Do not read the body: it is the caller's.
        case responded(TransportResponse)
        /// The transport failed: with a ``NetworkFailure``, or `CancellationError`.
        case failed(any Error)
        /// The request will be sent again, after ``RetryTrace/Retry/delay``.
        case retrying(RetryTrace.Retry)
        /// Something that the user of the client should know: credentials that were left out of a redirect, a response that cannot be
        /// stored. The text names fields and hosts, and holds no secret.
        case notice(String)
    }

    /// The call.
    public let requestID: RequestID
    /// How many times the request had been sent before.
    public let attempt: Int
    /// Names the exchange, to tell those apart that go on at the same time (hedging): unique in the process. Nil for ``Kind/retrying(_:)``
    /// and ``Kind/notice(_:)``.
    public let exchange: UInt64?
    /// When.
    public let date: Date
    /// When, for measuring: ``NetworkClock/uptime`` of the call's clock.
    public let uptime: TimeInterval
    /// What.
    public let kind: Kind

    /// An event, as observers and their tests need it.
    public init(_ kind: Kind, exchange: UInt64? = nil, context: RequestContext) {
        requestID = context.id
        attempt = context.attempt
        self.exchange = exchange
        date = context.clock.now
        uptime = context.clock.uptime
        self.kind = kind
    }

    private static let lastExchange = Locked(UInt64(0))

    /// The next free name of an exchange.
    package static func nextExchange() -> UInt64 {
        lastExchange.withLock { last in
            last += 1
            return last
        }
    }
}

extension RequestContext {
    /// Tells the observers, if there are any.
    package func notify(_ kind: @autoclosure () -> NetworkEvent.Kind, exchange: UInt64? = nil) {
        guard !observers.isEmpty else { return }
        let event = NetworkEvent(kind(), exchange: exchange, context: self)
        for observer in observers { observer.observe(event) }
    }
}
