/// The one retry engine: sends a request again when a hook, the call's own count, or the policy says so.
///
/// The hooks of every ``RequestInterceptor`` in the client's list are asked first, in order, and the first answer other than
/// ``RetryResult/doNotRetry`` stands. Then the call's `retryCount`, then the policy, which alone minds idempotency.
struct RetryInterceptor: HTTPInterceptor {
    let policy: RetryPolicy
    let hooks: [any RequestInterceptor]
    /// Shared by all calls of the client; nil for none.
    var budget: RetryBudget?
    /// Of the client, to be shown to policies; a call may have brought its own.
    var authenticationProvider: any AuthenticationProvider = .none
    /// Gives a number from 0 to 1 for jitter.
    let random: @Sendable () -> Double
    /// Where it sleeps between attempts.
    let gate: CallGate

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        let ownPolicy = next.context[RetryPolicyKey.self]
        let policy = ownPolicy ?? self.policy
        let retryCount = next.context[RetryCountKey.self]
        var request = request
        var next = next
        if ownPolicy != nil || policy.namesOtherReauthenticationStatuses {
            next.context[ReauthenticationStatusesKey.self] = policy.reauthenticationStatuses
        }
        if policy.addsIdempotencyKey { request.addIdempotencyKey() }
        budget?.noteCall(at: next.context.clock.uptime)

        if hooks.isEmpty && retryCount <= 0 && policy.maxRetries == 0 {
            do {
                return try await next(request)
            } catch let failure as NetworkFailure {
                var run = RetryRun(engine: self, policy: policy, retryCount: 0, request: request, next: next)
                guard run.mayReconnect(after: failure) else { throw failure }
                return try await run.response(after: failure)
            }
        }
        var run = RetryRun(engine: self, policy: policy, retryCount: retryCount, request: request, next: next)
        return try await run.response()
    }
}

extension RetryPolicy {
    private static let usualReauthenticationStatuses: Set<Int> = [401]

    /// Whether a client's policy has to tell authentication what it does not know by itself.
    fileprivate var namesOtherReauthenticationStatuses: Bool {
        !reauthenticationStatuses.isEmpty && reauthenticationStatuses != Self.usualReauthenticationStatuses
    }
}
