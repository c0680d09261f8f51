import NetCore

/// The one retry engine: sends a request again when its credentials or a challenge's answer, a hook, the call's own count, or the policy
/// says so.
///
/// The hooks of every ``RequestInterceptor`` in the client's list are asked in order, and the first answer other than
/// ``RetryResult/doNotRetry`` stands. Then the call's `retryCount`, then the policy.
struct RetryInterceptor: HTTPInterceptor {
    let policy: RetryPolicy
    let hooks: [any RequestInterceptor]
    var answerers: [any ChallengeAnswering] = []
    /// Shared by all calls of the client; nil for none.
    var budget: RetryBudget?
    let preparer: RequestPreparer
    /// Asked before each later attempt; nil for a client without a monitor.
    var offlineGuard: OfflineGuard?
    /// Gives a number from 0 to 1 for jitter.
    var random: @Sendable () -> Double = { Double.random(in: 0...1) }
    /// Where it sleeps between attempts.
    var gate = CallGate()

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        let ownPolicy = next.context[RetryPolicyKey.self]
        let policy = ownPolicy ?? self.policy
        let retryCount = next.context[RetryCountKey.self]
        var request = request
        if policy.addsIdempotencyKey { request.addIdempotencyKey() }
        budget?.noteCall(at: next.context.clock.uptime)
        var run = RetryRun(
            engine: self, policy: policy, isOwnPolicy: ownPolicy != nil, retryCount: retryCount, request: request,
            next: next)

        // Most calls: nothing but a stale connection could have them sent again.
        guard hooks.isEmpty, retryCount <= 0, policy.maxRetries == 0, answerers.isEmpty,
            next.context.prepared?.isReady ?? true, !preparer.hasCredentials(next.context),
            next.context[OfflineFailureKey.self] == nil
        else { return try await run.response() }
        do {
            return try await next(request)
        } catch let failure as NetworkFailure {
            guard run.mayReconnect(after: failure) else { throw failure }
            return try await run.response(after: failure)
        }
    }
}

extension RetryPolicy {
    private static let usualReauthenticationStatuses: Set<Int> = [401]

    /// The statuses that refuse credentials. A client's policy that names none leaves it at 401; that of one call means none.
    func refusals(isOfCall: Bool) -> Set<Int> {
        isOfCall || !reauthenticationStatuses.isEmpty ? reauthenticationStatuses : Self.usualReauthenticationStatuses
    }
}
