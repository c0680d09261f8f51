import NetCore

/// How many requests one host may get, and when: a token bucket, kept as the moment at which it will be full again (GCRA).
///
/// That moment is all its state: no tokens are added up, so nothing drifts.
struct TokenBucket {
    /// What all buckets of a limiter have in common. Times are seconds.
    struct Rate {
        /// How long one request's token takes to come back.
        let interval: TimeInterval
        /// How many requests a full bucket lets through at once.
        let burst: Int

        /// How far ahead of the steady pace requests may run.
        var tolerance: TimeInterval { TimeInterval(burst - 1) * interval }
    }

    /// When the bucket is full, in uptime.
    private var fullAt = -TimeInterval.infinity

    /// Clocks are not exact to the last bit: what is less than this ahead of its time is in time.
    private static let precision: TimeInterval = 1e-6

    /// When the next token is there, in uptime. It may lie in the past.
    ///
    /// - Parameter ahead: how many others take one before.
    func dueTime(after ahead: Int = 0, rate: Rate) -> TimeInterval {
        fullAt - rate.tolerance + TimeInterval(ahead) * rate.interval
    }

    /// Takes a token, if there is one.
    mutating func take(now: TimeInterval, rate: Rate) -> Bool {
        guard dueTime(rate: rate) <= now + Self.precision else { return false }
        fullAt = max(fullAt, now) + rate.interval
        return true
    }

    func isFull(now: TimeInterval) -> Bool { fullAt <= now }

    /// The tokens that are there.
    func tokens(now: TimeInterval, rate: Rate) -> Int {
        guard rate.interval > 0 else { return rate.burst }
        let missing = ((fullAt - now - Self.precision) / rate.interval).rounded(.up)
        return rate.burst - Int(min(max(0, missing), TimeInterval(rate.burst)))
    }
}
