/// Intercepts requests before the transport sends them, and responses before the caller receives them.
///
/// Change the request, call `next`, change the response. An interceptor that does not call `next` answers the request itself (a cache); one that
/// calls it several times repeats the request (a retry). This SDK's redirects, retries, caching, authentication and logging use this protocol.
///
/// **Order is the only setting.** The first interceptor of the list is outermost: it sees the request first and the response last.
///
/// ```swift
/// struct RequestIDInterceptor: HTTPInterceptor {
///     func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
///         var request = request
///         request.setValue(next.context.id.description, forHTTPHeaderField: "X-Request-ID")
///         return try await next(request)
///     }
/// }
/// ```
///
/// Throw any error; the client wraps it once. `next` throws a ``NetworkFailure`` with the request as sent, the error of a later interceptor, or
/// `CancellationError`; rethrow the last.
public protocol HTTPInterceptor: Sendable {
    /// Handles a request, whose body is in ``Next/body``. `next` is the rest of the pipeline.
    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse

    /// Whether the interceptor handles requests that upgrade their connection, such as a WebSocket handshake. True by default. Return
    /// false if it stores responses, shares them between callers or sends copies of a request: a connection has one owner.
    var handlesUpgrades: Bool { get }

    /// Whether the interceptor does anything. A client created while this is false omits it. True by default.
    var isActive: Bool { get }
}

extension HTTPInterceptor {
    public var handlesUpgrades: Bool { true }
    public var isActive: Bool { true }
}

/// The rest of the pipeline. Call it to send the request on.
public struct Next: Sendable {
    /// The request's body, or nil. Set it to send another.
    public var body: HTTPBody? {
        _read { yield step.value.body }
        _modify { yield &step.value.body }
    }

    /// The request's context. Interceptors after this one see changes.
    public var context: RequestContext {
        _read { yield step.value.context }
        _modify { yield &step.value.context }
    }

    /// Behind one reference, because most interceptors change none of it.
    private struct Step: Sendable {
        let chain: InterceptorChain
        var body: HTTPBody?
        var context: RequestContext
    }

    private var step: Boxed<Step>
    @inline(__always) private var chain: InterceptorChain { step.value.chain }
    private var index: Int

    package init(chain: InterceptorChain, index: Int = 0, body: HTTPBody?, context: RequestContext) {
        step = Boxed(Step(chain: chain, body: body, context: context))
        self.index = index
    }

    /// Sets ``body`` and ``context`` together: one after the other, the first would copy what the second replaces.
    package mutating func set(body: HTTPBody?, context: RequestContext) {
        step = Boxed(Step(chain: chain, body: body, context: context))
    }

    /// Creates a pipeline that ends in a closure, to test an interceptor alone.
    public init(
        body: HTTPBody? = nil, context: RequestContext = RequestContext(),
        transport: @escaping @Sendable (URLRequest, HTTPBody?, RequestContext) async throws -> TransportResponse
    ) {
        self.init(
            chain: InterceptorChain(interceptors: [], transport: ClosureTransport(send: transport)),
            body: body, context: context)
    }

    /// The interceptor that got this `next`, if it names the owner of its credentials in the list of a client.
    var owner: (any CredentialOwner)? { chain.owners.isEmpty || index == 0 ? nil : chain.owners[index - 1] }

    /// The interceptor that got this `next`, or nil if it is not in the list that a client's preparation knows.
    var preparedInterceptor: (any HTTPInterceptor)? {
        chain.isPrepared && index > 0 ? chain.interceptors[index - 1] : nil
    }

    /// Whether a cache is in the rest of the pipeline. True outside a client, where the pipeline may end in a closure with a cache.
    package var hasCache: Bool { chain.lastCache.map { $0 >= index } ?? !chain.isPrepared }
    /// What is known of interceptors that may add credentials without naming their owner. Nil if there are none.
    package var hiddenCredentials: HiddenCredentials? { chain.hiddenCredentials }

    /// The pipeline and the position in it. Two calls with the same place go the same way from here.
    package struct Place: Hashable, Sendable {
        fileprivate let chain: ObjectIdentifier
        fileprivate let index: Int
    }

    package var place: Place { Place(chain: ObjectIdentifier(chain), index: index) }

    /// Sends the request on, with ``body`` and ``context``, and returns the response.
    public func callAsFunction(_ request: URLRequest) async throws -> TransportResponse {
        var rest = self
        rest.endOwnedChanges(at: request)
        var passed: [(interceptor: any ImmediateInterceptor, ticket: Admission.Ticket)] = []
        do {
            try rest.passImmediateInterceptors(request, &passed)
            var response: TransportResponse
            if rest.index < chain.interceptors.count {
                var following = rest
                following.index += 1
                following.beginOwnedChanges(at: request)
                response = try await chain.interceptors[rest.index].intercept(request, next: following)
            } else {
                response = try await rest.send(request)
            }
            for (interceptor, ticket) in passed.reversed() { interceptor.receive(&response, to: request, ticket, self) }
            return response
        } catch {
            for (interceptor, ticket) in passed.reversed() { interceptor.receive(error, of: request, ticket, self) }
            throw error
        }
    }

    /// Goes on to the first interceptor that is not immediate or has to wait. Adds those to be told of the outcome to `passed`, in order.
    private mutating func passImmediateInterceptors(
        _ request: URLRequest, _ passed: inout [(interceptor: any ImmediateInterceptor, ticket: Admission.Ticket)]
    ) throws {
        let interceptors = chain.immediate
        guard index < interceptors.count, interceptors[index] != nil else { return }
        var asked = AdmissionRequest(request)
        for interceptor in interceptors[index...] {
            guard let interceptor, case .passes(let ticket) = try interceptor.admit(&asked, self) else { return }
            if let ticket { passed.append((interceptor, ticket)) }
            index += 1
        }
    }

    /// Sends the request through the transport. Only here is the request final, so errors and responses get it here.
    private func send(_ request: URLRequest) async throws -> TransportResponse {
        let context = try beginExchange(request)
        var response: TransportResponse
        do {
            response = try await chain.transport.send(request, body: body, context: context)
        } catch {
            throw Self.failure(of: error, request, context)
        }
        try Self.finishExchange(&response, request, context)
        chain.receive?(response, request)
        return response
    }

    // The steps of an exchange are functions of their own, and not inlined: what they need would lie in the frame of every call in flight.

    /// Returns the context of an exchange, and tells its observers.
    @inline(never)
    private func beginExchange(_ request: URLRequest) throws -> RequestContext {
        var context = context
        if context.isCancelled { throw CancellationError() }
        if !context.observers.isEmpty { context.pipeline.exchange = NetworkEvent.lastExchange.next() }
        if let body, var progress = context.progress {
            if let uncoded = body.uncoded {
                progress = uncoded.reports(to: progress)
                context.progress = progress
            }
            // Progress starts anew with each exchange.
            progress(RequestContext.Progress(bytesToSend: body.length))
        }
        context.notify(.sending(request, body: body))
        return context
    }

    @inline(never)
    private static func finishExchange(
        _ response: inout TransportResponse, _ request: URLRequest, _ context: RequestContext
    ) throws {
        if context.isCancelled { throw failure(of: CancellationError(), request, context) }
        response.request = request
        response.attempt = context.attempt
        response.pipeline.prepared = context.pipeline.prepared
        response.pipeline.ownedFields = context[OwnedFieldNamesKey.self]
        context.notify(.responded(response))
    }

    @inline(never)
    private static func failure(of error: any Error, _ request: URLRequest, _ context: RequestContext) -> any Error {
        let failure: any Error =
            error is CancellationError
            ? error
            : NetworkFailure(
                wrapping: error, request: request, timestamp: context.clock.now, retryAttempt: context.attempt)
        context.notify(.failed(failure))
        return failure
    }
}

extension UncodedBody {
    /// Turns a transport's reports of the compressed body into reports of this one, whose length the caller knows.
    fileprivate func reports(
        to progress: @escaping @Sendable (RequestContext.Progress) -> Void
    ) -> @Sendable (RequestContext.Progress) -> Void {
        { [self] report in
            var report = report
            if report.bytesSent > 0 {
                if let length = body.length, let coded = report.bytesToSend, coded > 0 {
                    let share = min(1, Double(report.bytesSent) / Double(coded))
                    report.bytesSent = Int64(exactly: (Double(length) * share).rounded(.down)) ?? length
                } else {
                    report.bytesSent = bytesRead
                }
            }
            report.bytesToSend = body.length
            progress(report)
        }
    }
}

/// The interceptors and the transport of a client, shared by all its calls.
package final class InterceptorChain: Sendable {
    package let interceptors: [any HTTPInterceptor]
    package let transport: any HTTPTransport
    /// Whether preparation calls the hooks of the list, and adds the credentials of its ``AuthInterceptor``s.
    fileprivate let isPrepared: Bool
    /// The index of the last cache, or nil if there is none.
    fileprivate let lastCache: Int?
    /// The interceptors of this kind, at their places in ``interceptors``.
    fileprivate let immediate: [(any ImmediateInterceptor)?]
    /// The interceptors of this kind, at their places in ``interceptors``. Empty if there are none, and outside of a client.
    fileprivate let owners: [(any CredentialOwner)?]
    /// Gets each response of the transport, with the request as sent.
    package let receive: (@Sendable (TransportResponse, URLRequest) -> Void)?
    /// Whether each part that waits, such as the transport or a limit, ends at the call's deadline by itself.
    package let keepsDeadlines: Bool
    /// Nil if there are no interceptors that may add credentials without naming their owner.
    fileprivate let hiddenCredentials: HiddenCredentials?

    package init(
        interceptors: [any HTTPInterceptor], transport: any HTTPTransport, isPrepared: Bool = false,
        hiddenCredentials: HiddenCredentials? = nil, keepsDeadlines: Bool = false,
        receive: (@Sendable (TransportResponse, URLRequest) -> Void)? = nil
    ) {
        self.interceptors = interceptors
        self.receive = receive
        self.keepsDeadlines = keepsDeadlines
        self.isPrepared = isPrepared
        self.hiddenCredentials = hiddenCredentials
        lastCache = interceptors.lastIndex { $0 is any HTTPCaching }
        immediate = interceptors.map { $0 as? any ImmediateInterceptor }
        let owners = interceptors.map { $0 as? any CredentialOwner }
        self.owners = isPrepared && owners.contains { $0 != nil } ? owners : []
        self.transport = transport
    }
}

private struct ClosureTransport: HTTPTransport {
    let send: @Sendable (URLRequest, HTTPBody?, RequestContext) async throws -> TransportResponse

    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        try await send(request, body, context)
    }
}

/// A cache in the pipeline: NetCache's, or your own.
///
/// It answers a request from the store, or sends it on and stores the response. It runs outside retry and authentication, so it must keep
/// users apart itself: its keys must include ``RequestContext/partition``, and the request's `Authorization` and `Cookie`.
public protocol HTTPCaching: HTTPInterceptor {
    /// Removes every stored response that could answer this request, of any user, so that the next such request goes to the server.
    func invalidate(for request: URLRequest) async

    /// Removes all stored responses.
    func invalidateAll() async
}

extension HTTPCaching {
    /// False: a connection cannot be stored.
    public var handlesUpgrades: Bool { false }
}

/// An interceptor that answers authentication challenges (RFC 9110, section 11): it tells the retry engine when to send again, and adds its answer.
package protocol ChallengeAnswering: HTTPInterceptor {
    /// Reads the challenge of a response of any status.
    ///
    /// - Parameter request: the request as sent.
    /// - Returns: whether the same request would now be sent with another answer.
    func canAnswer(_ response: TransportResponse, to request: URLRequest, context: RequestContext) -> Bool
}
