import NetCore

extension NetworkFailure {
    /// Whether the same request may succeed later: what a stream that connects again and again goes on after.
    var mayPass: Bool {
        if case .circuitOpen = cause { return true }
        return isRetryable
    }

    /// For how long, in seconds, the server (`Retry-After`) or the circuit breaker wants no further request: an hour at the most.
    func requestedPause(now: Date) -> TimeInterval {
        let wanted =
            if case .circuitOpen(_, let until) = cause {
                until.timeIntervalSince(now)
            } else {
                response.flatMap { RetryAfter.seconds(in: $0.headers, now: now) } ?? 0
            }
        return min(wanted, longestRequestedPause)
    }
}

/// What a server may ask for, in seconds: nobody looks at a stream that waits for a year.
let longestRequestedPause: TimeInterval = 3600
