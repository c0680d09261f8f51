/// The delay before a retry. All durations are in seconds; negative numbers and NaN count as zero.
///
/// Random delays keep clients that failed together from retrying together. ``exponential(base:multiplier:jitter:maximum:)`` is nearly
/// predictable. ``fullJitter(base:multiplier:maximum:)`` and ``decorrelatedJitter(base:maximum:)`` spread widely, for fleets of clients.
public enum RetryDelay: Hashable, Sendable {
    case immediate
    /// The same number of seconds each time.
    case fixed(TimeInterval)
    /// `base` seconds, multiplied by `multiplier` each time, spread by ±`jitter` (a fraction), at most `maximum`.
    case exponential(base: TimeInterval, multiplier: Double = 2, jitter: Double = 0.1, maximum: TimeInterval = 120)
    /// A random delay from zero to that of ``exponential(base:multiplier:jitter:maximum:)`` without jitter.
    case fullJitter(base: TimeInterval, multiplier: Double = 2, maximum: TimeInterval = 120)
    /// A random delay from `base` to three times the previous delay, at most `maximum`. It grows like the others, independent of the
    /// attempt's number.
    case decorrelatedJitter(base: TimeInterval, maximum: TimeInterval = 120)

    /// Returns the delay in seconds. It is never negative or NaN, and infinite only if a duration was.
    ///
    /// - Parameters:
    ///   - attempt: 0 for the first retry. A negative number counts as 0.
    ///   - previous: the delay before the last retry, for ``decorrelatedJitter(base:maximum:)``. Nil uses the middle of the spread at
    ///     `attempt`.
    ///   - random: a number from 0 to 1. Any other number counts as 0.5, the middle of the spread.
    public func seconds(for attempt: Int, previous: TimeInterval? = nil, random: Double) -> TimeInterval {
        let random = (0...1).contains(random) ? random : 0.5
        switch self {
        case .immediate: return 0
        case .fixed(let seconds): return seconds > 0 ? seconds : 0
        case .exponential(let base, let multiplier, let jitter, let maximum):
            return ExponentialBackoff(baseDelay: base, backoffBase: multiplier, maxDelay: maximum, jitter: jitter)
                .delay(for: attempt, random: random)
        case .fullJitter(let base, let multiplier, let maximum):
            // Avoids zero times infinity, which is NaN.
            guard random > 0 else { return 0 }
            return random
                * ExponentialBackoff(baseDelay: base, backoffBase: multiplier, maxDelay: maximum).delay(for: attempt)
        case .decorrelatedJitter(let base, let maximum):
            guard base > 0, maximum > 0 else { return 0 }
            let last = previous ?? Self.middle(ofDecorrelated: base, after: attempt)
            let delay = base + random * (max(last, base) * 3 - base)
            // NaN is an overflow here.
            return delay < maximum ? delay : maximum
        }
    }

    /// The previous delay if all of them were in the middle of their spread.
    private static func middle(ofDecorrelated base: TimeInterval, after attempt: Int) -> TimeInterval {
        base * (2 * pow(1.5, Double(max(0, attempt))) - 1)
    }
}

/// A delay that grows by a factor with each retry: `baseDelay`, `baseDelay * backoffBase`, and so on.
///
/// The client sleeps for ``delay(for:)`` spread by ±``jitter``, so that clients that failed together do not retry together.
public struct ExponentialBackoff: Hashable, Sendable {
    /// The first delay, in seconds.
    public let baseDelay: TimeInterval
    /// The factor from one delay to the next.
    public let backoffBase: Double
    /// The longest delay, in seconds.
    public let maxDelay: TimeInterval
    /// The spread of a delay in both directions, as a fraction: 0.1 for ±10 %.
    public let jitter: Double

    /// Creates a schedule. A negative number or NaN counts as zero (for `backoffBase`, as one), and jitter is clamped to 0 to 1.
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

    /// Returns the delay before a retry without jitter, in seconds.
    ///
    /// - Parameter retryCount: 0 for the first retry. A negative number counts as 0.
    public func delay(for retryCount: Int) -> TimeInterval {
        // Avoids zero times infinity, which is NaN.
        guard baseDelay > 0 else { return 0 }
        let delay = baseDelay * pow(backoffBase, Double(Swift.max(0, retryCount)))
        return delay < maxDelay ? delay : maxDelay
    }

    /// Returns the delay with jitter, in seconds.
    ///
    /// - Parameters:
    ///   - retryCount: 0 for the first retry.
    ///   - random: a number from 0 to 1. Any other number counts as 0.5, which leaves the delay unchanged.
    public func delay(for retryCount: Int, random: Double) -> TimeInterval {
        let random = (0...1).contains(random) ? random : 0.5
        let middle = delay(for: retryCount)
        // Avoids zero times infinity, which is NaN.
        guard middle < .infinity else { return middle }
        return Swift.min(middle * (1 + jitter * (2 * random - 1)), maxDelay)
    }
}
