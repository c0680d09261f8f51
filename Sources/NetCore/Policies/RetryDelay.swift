/// How long to wait before a request is sent again. All durations are in seconds; negative numbers and NaN count as zero.
///
/// Clients that failed together come back together unless their delays are spread. ``exponential(base:multiplier:jitter:maximum:)``
/// spreads a little and is easy to reason about; ``fullJitter(base:multiplier:maximum:)`` and ``decorrelatedJitter(base:maximum:)``
/// spread as far as possible, for fleets of clients.
public enum RetryDelay: Hashable, Sendable {
    /// Not at all.
    case immediate
    /// The same number of seconds each time.
    case fixed(TimeInterval)
    /// `base` seconds, then `multiplier` times as long each time, spread by ±`jitter` (a fraction), at most `maximum`.
    case exponential(base: TimeInterval, multiplier: Double = 2, jitter: Double = 0.1, maximum: TimeInterval = 120)
    /// Anything from zero to what ``exponential(base:multiplier:jitter:maximum:)`` would be without jitter.
    case fullJitter(base: TimeInterval, multiplier: Double = 2, maximum: TimeInterval = 120)
    /// Anything from `base` to three times the delay before, at most `maximum`: it grows like the others, and forgets in which
    /// attempt it is.
    case decorrelatedJitter(base: TimeInterval, maximum: TimeInterval = 120)

    /// The delay before a retry, in seconds. Never negative, never NaN, and infinite only if a duration was given so.
    ///
    /// - Parameters:
    ///   - attempt: 0 for the first retry. A negative number counts as 0.
    ///   - previous: the delay before the last retry, for ``decorrelatedJitter(base:maximum:)``; nil for none, or if it is not
    ///     known: then the middle of the spread at `attempt` is taken.
    ///   - random: a number from 0 to 1. 0.5, and any other number, leaves the delay in the middle of its spread.
    public func seconds(for attempt: Int, previous: TimeInterval? = nil, random: Double) -> TimeInterval {
        let random = (0...1).contains(random) ? random : 0.5
        switch self {
        case .immediate: return 0
        case .fixed(let seconds): return seconds > 0 ? seconds : 0
        case .exponential(let base, let multiplier, let jitter, let maximum):
            return ExponentialBackoff(baseDelay: base, backoffBase: multiplier, maxDelay: maximum, jitter: jitter)
                .delay(for: attempt, random: random)
        case .fullJitter(let base, let multiplier, let maximum):
            // Zero times an endless delay is no number.
            guard random > 0 else { return 0 }
            return random
                * ExponentialBackoff(baseDelay: base, backoffBase: multiplier, maxDelay: maximum).delay(for: attempt)
        case .decorrelatedJitter(let base, let maximum):
            guard base > 0, maximum > 0 else { return 0 }
            let last = previous ?? Self.middle(ofDecorrelated: base, after: attempt)
            let delay = base + random * (max(last, base) * 3 - base)
            // What is no number has gone beyond all.
            return delay < maximum ? delay : maximum
        }
    }

    /// The delay before the retry ahead of that one, had all of them been in the middle of their spread.
    private static func middle(ofDecorrelated base: TimeInterval, after attempt: Int) -> TimeInterval {
        base * (2 * pow(1.5, Double(max(0, attempt))) - 1)
    }
}

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
