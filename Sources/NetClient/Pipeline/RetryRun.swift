/// One call's way through its attempts.
struct RetryRun {
    let engine: RetryInterceptor
    let policy: RetryPolicy
    /// How many retries the call itself asks for.
    let retryCount: Int
    let request: URLRequest
    var next: Next

    /// How many times it was sent again because somebody wanted so: what hooks and policies are told.
    private(set) var retries = 0
    /// How long was waited before the last of these.
    private(set) var lastDelay: TimeInterval?
    private var hasReconnected = false
    /// How many attempts were made, less one.
    private var attempt = 0
    private var trace = RetryTrace()

    /// Of the body of a failed response that is read as a stream, hooks and policies see this much. The caller gets all of it.
    static let errorBodyLimit = 1 << 20

    init(engine: RetryInterceptor, policy: RetryPolicy, retryCount: Int, request: URLRequest, next: Next) {
        self.engine = engine
        self.policy = policy
        self.retryCount = retryCount
        self.request = request
        self.next = next
    }

    /// Sends the request until it succeeds or there is no reason to try again.
    ///
    /// - Parameter failure: what became of the first attempt, if that was made already.
    mutating func response(after failure: NetworkFailure? = nil) async throws -> TransportResponse {
        var outcome = if let failure { RetryOutcome(failure) } else { try await send() }
        while let failure = outcome.failure {
            let verdict: RetryVerdict
            do {
                verdict = try await self.verdict(on: outcome, failure)
            } catch {
                throw traced(error, after: failure)
            }
            guard case .again(let reason, let delay, let retryAfter) = verdict else {
                if case .stop(let end) = verdict { trace.end = end }
                break
            }
            if let remaining = next.context.timeRemaining, delay >= remaining {
                trace.end = .deadline
                break
            }
            guard next.body?.isReplayable ?? true else { throw notReplayable(after: failure) }
            if reason.needsBudget, let budget = engine.budget,
                !budget.takeRetry(at: next.context.clock.uptime)
            {
                trace.end = .budgetEmpty
                break
            }
            note(
                RetryTrace.Retry(after: failure, attempt: attempt, reason: reason, delay: delay, retryAfter: retryAfter)
            )
            try await engine.gate.sleep(for: delay, on: next.context.clock)
            attempt += 1
            if reason == .staleConnection {
                hasReconnected = true
            } else {
                retries += 1
                lastDelay = delay
            }
            outcome = try await send()
        }
        return try outcome.get(with: trace)
    }

    /// Whether the request is to be sent again at once, since the connection had gone before the request came. See
    /// ``RetryPolicy/reconnects``.
    func mayReconnect(after failure: NetworkFailure) -> Bool {
        policy.reconnects && !hasReconnected && failure.transportError?.mayReconnect == true
            && request.isIdempotent && next.body?.isReplayable ?? true
    }

    /// One attempt: a response, perhaps of a status that counts as a failure, or an error.
    private mutating func send() async throws -> RetryOutcome {
        next.context.attempt = attempt
        do {
            var response = try await next(request)
            trace.append(response.retryTrace)
            guard response.status >= 400 else { return RetryOutcome(response) }
            let data: Data
            if case .collected(let limit) = next.context.delivery {
                data = try await response.body.collect(upTo: limit)
                response.body = HTTPBody(data)
            } else {
                (data, response.body) = try await response.body.peek(upTo: Self.errorBodyLimit)
            }
            return RetryOutcome(
                response, NetworkFailure(response: response, data: data, timestamp: next.context.clock.now))
        } catch let error as CancellationError {
            throw error
        } catch {
            let failure = NetworkFailure(
                wrapping: error, request: request, timestamp: next.context.clock.now, retryAttempt: attempt)
            trace.append(failure.retryTrace)
            if failure.isCancellation { throw traced(failure, after: failure) }
            return RetryOutcome(failure)
        }
    }

    private mutating func note(_ retry: RetryTrace.Retry) {
        trace.retries.append(retry)
        next.context.notify(.retrying(retry))
        next.context[RetryTraceKey.self]?.withLock { $0.retries.append(retry) }
    }

    /// What a hook or a policy has thrown takes the failure's place.
    private func traced(_ error: any Error, after failure: NetworkFailure) -> any Error {
        if error is CancellationError { return error }
        var result =
            error as? NetworkFailure
            ?? NetworkFailure(
                cause: NetworkError(mapping: error), request: failure.request, response: failure.response,
                underlyingError: error is NetworkError ? nil : error, timestamp: next.context.clock.now,
                retryAttempt: attempt)
        result.retryTrace = trace
        return result
    }

    private func notReplayable(after failure: NetworkFailure) -> NetworkFailure {
        var result = NetworkFailure(
            cause: .bodyNotReplayable, request: failure.request, response: failure.response,
            underlyingError: failure.underlyingError ?? failure, timestamp: next.context.clock.now,
            retryAttempt: attempt)
        result.retryTrace = trace
        result.retryTrace.end = .bodyNotReplayable
        return result
    }
}

extension TransportError {
    /// Whether a connection that was there already turned out to be closed.
    fileprivate var mayReconnect: Bool {
        switch phase {
        case .preparing, .resolving, .connecting, .securing: false
        default: (isStaleConnection || isUnprocessed) && code != .shutDown
        }
    }
}
