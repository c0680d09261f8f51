extension RetryPolicy {
    /// Retries nothing: what `NetworkClient()` does. For one call it also means that no new credentials are tried.
    public static let none: RetryPolicy = {
        var policy = RetryPolicy(maxRetries: 0)
        policy.reauthenticationStatuses = []
        return policy
    }()

    /// Three times after lost connections, timeouts, 408, 500, 502, 503 and 504, from 0.3 s, doubling; new credentials after 401
    /// and 403 (seed 001).
    public static let `default`: RetryPolicy = {
        var policy = RetryPolicy(
            maxRetries: 3,
            delay: .exponential(base: 0.3, multiplier: 2, jitter: 0.1),
            shouldRetry: { failure in
                // The cause's: a connection may be lost after a status of 200.
                failure.cause.statusCode.map([408, 500, 502, 503, 504].contains) ?? failure.isRetryable
            }
        ).keepingToIdempotentMethods()
        policy.reauthenticationStatuses = [401, 403]
        return policy
    }()

    /// Three times after 1, 2 and 4 s if the connection failed or timed out; never for a status (seed 004).
    public static let connectionFailures = RetryPolicy(
        maxRetries: 3,
        delay: .exponential(base: 1, multiplier: 2, jitter: 0),
        shouldRetry: { $0.cause.statusCode == nil && $0.isRetryable }
    ).keepingToIdempotentMethods()
}

// Types of seed 001: here a policy is a value, and these names give the two that are meant.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// ``RetryPolicy/default``, by seed 001's name.
public func DefaultRetryPolicy() -> RetryPolicy { .default }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// ``RetryPolicy/none``, by seed 001's name.
public func NoRetryPolicy() -> RetryPolicy { .none }
