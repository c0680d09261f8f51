/// A delay that grows by a factor with each retry (seed 000): `baseDelay`, `baseDelay * backoffBase`, and so on.
///
/// What is slept differs a little from ``delay(for:)``: it is spread by ``jitter`` in both directions, so that clients that
/// failed together do not come back together.
public struct ExponentialBackoff: Hashable, Sendable {
    /// The first delay, in seconds.
    public let baseDelay: TimeInterval
    /// The factor from one delay to the next.
    public let backoffBase: Double
    /// The longest delay, in seconds.
    public let maxDelay: TimeInterval
    /// How far a delay is spread in both directions, as a fraction: 0.1 for ±10 %.
    public let jitter: Double

    /// A schedule. Values that make no sense are put right: a negative or undefined number counts as zero (for
    /// `backoffBase`, as one), and jitter is kept in 0 to 1.
    ///
    /// - Parameters:
    ///   - baseDelay: the first delay, in seconds.
    ///   - backoffBase: the factor from one delay to the next.
    ///   - maxDelay: the longest delay, in seconds.
    ///   - jitter: the spread as a fraction.
    public init(
        baseDelay: TimeInterval = 1, backoffBase: Double = 2, maxDelay: TimeInterval = 120, jitter: Double = 0.1
    ) {
        self.baseDelay = baseDelay > 0 ? baseDelay : 0
        self.backoffBase = backoffBase > 0 ? backoffBase : 1
        self.maxDelay = maxDelay > 0 ? maxDelay : 0
        self.jitter = jitter > 0 ? Swift.min(jitter, 1) : 0
    }

    /// The delay before a retry, without jitter, in seconds.
    ///
    /// - Parameter retryCount: 0 for the first retry. A negative number counts as 0.
    public func delay(for retryCount: Int) -> TimeInterval {
        // Zero times a factor that has grown beyond all numbers is none.
        guard baseDelay > 0 else { return 0 }
        let delay = baseDelay * pow(backoffBase, Double(Swift.max(0, retryCount)))
        return delay < maxDelay ? delay : maxDelay
    }

    /// The delay with jitter.
    ///
    /// - Parameters:
    ///   - retryCount: 0 for the first retry.
    ///   - random: a number from 0 to 1; 0.5, and any other number, leaves the delay as it is.
    public func delay(for retryCount: Int, random: Double) -> TimeInterval {
        let random = (0...1).contains(random) ? random : 0.5
        let middle = delay(for: retryCount)
        // Without an end there is no spread: zero times infinity is no number.
        guard middle < .infinity else { return middle }
        return Swift.min(middle * (1 + jitter * (2 * random - 1)), maxDelay)
    }
}
