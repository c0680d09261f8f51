/// Sends a second copy of a safe request when the first is slow, and returns the first answer. It costs the server extra requests, so it is
/// off by default.
///
/// ```swift
/// let client = NetworkClient(interceptors: [HedgingInterceptor(delay: 0.3)])     // about the 95th percentile of your latency
/// ```
///
/// - **Hedged:** safe methods (RFC 9110, section 9.2.1) whose body, if any, can be replayed. Other requests are sent once.
/// - **The winner** is the first head whose status is neither 5xx nor 429. The other copies are cancelled without waiting for them. The time that
///   the winner's body takes does not matter.
/// - **Failures:** a failed copy does not fail the call while another one runs. If all fail, the call returns the first response, or else throws
///   the first error. If the only copy fails before the delay, so does the call: retrying is the task of a ``RetryPolicy``. A failed response
///   with a body of more than 1 MiB is the answer at once.
/// - **Deadline:** no copy is sent at or after the call's ``RequestContext/deadline``.
///
/// Each copy goes through the inner interceptors: breaker and limits see each, and each is prepared again. ``RequestContext/hedgeNumber`` is
/// its number.
public struct HedgingInterceptor: HTTPInterceptor, CredentialFreeInterceptor {
    private let delay: TimeInterval
    private let maxAttempts: Int

    /// False: a connection has one owner.
    public var handlesUpgrades: Bool { false }

    /// Creates a hedging interceptor.
    ///
    /// - Parameters:
    ///   - delay: the time to wait for a head before each further copy, in seconds; a negative number or NaN counts as zero.
    ///   - maxAttempts: the most copies to send, including the first; 1 disables hedging.
    public init(delay: TimeInterval, maxAttempts: Int = 2) {
        self.delay = delay > 0 ? delay : 0
        self.maxAttempts = max(1, maxAttempts)
    }

    /// Sends the request, and a further copy after each delay without a head.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard maxAttempts > 1, delay < next.context.timeRemaining ?? .infinity,
            HTTPMethod(rawValue: request.httpMethod ?? "GET").isSafe, next.body?.isReplayable ?? true
        else { return try await next(request) }
        let race = HedgeRace()
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
        race.startTimer(after: delay, on: next.context.clock)
        race.start { try await next(request) }
        while true {
            switch try await race.next() {
            case .due:
                var copy = next
                copy.context[HedgeNumberKey.self] = score.sent
                score.sent += 1
                let isLast = score.sent >= maxAttempts || delay >= next.context.timeRemaining ?? .infinity
                if !isLast { race.startTimer(after: delay, on: next.context.clock) }
                race.start { [copy] in
                    var copy = copy
                    // Two statements: a call copies `copy` before it evaluates its arguments.
                    let ready = try await copy.prepareAgain(request)
                    return try await copy(ready)
                }
            case .large(let response): return response
            case .ended(.success(let response)) where score.keeps(response) && response.body.data == nil:
                race.read(response)
            case .ended(let result): if let outcome = score.end(result) { return try outcome.get() }
            }
        }
    }
}

extension RequestContext {
    /// The number of the copy of a hedged request: 0 for the first, and for a request that is not hedged.
    public var hedgeNumber: Int { self[HedgeNumberKey.self] }
}

private enum HedgeNumberKey: RequestContext.Key {
    static let defaultValue = 0
}

struct HedgeScore {
    var sent = 1
    private var ended = 0
    private var fallback: Result<TransportResponse, any Error>?

    /// Whether a copy has failed while others are in flight, so that its response may still be the answer.
    func keeps(_ response: TransportResponse) -> Bool { !isGood(response) && ended + 1 < sent }

    private func isGood(_ response: TransportResponse) -> Bool { response.status < 500 && response.status != 429 }

    /// Records the outcome of a copy, and returns that of the race once it is clear.
    mutating func end(_ result: Result<TransportResponse, any Error>) -> Result<TransportResponse, any Error>? {
        ended += 1
        switch result {
        case .success(let response) where isGood(response): return result
        case .success: if case .success = fallback {} else { fallback = result }
        case .failure: fallback = fallback ?? result
        }
        return ended == sent ? fallback : nil
    }
}
