public import NetCore

/// Lets identical requests that are under way at the same time share one exchange: whoever asks for what is being fetched waits for
/// that answer.
///
/// ```swift
/// let client = NetworkClient(callInterceptors: [RequestCoalescer()])
/// ```
///
/// - **What is shared:** GET, HEAD and OPTIONS without a body, whose response is wanted whole (``ResponseDelivery/collected(limit:)``) and
///   whose caller wants no progress. A body that is read as a stream cannot be read by several.
/// - **What has to be the same:** the pipeline, method, URL (scheme and host in any case, default port or none, no fragment), all header
///   fields except those in `ignoredHeaders`, the timeout, the priority, what interceptors' keys hold in the context,
///   ``RequestContext/identity``, and the authentication provider that the call brought along. A call whose identity is unknown, or that
///   holds a value that is not `Hashable`, is sent by itself.
/// - **Whose answer:** if an interceptor further in added credentials and does not say whose they are (``CredentialOwner``), the answer is
///   given to the call that began the exchange only: users may have changed in between. The others are then sent by themselves, and
///   from then on those to that host do not wait first. `sharesUnnamedCredentials` is for a client that serves one user all its life.
/// - **Cancelling** a call ends that call at once and no other. With its last one the exchange is cancelled, too.
/// - **An error** is every waiter's. Only who has more time than the call that began the exchange begins anew when that runs out.
///
/// Each gets a response of its own; ``TransportResponse/metrics`` and ``TransportResponse/attempt`` are those of the one exchange.
public final class RequestCoalescer: HTTPInterceptor {
    /// Header fields that tell calls apart and make no difference to the answer: the default of `ignoredHeaders`.
    public static let tracingHeaders = ["traceparent", "tracestate", "X-Request-ID", "X-Correlation-ID"]

    /// False: a connection belongs to one caller.
    public var handlesUpgrades: Bool { false }

    private struct State {
        var exchanges = SharedExchanges()
        /// Where credentials were found that nobody named.
        var unnamed: Set<Origin> = []
    }

    private let ignoredHeaders: [String]
    private let sharesUnnamedCredentials: Bool
    private let state = Locked(State())

    /// A coalescer.
    ///
    /// - Parameters:
    ///   - ignoredHeaders: header fields in which shared requests may differ. The first one's are sent.
    ///   - sharesUnnamedCredentials: whether answers to credentials that are added further in are shared although nothing says whose they
    ///     are.
    public init(
        ignoredHeaders: [String] = RequestCoalescer.tracingHeaders, sharesUnnamedCredentials: Bool = false
    ) {
        self.ignoredHeaders = ignoredHeaders
        self.sharesUnnamedCredentials = sharesUnnamedCredentials
    }

    /// How many exchanges are under way that can be joined.
    public var inFlightCount: Int { state.withLock(\.exchanges.count) }

    /// How many calls wait for those, the ones that began them included.
    public var waitingCount: Int { state.withLock(\.exchanges.waitingCount) }

    /// Waits for the same request's answer if there is one under way, and sends this one if not.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        // What gets new credentials must not wait for an exchange that may be waiting for them.
        guard !RefreshScope.isActive, let key = ExchangeKey(request, next, ignoring: ignoredHeaders),
            !isKnownToBeUnnamed(key)
        else { return try await next(request) }
        while true {
            switch try await answer(key, request, next) {
            case .response(let response): return response
            case .alone: return try await next(request)
            case .again: continue
            }
        }
    }

    // MARK: Waiting

    private func answer(_ key: ExchangeKey, _ request: URLRequest, _ next: Next) async throws -> SharedAnswer {
        let id = state.withLock { $0.exchanges.nextID() }
        guard next.context.deadline != nil else { return try await wait(id, key, request, next, joins: true) }
        // Who begins an exchange gives it its own deadline, and needs no alarm beside it.
        if case .response(let response) = try await wait(id, key, request, next, joins: false) {
            return .response(response)
        }
        let answer = try await next.context.waitUntilDeadline { [self] in
            try await wait(id, key, request, next, joins: true)
        }
        guard let answer else { throw Self.deadlineFailure(of: request, next.context) }
        return answer
    }

    private func wait(
        _ id: UInt64, _ key: ExchangeKey, _ request: URLRequest, _ next: Next, joins: Bool
    ) async throws -> SharedAnswer {
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let waiter = SharedExchanges.Waiter(
                    id: id, deadline: next.context.deadline, continuation: continuation)
                // A cancellation is seen here, or finds the waiter: `onCancel` runs only after the flag is set.
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

    /// In a task of its own, since the call that began it may be cancelled while others wait.
    private func start(_ id: UInt64, _ key: ExchangeKey, _ request: URLRequest, _ next: Next) {
        let task = startAtOnce { [self] in
            let result = await Self.exchange(request, next)
            finish(id, key, request, next.context, result)
        }
        if !state.withLock({ $0.exchanges.attach(task, to: id, key) }) { task.cancel() }
    }

    private static func exchange(_ request: URLRequest, _ next: Next) async -> Result<TransportResponse, any Error> {
        do {
            var response = try await next(request)
            guard response.body.data == nil, case .collected(let limit) = next.context.delivery else {
                return .success(response)
            }
            do {
                response.body = HTTPBody(try await response.body.collect(upTo: limit))
            } catch  where !(error is CancellationError) {
                throw NetworkFailure(
                    wrapping: error, request: response.request,
                    response: ResponseSnapshot(statusCode: response.status, headers: response.headers),
                    timestamp: next.context.clock.now, retryAttempt: response.attempt)
            }
            return .success(response)
        } catch {
            return .failure(error)
        }
    }

    private func finish(
        _ id: UInt64, _ key: ExchangeKey, _ request: URLRequest, _ context: RequestContext,
        _ result: Result<TransportResponse, any Error>
    ) {
        let isUnnamed = key.identity.name == nil && !sharesUnnamedCredentials && Self.hasHiddenOwner(result, request)
        let isForAll = !isUnnamed && (sharesUnnamedCredentials || !Self.hasOtherOwner(result, key))
        let exchange = state.withLock { state -> SharedExchanges.Exchange? in
            if isUnnamed {
                // A host that is forgotten costs its next callers one wait.
                if state.unnamed.count >= 1_024 { state.unnamed = [] }
                state.unnamed.insert(key.origin)
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

    /// Whether the exchange failed only because the call that began it was in a greater hurry than this one.
    private static func isTimeLeft(
        _ waiter: SharedExchanges.Waiter, after error: any Error, of exchange: SharedExchanges.Exchange
    ) -> Bool {
        guard let limit = exchange.deadline, waiter.deadline ?? .infinity > limit else { return false }
        guard NetworkError(mapping: error) == .timeout else { return false }
        let code = (error as? NetworkFailure)?.transportError?.code
        return code == nil || code == .totalTimeout
    }

    // MARK: Whose answer

    private func isKnownToBeUnnamed(_ key: ExchangeKey) -> Bool {
        guard key.identity.name == nil, !sharesUnnamedCredentials else { return false }
        return state.withLock { !$0.unnamed.isEmpty && $0.unnamed.contains(key.origin) }
    }

    /// Whether the request went out with a credential that was added further in by something that does not say whose it is.
    private static func hasHiddenOwner(
        _ result: Result<TransportResponse, any Error>, _ request: URLRequest
    ) -> Bool {
        guard case .success(let response) = result else { return false }
        return !response.unownedAdditions(to: request).isEmpty
    }

    /// Whether the request went out for another owner than it had here: with a refreshed token, for instance. That says nothing of the
    /// calls to come.
    private static func hasOtherOwner(_ result: Result<TransportResponse, any Error>, _ key: ExchangeKey) -> Bool {
        guard case .success(let response) = result, let sent = response.prepared?.identity else { return false }
        return sent != key.identity
    }
}
