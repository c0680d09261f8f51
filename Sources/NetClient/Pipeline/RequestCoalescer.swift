/// Shares one exchange between identical requests that are in flight at the same time.
///
/// ```swift
/// let client = NetworkClient(callInterceptors: [RequestCoalescer()])
/// ```
///
/// - **Shared:** GET, HEAD and OPTIONS without a body and without progress, whose response is collected
///   (``RequestContext/Delivery/collected(limit:)``). A streamed body has one reader.
/// - **Identical:** the pipeline, method, URL (scheme and host in any case, default port or none, no fragment), all header fields except
///   `traceparent`, `tracestate`, `X-Request-ID` and `X-Correlation-ID`, the timeout, the priority, the context's values of interceptors,
///   ``RequestContext/identity``, and the call's own authentication provider. A call whose identity is unknown, or with a value in its
///   context that is not `Hashable`, is sent alone.
/// - **Users:** if an inner interceptor added credentials without a ``CredentialOwner``, only the call that began the exchange gets the answer,
///   since users may have changed meanwhile. The others are then sent alone, and later requests to that host do not wait first.
///   `sharesUnnamedCredentials` is for a client that serves one user all its life.
/// - **Cancelling** a call ends that call at once, and no other. With the last call, the exchange is cancelled too.
/// - **An error** is for all waiters. If the call that began the exchange runs out of time, a waiter with more time starts again.
///
/// Each call gets a response of its own. ``TransportResponse/metrics`` and ``TransportResponse/attempt`` are those of the one exchange.
public final class RequestCoalescer: HTTPInterceptor, CredentialFreeInterceptor {
    /// False: a connection belongs to one caller.
    public var handlesUpgrades: Bool { false }

    private struct State {
        var exchanges = SharedExchanges()
        /// The hosts whose requests got credentials without an owner.
        var unnamed: Set<Origin> = []
    }

    private let sharesUnnamedCredentials: Bool
    private let state = Locked(State())

    /// Creates a coalescer.
    ///
    /// - Parameter sharesUnnamedCredentials: whether an answer is shared although an inner interceptor added credentials without an owner.
    public init(sharesUnnamedCredentials: Bool = false) { self.sharesUnnamedCredentials = sharesUnnamedCredentials }

    /// The number of exchanges in flight.
    public var inFlightCount: Int { state.withLock(\.exchanges.count) }

    /// The number of calls that wait for them, including the calls that began them.
    public var waitingCount: Int { state.withLock(\.exchanges.waitingCount) }

    /// Waits for an identical request in flight, or sends this one.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        // A refresh of credentials must not wait for an exchange that may wait for the refresh.
        guard !RefreshScope.isActive, let key = ExchangeKey(request, next),
            !isKnownToBeUnnamed(key)
        else { return try await next(request) }
        let hashed = HashedExchangeKey(key)
        while true {
            switch try await answer(hashed, request, next) {
            case .response(let response): return response
            case .alone: return try await next(request)
            case .again: continue
            }
        }
    }

    // MARK: Waiting

    private func answer(_ key: HashedExchangeKey, _ request: URLRequest, _ next: Next) async throws -> SharedAnswer {
        let id = state.withLock { $0.exchanges.nextID() }
        guard next.context.deadline != nil else { return try await wait(id, key, request, next, joins: true) }
        // The call that begins an exchange gives it its own deadline, and needs no timer.
        if case .response(let response) = try await wait(id, key, request, next, joins: false) {
            return .response(response)
        }
        let answer = try await next.context.clock.run(for: next.context.timeRemaining) { [self] in
            try await wait(id, key, request, next, joins: true)
        }
        guard let answer else { throw Self.deadlineFailure(of: request, next.context) }
        return answer
    }

    private func wait(
        _ id: UInt64, _ key: HashedExchangeKey, _ request: URLRequest, _ next: Next, joins: Bool
    ) async throws -> SharedAnswer {
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let waiter = SharedExchanges.Waiter(id: id, deadline: next.context.deadline, continuation: continuation)
                // An earlier cancellation found no waiter and shows here. A later one finds the waiter.
                let entry = state.withLock { Task.isCancelled ? nil : $0.exchanges.enter(key, waiter, joins: joins) }
                switch entry {
                case .started: start(id, key, request, next)
                case .joined: break
                case .busy: continuation.resume(returning: .again)
                case nil: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            let (continuation, abandoned) = state.withLock { $0.exchanges.leave(key, id: id) }
            abandoned?.cancel()
            continuation?.resume(throwing: CancellationError())
        }
    }

    private static func deadlineFailure(of request: URLRequest, _ context: RequestContext) -> NetworkFailure {
        let message = "The call's deadline passed while it waited for an exchange that it shares with others."
        return NetworkFailure(
            wrapping: TransportError(.totalTimeout, phase: .preparing, message: message), request: request,
            timestamp: context.clock.now)
    }

    // MARK: The exchange

    /// Runs the exchange in a task of its own, since the call that began it may be cancelled while others wait.
    private func start(_ id: UInt64, _ key: HashedExchangeKey, _ request: URLRequest, _ next: Next) {
        let task = beginTask { [self] in
            let result = await Self.exchange(request, next)
            finish(id, key, request, next.context, result)
        }
        if !state.withLock({ $0.exchanges.attach(task, to: id, key) }) { task.cancel() }
    }

    private static func exchange(_ request: URLRequest, _ next: Next) async -> Result<TransportResponse, any Error> {
        do {
            var response = try await next(request)
            if response.body.data == nil, case .collected(let limit) = next.context.delivery {
                _ = try await response.collectBody(upTo: limit, clock: next.context.clock)
            }
            return .success(response)
        } catch {
            return .failure(error)
        }
    }

    private func finish(
        _ id: UInt64, _ key: HashedExchangeKey, _ request: URLRequest, _ context: RequestContext,
        _ result: Result<TransportResponse, any Error>
    ) {
        let response = try? result.get()
        // An inner interceptor added a credential without an owner.
        let isUnnamed =
            key.key.identity.name == nil && !sharesUnnamedCredentials
            && response?.unownedAdditions(to: request).isEmpty == false
        let isForAll = !isUnnamed && (sharesUnnamedCredentials || !Self.hasOtherOwner(response, key.key, context))
        let exchange = state.withLock { state -> SharedExchanges.Exchange? in
            if isUnnamed {
                // A removed host costs its next callers one wait.
                if state.unnamed.count >= 1_024 { state.unnamed = [] }
                state.unnamed.insert(key.key.origin)
            }
            return state.exchanges.finish(key, id: id)
        }
        guard let exchange else { return }
        for waiter in exchange.waiters {
            switch result {
            case _ where !isForAll && waiter.id != id: waiter.continuation.resume(returning: .alone)
            case .failure(let error) where Self.isTimeLeft(waiter, after: error, of: exchange):
                waiter.continuation.resume(returning: .again)
            default: waiter.continuation.resume(with: result.map { .response($0) })
            }
        }
    }

    /// Whether the exchange failed at the deadline of the call that began it, and this waiter has more time.
    private static func isTimeLeft(
        _ waiter: SharedExchanges.Waiter, after error: any Error, of exchange: SharedExchanges.Exchange
    ) -> Bool {
        guard let limit = exchange.deadline, waiter.deadline ?? .infinity > limit else { return false }
        guard NetworkError(error) == .timeout else { return false }
        let code = (error as? NetworkFailure)?.transportError?.code
        return code == nil || code == .totalTimeout
    }

    // MARK: Users

    private func isKnownToBeUnnamed(_ key: ExchangeKey) -> Bool {
        guard key.identity.name == nil, !sharesUnnamedCredentials else { return false }
        return state.withLock { !$0.unnamed.isEmpty && $0.unnamed.contains(key.origin) }
    }

    /// Whether the request was sent for another user than its key's, for example with a refreshed token. Later calls are not affected.
    private static func hasOtherOwner(
        _ response: TransportResponse?, _ key: ExchangeKey, _ context: RequestContext
    ) -> Bool {
        // The usual request is sent as prepared first.
        guard let sent = response?.pipeline.prepared, sent !== context.pipeline.prepared else { return false }
        return sent.identity != key.identity
    }
}
