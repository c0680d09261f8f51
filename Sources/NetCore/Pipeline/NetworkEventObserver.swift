/// Observes calls: the start and end of each exchange with a server, and each retry.
///
/// Use it for metrics, tracing and logs. To *change* something, write an ``HTTPInterceptor``, which also attaches an observer to a call:
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
    /// Handles an event, on the request's path: return quickly. ``NetworkEvent/Kind/step(_:)`` is told on the thread of the transport's requests.
    func observe(_ event: NetworkEvent)

    /// Whether the observer wants ``NetworkEvent/Kind/step(_:)``, which is told only if one does. True by default.
    var observesSteps: Bool { get }
}

extension NetworkEventObserver { public var observesSteps: Bool { true } }

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
        /// A remark, such as that a redirect dropped credentials or that a response cannot be stored. It names fields and hosts, and holds no secret.
        case notice(String)
        /// The exchange has reached a step, told while it happens: after ``sending(_:body:)``, and mostly before ``responded(_:)``.
        case step(NetworkEvent.Step)
    }

    /// The steps of an exchange, in their order. More are added in minor versions.
    ///
    /// On Linux all of them are live. An exchange on an open connection has only the last two. If several addresses are tried, or the transport opens
    /// a second connection for the exchange, steps of connecting are told again. `URLSession` shows the last two only, and ``requestSent`` only of a
    /// request with a body; ``TransportResponse/metrics`` has the times of the others afterwards, on Apple's systems.
    public enum Step: Hashable, Sendable {
        /// The name lookup has ended. Of a proxy, it is the proxy's name.
        case nameLookedUp
        /// A connection to the address is being opened, such as `"192.0.2.1:443"`.
        case connecting(to: String)
        /// The connection is open, through a proxy if there is one. A transport that cannot speak HTTP/2 tells it together with ``secured(_:)``.
        case connected
        /// The TLS handshake is complete, and the trust policy has not been asked yet.
        case secured(TransportResponse.Connection)
        /// The request was handed to the system, with its body. It is left out if the response begins earlier.
        case requestSent
        /// The first line of the response was received. Interim responses (1xx) do not count.
        case firstByteReceived
    }

    public let requestID: RequestContext.ID
    /// How many times the request had been sent before.
    public let attempt: Int
    /// The exchange's number, unique in the process (hedging runs several). Nil for ``Kind/retrying(_:)`` and a client's ``Kind/notice(_:)``.
    public let exchange: UInt64?
    public let date: Date
    /// The time for measurements: ``NetworkClock/uptime`` of the call's clock.
    public let uptime: TimeInterval
    public let kind: Kind
    /// The part of the SDK that a notice is of, for the category of its log message.
    package let part: Part?

    /// The parts of the SDK that have a log category of their own.
    package enum Part: String, Sendable { case cache, credentials, retry, transfer, transport }

    public init(_ kind: Kind, exchange: UInt64? = nil, context: RequestContext) {
        self.init(kind, of: nil, exchange: exchange, context: context)
    }

    init(_ kind: Kind, of part: Part?, exchange: UInt64? = nil, context: RequestContext) {
        self.part = part
        requestID = context.id
        attempt = context.attempt
        self.exchange = exchange ?? context.pipeline.exchange
        date = context.clock.now
        uptime = context.clock.uptime
        self.kind = kind
    }

    static let lastExchange = Locked(UInt64(0))
}

/// An observer that writes each ``NetworkEvent/Kind/notice(_:)`` to a log.
package protocol NoticeLog: NetworkEventObserver {}

extension RequestContext {
    /// Sends a notice to the observers, and to the log of the process if no observer logs it.
    package func notifyAndLog(_ notice: String, of part: NetworkEvent.Part) {
        notify(.notice(notice), of: part)
        if !observers.contains(where: { $0 is any NoticeLog }) { ProcessLog.write(notice) }
    }

    package func notify(_ kind: @autoclosure () -> NetworkEvent.Kind, of part: NetworkEvent.Part? = nil) {
        guard !observers.isEmpty else { return }
        let event = NetworkEvent(kind(), of: part, context: self)
        for observer in observers { observer.observe(event) }
    }

    /// Sends a step of the exchange to the observers that want it. Transports call it with the context that they were given.
    public func report(_ step: NetworkEvent.Step) { stepReport?(step) }

    /// Sends steps to the observers that want them, or nil if none does.
    package var stepReport: (@Sendable (NetworkEvent.Step) -> Void)? {
        guard !observers.isEmpty else { return nil }
        let interested = observers.filter(\.observesSteps)
        guard !interested.isEmpty else { return nil }
        return { step in
            let event = NetworkEvent(.step(step), context: self)
            for observer in interested { observer.observe(event) }
        }
    }
}
