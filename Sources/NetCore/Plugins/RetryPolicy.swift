/// When a failed request is sent again by itself, how often, and after what delay.
///
/// A policy respects idempotency: a POST is repeated only if nothing of it can have been processed. An explicit
/// ``RequestInterceptor/retry(_:dueTo:currentRetryCount:)`` and ``RequestConfig/retryCount`` are obeyed for any method. A
/// cancelled request is never sent again.
public struct RetryPolicy: Sendable {
    /// How many times a request is sent again at the most.
    public let maxRetries: Int
    /// How long to wait before each.
    public let delay: RetryDelay
    /// Whether to try again after that failure.
    public let shouldRetry: @Sendable (NetworkFailure) -> Bool

    /// A policy.
    ///
    /// - Parameters:
    ///   - maxRetries: how many times a request is sent again at the most; a negative number counts as zero.
    ///   - delay: how long to wait before each.
    ///   - shouldRetry: asked after each failure; by default, whether it is ``NetworkFailure/isRetryable``.
    public init(
        maxRetries: Int,
        delay: RetryDelay = .exponential(base: 1, multiplier: 2, jitter: 0.1),
        shouldRetry: @escaping @Sendable (NetworkFailure) -> Bool = \.isRetryable
    ) {
        self.maxRetries = max(0, maxRetries)
        self.delay = delay
        self.shouldRetry = shouldRetry
    }

    /// Retries nothing: what `NetworkClient()` does.
    public static let none = RetryPolicy(maxRetries: 0)

    /// Three times after lost connections, timeouts, 408, 500, 502, 503 and 504, from 0.3 s, doubling (seed 001).
    public static let `default` = RetryPolicy(
        maxRetries: 3,
        delay: .exponential(base: 0.3, multiplier: 2, jitter: 0.1),
        shouldRetry: { failure in
            // The cause's: a connection may be lost after a status of 200.
            failure.cause.statusCode.map([408, 500, 502, 503, 504].contains) ?? failure.isRetryable
        })

    /// Three times after 1, 2 and 4 s if the connection failed or timed out; never for a status (seed 004).
    public static let connectionFailures = RetryPolicy(
        maxRetries: 3,
        delay: .exponential(base: 1, multiplier: 2, jitter: 0),
        shouldRetry: { $0.cause.statusCode == nil && $0.isRetryable })

    /// The delay before a retry, without jitter, in seconds.
    ///
    /// - Parameter attempt: 0 for the first retry.
    public func delay(for attempt: Int) -> TimeInterval {
        delay.seconds(for: attempt, random: 0.5)
    }
}

/// How long to wait before a request is sent again.
public enum RetryDelay: Hashable, Sendable {
    /// Not at all.
    case immediate
    /// The same number of seconds each time.
    case fixed(TimeInterval)
    /// `base` seconds, then `multiplier` times as long each time, spread by ±`jitter` (a fraction), at most 120 s.
    case exponential(base: TimeInterval, multiplier: Double = 2, jitter: Double = 0.1)

    /// The delay before a retry, in seconds.
    ///
    /// - Parameters:
    ///   - attempt: 0 for the first retry.
    ///   - random: a number from 0 to 1; 0.5 leaves the delay in the middle of its spread.
    public func seconds(for attempt: Int, random: Double) -> TimeInterval {
        switch self {
        case .immediate: 0
        case .fixed(let seconds): seconds > 0 ? seconds : 0
        case .exponential(let base, let multiplier, let jitter):
            ExponentialBackoff(baseDelay: base, backoffBase: multiplier, jitter: jitter)
                .delay(for: attempt, random: random)
        }
    }
}
