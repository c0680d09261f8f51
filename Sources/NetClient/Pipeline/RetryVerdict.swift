import NetCore

/// What to do about a failed attempt.
enum RetryVerdict {
    case stop(RetryTrace.End?)
    case again(RetryTrace.Reason, after: TimeInterval, retryAfter: TimeInterval? = nil)
}

// Who is asked, and in which order.
extension RetryRun {
    mutating func verdict(on outcome: RetryOutcome, _ failure: NetworkFailure) async throws -> RetryVerdict {
        if case .circuitOpen = failure.cause { return .stop(nil) }
        if mayReconnect(after: failure) { return .again(.staleConnection, after: 0) }
        if let refusal = outcome.response, let reason = try await answer(to: refusal) {
            return .again(reason, after: 0)
        }
        // A refusal below 400 is a response like another, once it cannot be answered.
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
        // Offline, waiting is for the offline policy.
        if failure.cause == .noInternetConnection, engine.offlineGuard != nil { return .stop(nil) }
        if retries < retryCount, failure.isRetryable {
            return paced(.retryCount, by: RetryPolicy.default.delay, outcome)
        }
        return try await policyVerdict(on: outcome, failure)
    }

    private func policyVerdict(on outcome: RetryOutcome, _ failure: NetworkFailure) async throws -> RetryVerdict {
        guard retries < policy.maxRetries else {
            // Nobody is asked beyond the limit: what the policy would have wanted can only be supposed.
            return .stop(retries > 0 && failure.isRetryable ? .limitReached : nil)
        }
        let isWanted: Bool
        if let decide = policy.decide {
            isWanted = try await decide(
                RetryProposal(
                    request: unprepared, failure: failure, response: outcome.response, attempt: retries,
                    authenticationProvider: engine.preparer.sources(for: request, next.context).first?.provider
                        ?? .none,
                    clock: next.context.clock))
        } else {
            isWanted = policy.shouldRetry(failure)
        }
        guard isWanted else { return .stop(nil) }
        // Sending it twice does no more than sending it once: by its method, by its key, or because the server has not begun. A rule of
        // the user's own is obeyed.
        guard
            !policy.respectsIdempotency || request.isIdempotent || request.hasIdempotencyKey
                || failure.transportError?.isUnprocessed == true
        else { return .stop(.notIdempotent) }
        return paced(.policy, by: policy.delay, outcome)
    }

    /// By the schedule, but no earlier than the server asks for.
    private func paced(_ reason: RetryTrace.Reason, by delay: RetryDelay, _ outcome: RetryOutcome) -> RetryVerdict {
        let seconds = delay.seconds(for: retries, previous: lastDelay, random: engine.random())
        guard let asked = outcome.response.flatMap({ RetryAfter.seconds(in: $0.headers, now: next.context.clock.now) })
        else { return .again(reason, after: seconds) }
        // An undefined maximum permits nothing.
        guard asked <= policy.maximumRetryAfter else { return .stop(.retryAfterTooLong(asked)) }
        let spread = asked * RetryAfter.jitter * engine.random()
        return .again(reason, after: max(seconds, asked + spread), retryAfter: asked)
    }
}

extension RetryTrace.Reason {
    /// What somebody asked for by name is not refused: it counts all the same in the calls that the budget sees.
    var needsBudget: Bool {
        switch self {
        case .policy, .retryCount: true
        case .hook, .reauthentication, .challenge, .staleConnection: false
        }
    }
}

extension URLRequest {
    var isIdempotent: Bool { HTTPMethod(rawValue: httpMethod ?? "GET").isIdempotent }
}
