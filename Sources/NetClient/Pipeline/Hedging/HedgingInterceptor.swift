public import NetCore

/// Sends a second copy of a safe request when the first is slow, and takes the answer that comes first. Opt in: it costs the server extra
/// requests for a shorter wait.
///
/// ```swift
/// let client = NetworkClient(interceptors: [HedgingInterceptor(delay: 0.3)])     // about the 95th percentile of your latency
/// ```
///
/// - **What is hedged:** safe methods (RFC 9110, section 9.2.1) whose body, if there is one, can be replayed. Anything else is sent once.
/// - **What wins:** the first head that is no server error (5xx) and no 429. The copies that are still under way are cancelled, and not
///   waited for. The body is the winner's; how long it takes does not matter any more.
/// - **Failures:** one that fails does not fail the call while another runs. When all have failed, the first of their responses is
///   given, or else the first error. If the only copy fails before the next was due, so does the call: to try again is for a
///   ``RetryPolicy``.
/// - **Deadline:** no copy is sent at or after the call's ``RequestContext/deadline``.
///
/// Each copy goes through the interceptors further in: breaker and limits see each, and each is prepared anew. ``HedgeNumberKey`` tells them
/// which it is.
public struct HedgingInterceptor: HTTPInterceptor {
    /// How long to wait for a head before another copy is sent, in seconds.
    public let delay: TimeInterval

    /// False: a connection belongs to one caller.
    public var handlesUpgrades: Bool { false }

    /// How many copies are sent at the most, the first included.
    public let maxAttempts: Int

    private let alarm: SharedAlarm

    /// Hedging.
    ///
    /// - Parameters:
    ///   - delay: how long to wait for a head before each further copy, in seconds; a negative number or NaN counts as zero.
    ///   - maxAttempts: how many copies are sent at the most, the first included; 1 hedges nothing.
    public init(delay: TimeInterval, maxAttempts: Int = 2) {
        self.delay = delay > 0 ? delay : 0
        self.maxAttempts = max(1, maxAttempts)
        alarm = SharedAlarm(delay: self.delay)
    }

    /// Sends the request, and again while no head has come.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard maxAttempts > 1, delay < next.context.timeRemaining ?? .infinity,
            HTTPMethod(rawValue: request.httpMethod ?? "GET").isSafe, next.body?.isReplayable ?? true
        else { return try await next(request) }
        let race = HedgeRace(alarm: alarm)
        return try await withTaskCancellationHandler {
            defer { race.end() }
            return try await run(race, request, next)
        } onCancel: {
            race.end()
        }
    }

    private func run(_ race: HedgeRace, _ request: URLRequest, _ next: Next) async throws -> TransportResponse {
        try Task.checkCancellation()
        var score = HedgeScore()
        race.setAlarm(on: next.context.clock)
        race.start { try await next(request) }
        while true {
            switch try await race.next() {
            case .due:
                var copy = next
                copy.context[HedgeNumberKey.self] = score.sent
                score.sent += 1
                let isLast = score.sent >= maxAttempts || delay >= next.context.timeRemaining ?? .infinity
                if !isLast { race.setAlarm(on: next.context.clock) }
                race.start { [copy] in
                    var copy = copy
                    // Two steps: a call takes its copy of `copy` before it looks at its arguments.
                    let ready = try await copy.prepareAgain(request)
                    return try await copy(ready)
                }
            case .ended(let result):
                if let outcome = score.end(result) { return try outcome.get() }
            }
        }
    }
}

/// Which copy of a hedged request this is: 0 for the first, or one that is not hedged.
public enum HedgeNumberKey: RequestContextKey {
    /// 0.
    public static let defaultValue = 0
}

/// The copies of one request, and what is known of them.
private struct HedgeScore {
    var sent = 1
    private var ended = 0
    private var fallback: Result<TransportResponse, any Error>?

    /// Takes down how a copy ended, and gives the outcome of the race if that is clear now.
    mutating func end(_ result: Result<TransportResponse, any Error>) -> Result<TransportResponse, any Error>? {
        ended += 1
        switch result {
        case .success(let response) where response.status < 500 && response.status != 429:
            return result
        case .success:
            if case .success = fallback {} else { fallback = result }
        case .failure:
            fallback = fallback ?? result
        }
        return ended == sent ? fallback : nil
    }
}
