enum RetryVerdict {
    case stop(RetryTrace.End?)
    case again(RetryTrace.Reason, after: TimeInterval, retryAfter: TimeInterval? = nil)
}

// The order of the decisions.
extension RetryRun {
    mutating func verdict(on outcome: RetryOutcome, _ failure: NetworkFailure) async throws -> RetryVerdict {
        if case .circuitOpen = failure.cause { return .stop(nil) }
        if !hasReconnected, runner.mayReconnect(after: failure, request, next) {
            return .again(.staleConnection, after: 0)
        }
        if let refusal = outcome.response, let reason = try await answer(to: refusal) {
            return .again(reason, after: 0)
        }
        if let refusal = outcome.response, mayUncompress(after: refusal) { return .again(.contentCoding, after: 0) }
        // A refusal below 400 that cannot be answered is an ordinary response.
        if let status = outcome.response?.status, status < 400 { return .stop(nil) }
        for hook in runner.hooks {
            switch try await hook.retry(unprepared, dueTo: failure.cause as any Error, currentRetryCount: retries) {
            case .doNotRetry: continue
            case .retry: return .again(.hook, after: 0)
            case .retryWithDelay(let seconds): return .again(.hook, after: seconds > 0 ? seconds : 0)
            case .retryWithExponentialBackoff(let backoff):
                return .again(.hook, after: backoff.delay(for: retries, random: runner.configuration.random()))
            }
        }
        // While offline, the offline policy decides.
        if failure.cause == .noInternetConnection, let offlineGuard = runner.offlineGuard {
            guard outcome.wasSent, offlineGuard.waits(after: failure), next.body?.isReplayable ?? true else {
                return .stop(nil)
            }
            let start = offlineSince ?? next.context.clock.uptime
            offlineSince = start
            let isWanted = try await offlineGuard.waitAgain(request, next.context, waits: offlineWaits, since: start)
            return isWanted ? .again(.offline, after: 0) : .stop(nil)
        }
        if retries < retryCount, failure.isRetryable {
            return paced(.retryCount, by: RetryPolicy.default.delay, outcome)
        }
        return try await policyVerdict(on: outcome, failure)
    }

    private func policyVerdict(on outcome: RetryOutcome, _ failure: NetworkFailure) async throws -> RetryVerdict {
        guard retries < policy.maxRetries else {
            // The policy is not asked beyond the limit.
            return .stop(retries > 0 && failure.isRetryable ? .limitReached : nil)
        }
        let isWanted: Bool
        if let decide = policy.decide {
            isWanted = try await decide(
                RetryPolicy.Proposal(
                    request: unprepared, failure: failure, response: outcome.response, attempt: retries,
                    authenticationProvider: runner.preparer.sources(for: request, next.context).first?.provider
                        ?? .none, clock: next.context.clock))
        } else {
            isWanted = policy.shouldRetry(failure)
        }
        guard isWanted else { return .stop(nil) }
        // Safe to send again: by its method, by its key, or since the server did not process it. A rule of the user's own is obeyed.
        guard
            !policy.respectsIdempotency || request.isIdempotent || request.hasIdempotencyKey
                || failure.transportError?.isUnprocessed == true
        else { return .stop(.notIdempotent) }
        return paced(.policy, by: policy.delay, outcome)
    }

    /// Retries by the schedule, but not before the time of `Retry-After`.
    private func paced(_ reason: RetryTrace.Reason, by delay: RetryPolicy.Delay, _ outcome: RetryOutcome)
        -> RetryVerdict
    {
        let seconds = delay.seconds(for: retries, previous: lastDelay, random: runner.configuration.random())
        guard let asked = outcome.response.flatMap({ RetryAfter.seconds(in: $0.headers, now: next.context.clock.now) })
        else { return .again(reason, after: seconds) }
        // A NaN maximum refuses every `Retry-After`.
        guard asked <= policy.maximumRetryAfter else { return .stop(.retryAfterTooLong(asked)) }
        let spread = asked * RetryAfter.jitter * runner.configuration.random()
        return .again(reason, after: max(seconds, asked + spread), retryAfter: asked)
    }
}

extension Runner {
    /// Whether to send a request again at once, since a reused connection was closed. See ``RetryPolicy/reconnects``.
    func mayReconnect(after failure: NetworkFailure, _ request: URLRequest, _ next: Next) -> Bool {
        policy(of: next.context).reconnects && failure.transportError?.mayReconnect == true
            && (request.isIdempotent || failure.transportError?.isUnprocessed == true)
            && next.body?.isReplayable ?? true
    }
}

extension TransportError {
    /// Whether a reused connection was closed, or the server did not process the request. An overloaded server is not asked again at once.
    fileprivate var mayReconnect: Bool {
        switch phase {
        case .preparing, .resolving, .connecting, .securing: false
        default: (isStaleConnection || isUnprocessed) && code != .shutDown && code != .enhanceYourCalm
        }
    }
}

// The key by which a server recognises a repeated POST (draft-ietf-httpapi-idempotency-key-header).
extension URLRequest {
    private static let keyField = "Idempotency-Key"

    var hasIdempotencyKey: Bool { value(forHTTPHeaderField: Self.keyField) != nil }

    /// Adds a unique key to a POST or PATCH without one. In quotes, as the draft's structured field requires.
    mutating func addIdempotencyKey() {
        guard httpMethod == "POST" || httpMethod == "PATCH", !hasIdempotencyKey else { return }
        setValue("\"\(UUID().uuidString.asciiLowercased)\"", forHTTPHeaderField: Self.keyField)
    }

    /// Takes over the key of the request before a redirect: for the server it is the same call.
    mutating func keepIdempotencyKey(of sent: URLRequest?) {
        guard !hasIdempotencyKey, let key = sent?.value(forHTTPHeaderField: Self.keyField) else { return }
        setValue(key, forHTTPHeaderField: Self.keyField)
    }

    var isIdempotent: Bool { HTTPMethod(rawValue: httpMethod ?? "GET").isIdempotent }
}

extension AuthInterceptor {
    /// The configuration of an interceptor outside of a client's list: a request is sent once more if its credentials are refused.
    private static let refreshing = {
        var configuration = NetworkClient.Configuration()
        configuration.retryPolicy.reconnects = false
        return configuration
    }()

    /// Sends the request on. For an interceptor in a client's list, preparation has added the credentials, and the client's retry engine
    /// handles a refusal. Another one, such as one inside an interceptor of your own, does both here.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard next.context[AuthenticationProviderKey.self] == nil, !next.isPrepared(self)
        else { return try await next(request) }
        let client = next.context.pipeline.preparer
        let preparer = RequestPreparer(
            Self.refreshing, nil, fields: client?.fields ?? .standard, sources: [self], interceptors: [],
            baseOrigin: client?.baseOrigin)
        var request = request
        var next = next
        // What others added must not pass for prepared.
        next.withholdAdditions(from: &request)
        let outer = next.context.pipeline.prepared
        next.context.pipeline.preparer = preparer
        let prepared = await preparer.prepare(request, body: next.body, context: next.context, isSending: false)
        next.context.pipeline.prepared = prepared
        let attempts = Runner.Attempts(runner: Runner(Self.refreshing, preparer: preparer, refreshesOnly: true))
        var response = try await attempts.intercept(prepared.request, next: next)
        // The client's own, so that its cache sees that credentials were added.
        response.pipeline.prepared = outer
        return response
    }
}
