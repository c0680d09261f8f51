/// The retry engine. It sends a request again for a stale connection, for new credentials or the answer to a challenge, without a refused
/// content coding, for a hook, for the call's `retryCount`, or for the policy.
///
/// It asks the hooks of every ``RequestInterceptor`` in the client's list in order, and the first answer other than
/// ``RetryResult/doNotRetry`` counts. Then the call's `retryCount` decides, then the policy.
struct RetryInterceptor: HTTPInterceptor {
    let policy: RetryPolicy
    let hooks: [any RequestInterceptor]
    var answerers: [any ChallengeAnswering] = []
    /// Shared by all calls of the client; nil for no budget.
    var budget: RetryPolicy.Budget?
    let preparer: RequestPreparer
    /// Checks each later attempt; nil for a client that neither has a monitor nor waits to be online.
    var offlineGuard: OfflineGuard?
    /// Returns a number from 0 to 1 for jitter.
    var random: @Sendable () -> Double = { Double.random(in: 0...1) }
    /// Ends the sleep between attempts at a shutdown.
    var calls = InFlightCalls()

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        let ownPolicy = next.context[RetryPolicyKey.self]
        let policy = ownPolicy ?? self.policy
        let retryCount = next.context[RetryCountKey.self]
        var request = request
        if policy.addsIdempotencyKey { request.addIdempotencyKey() }
        budget?.noteCall(at: next.context.clock.uptime)
        let refusals = policy.refusals(isOfCall: ownPolicy != nil)
        // The usual call can be sent again for a stale connection only.
        let onlyReconnects =
            hooks.isEmpty && retryCount <= 0 && policy.maxRetries == 0 && answerers.isEmpty
            && next.context.prepared?.isReady ?? true && next.body?.uncoded == nil
            && !preparer.hasCredentials(next.context) && next.context[OfflineFailureKey.self] == nil

        // The first attempt is made here: only a call that fails needs the state of a run.
        var first = next
        if !onlyReconnects, first.context.attempt != 0 { first.context.attempt = 0 }
        let result: Result<TransportResponse, any Error>
        do {
            let ready = onlyReconnects ? request : try await ready(request, attempt: 0, &first)
            var response = try await first(ready)
            if onlyReconnects { return response }
            if response.status < 400, !refusals.contains(response.status) {
                var trace = RetryTrace()
                trace.append(response.retryTrace)
                response.retryTrace = trace
                return response
            }
            result = .success(response)
        } catch {
            result = .failure(error)
        }
        var run = RetryRun(
            engine: self, policy: policy, refusals: refusals, retryCount: retryCount, request: request, next: next)
        if onlyReconnects, case .failure(let error) = result {
            guard let failure = error as? NetworkFailure,
                run.mayReconnect(after: failure) || offlineGuard?.waits(after: failure) == true
            else { throw error }
        }
        // Consumed: a response that is kept would keep its connection.
        return try await run.response(after: consume result, of: first)
    }

    /// Returns the request of an attempt, with valid credentials. A later attempt is prepared again.
    ///
    /// - Parameters:
    ///   - attempt: the number of the attempt, from 0.
    ///   - next: gets the preparation of the attempt.
    /// - Throws: ``OfflineRefusal`` if the device is offline, or the error of the preparation.
    func ready(_ request: URLRequest, attempt: Int, _ next: inout Next) async throws -> URLRequest {
        if let failure = offlineGuard?.refusal(of: request, next.context, attempt: attempt) {
            throw OfflineRefusal(failure: failure)
        }
        guard let prepared = next.context.prepared else { return request }
        var isCurrent = attempt == 0 && !prepared.isDeferred
        if isCurrent, let error = prepared.error { throw error }
        for (index, source) in preparer.sources(for: prepared.request, next.context).enumerated() {
            let generation = prepared.generations.indices.contains(index) ? prepared.generations[index] : nil
            if try await !source.freshen(prepared, generation: generation, next.context) { isCurrent = false }
        }
        return isCurrent ? request : try await next.prepareAgain(request)
    }
}

/// The failure of an attempt that is not sent while the device is offline. It has no number, since nothing was sent.
struct OfflineRefusal: Error {
    let failure: NetworkFailure
}

extension RetryPolicy {
    private static let defaultReauthenticationStatuses: Set<Int> = [401]

    /// The statuses that refuse credentials. If a client's policy has none, it is 401. If a call's policy has none, there is none.
    func refusals(isOfCall: Bool) -> Set<Int> {
        isOfCall || !reauthenticationStatuses.isEmpty ? reauthenticationStatuses : Self.defaultReauthenticationStatuses
    }
}

/// The decision about a failed attempt.
enum RetryVerdict {
    case stop(RetryTrace.End?)
    case again(RetryTrace.Reason, after: TimeInterval, retryAfter: TimeInterval? = nil)
}

// The order of the decisions.
extension RetryRun {
    mutating func verdict(on outcome: RetryOutcome, _ failure: NetworkFailure) async throws -> RetryVerdict {
        if case .circuitOpen = failure.cause { return .stop(nil) }
        if mayReconnect(after: failure) { return .again(.staleConnection, after: 0) }
        if let refusal = outcome.response, let reason = try await answer(to: refusal) {
            return .again(reason, after: 0)
        }
        if let refusal = outcome.response, mayUncompress(after: refusal) { return .again(.contentCoding, after: 0) }
        // A refusal below 400 that cannot be answered is an ordinary response.
        if let status = outcome.response?.status, status < 400 { return .stop(nil) }
        for hook in engine.hooks {
            switch try await hook.retry(unprepared, dueTo: failure.cause as any Error, currentRetryCount: retries) {
            case .doNotRetry: continue
            case .retry: return .again(.hook, after: 0)
            case .retryWithDelay(let seconds): return .again(.hook, after: seconds > 0 ? seconds : 0)
            case .retryWithExponentialBackoff(let backoff):
                return .again(.hook, after: backoff.delay(for: retries, random: engine.random()))
            }
        }
        // While offline, the offline policy decides.
        if failure.cause == .noInternetConnection, let offlineGuard = engine.offlineGuard {
            guard outcome.wasSent, offlineGuard.waits(after: failure), next.body?.isReplayable ?? true else {
                return .stop(nil)
            }
            let start = offlineSince ?? next.context.clock.uptime
            offlineSince = start
            let isWanted = try await offlineGuard.waitAgain(
                request, next.context, waits: offlineWaits, since: start)
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
                    authenticationProvider: engine.preparer.sources(for: request, next.context).first?.provider
                        ?? .none,
                    clock: next.context.clock))
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
        let seconds = delay.seconds(for: retries, previous: lastDelay, random: engine.random())
        guard let asked = outcome.response.flatMap({ RetryAfter.seconds(in: $0.headers, now: next.context.clock.now) })
        else { return .again(reason, after: seconds) }
        // A NaN maximum refuses every `Retry-After`.
        guard asked <= policy.maximumRetryAfter else { return .stop(.retryAfterTooLong(asked)) }
        let spread = asked * RetryAfter.jitter * engine.random()
        return .again(reason, after: max(seconds, asked + spread), retryAfter: asked)
    }
}

extension RetryTrace.Reason {
    /// Whether the retry counts against the budget. An explicit one is never refused.
    var needsBudget: Bool {
        switch self {
        case .policy, .retryCount: true
        case .hook, .reauthentication, .challenge, .staleConnection, .contentCoding, .offline: false
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
    /// Sends the request on. For an interceptor in a client's list, preparation has added the credentials, and the client's retry engine
    /// handles a refusal. Another one, such as one inside an interceptor of your own, does both here.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard next.context[AuthenticationProviderKey.self] == nil, !next.isPrepared(self)
        else { return try await next(request) }
        let preparer = RequestPreparer(sources: [CredentialSource(self)])
        var request = request
        var next = next
        // What others added must not pass for prepared.
        next.withholdAdditions(from: &request)
        let outer = next.context.prepared
        next.context.preparer = preparer
        let prepared = await preparer.prepare(request, body: next.body, context: next.context, isSending: false)
        next.context.prepared = prepared
        let engine = RetryInterceptor(policy: RetryPolicy(maxRetries: 0), hooks: [], preparer: preparer)
        var response = try await engine.intercept(prepared.request, next: next)
        // The client's own, so that its cache sees that credentials were added.
        response.prepared = outer
        return response
    }
}
