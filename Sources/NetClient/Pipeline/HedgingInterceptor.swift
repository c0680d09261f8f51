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
///   the first error. If the only copy fails before the delay, so does the call: retrying is the task of a ``RetryPolicy``.
/// - **Deadline:** no copy is sent at or after the call's ``RequestContext/deadline``.
///
/// Each copy goes through the inner interceptors: breaker and limits see each, and each is prepared again. ``RequestContext/hedgeNumber`` is
/// its number. Clients that share the interceptor must share their clock.
public struct HedgingInterceptor: HTTPInterceptor {
    /// The time to wait for a head before the next copy is sent, in seconds.
    public let delay: TimeInterval
    /// The most copies to send, including the first.
    public let maxAttempts: Int

    /// False: a connection has one owner.
    public var handlesUpgrades: Bool { false }

    private let timer: HedgeTimer

    /// Creates a hedging interceptor.
    ///
    /// - Parameters:
    ///   - delay: the time to wait for a head before each further copy, in seconds; a negative number or NaN counts as zero.
    ///   - maxAttempts: the most copies to send, including the first; 1 disables hedging.
    public init(delay: TimeInterval, maxAttempts: Int = 2) {
        self.delay = delay > 0 ? delay : 0
        self.maxAttempts = max(1, maxAttempts)
        timer = HedgeTimer(delay: self.delay)
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
        race.start(timer, on: next.context.clock)
        race.start { try await next(request) }
        while true {
            switch try await race.next() {
            case .due:
                var copy = next
                copy.context[HedgeNumberKey.self] = score.sent
                score.sent += 1
                let isLast = score.sent >= maxAttempts || delay >= next.context.timeRemaining ?? .infinity
                if !isLast { race.start(timer, on: next.context.clock) }
                race.start { [copy] in
                    var copy = copy
                    // Two statements: a call copies `copy` before it evaluates its arguments.
                    let ready = try await copy.prepareAgain(request)
                    return try await copy(ready)
                }
            case .ended(let result):
                if let outcome = score.end(result) { return try outcome.get() }
            }
        }
    }
}

extension RequestContext {
    /// The number of the copy of a hedged request: 0 for the first, and for a request that is not hedged.
    public var hedgeNumber: Int { self[HedgeNumberKey.self] }
}

private enum HedgeNumberKey: RequestContextKey {
    static let defaultValue = 0
}

/// The outcomes of the copies of one request.
private struct HedgeScore {
    var sent = 1
    private var ended = 0
    private var fallback: Result<TransportResponse, any Error>?

    /// Records the outcome of a copy, and returns that of the race once it is clear.
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

/// The copies of one hedged request: their events, in order, for the call that waits for the first good answer.
///
/// Not a task group, which would wait for the losers, and whose child tasks take three times as long to make. The waiting call starts the copies,
/// so that they have its task-local values.
final class HedgeRace: Sendable {
    enum Event: Sendable {
        /// The delay has passed.
        case due
        case ended(Result<TransportResponse, any Error>)
    }

    private struct State {
        var events: [Event] = []
        var waiting: UnsafeContinuation<Event, any Error>?
        var copies: [Task<Void, Never>] = []
        /// The timer that has an entry for this race; nil for none.
        var timer: HedgeTimer?
        var isOver = false
    }

    private let state = Locked(State())
    var isOver: Bool { state.withLock(\.isOver) }

    /// Starts a copy on the caller's thread.
    func start(_ send: @escaping @Sendable () async throws -> TransportResponse) {
        let copy = startAtOnce { [self] in
            do {
                tell(.ended(.success(try await send())))
            } catch {
                tell(.ended(.failure(error)))
            }
        }
        let isOver = state.withLock { state in
            if !state.isOver { state.copies.append(copy) }
            return state.isOver
        }
        if isOver { copy.cancel() }
    }

    /// Gives ``Event/due`` after the delay.
    func start(_ timer: HedgeTimer, on clock: any NetworkClock) {
        state.withLock { $0.timer = timer }
        timer.add(self, on: clock)
    }

    func delayHasPassed() {
        state.withLock { $0.timer = nil }
        tell(.due)
    }

    /// Returns the next event. One call waits at a time.
    ///
    /// - Throws: `CancellationError` if the race was ended.
    func next() async throws -> Event {
        if let event = state.withLock({ $0.events.isEmpty ? nil : $0.events.removeFirst() }) { return event }
        return try await withUnsafeThrowingContinuation { continuation in
            let (event, isOver) = state.withLock { state -> (Event?, Bool) in
                if state.isOver { return (nil, true) }
                if !state.events.isEmpty { return (state.events.removeFirst(), false) }
                state.waiting = continuation
                return (nil, false)
            }
            if let event {
                continuation.resume(returning: event)
            } else if isOver {
                continuation.resume(throwing: CancellationError())
            }
        }
    }

    /// Cancels the copies in flight. Twice is fine.
    func end() {
        let (copies, timer, waiting) = state.withLock { state in
            defer { (state.events, state.copies, state.timer, state.waiting, state.isOver) = ([], [], nil, nil, true) }
            return (state.copies, state.timer, state.waiting)
        }
        timer?.noteEnd()
        for copy in copies { copy.cancel() }
        waiting?.resume(throwing: CancellationError())
    }

    private func tell(_ event: Event) {
        let waiting = state.withLock { state -> UnsafeContinuation<Event, any Error>? in
            guard !state.isOver else { return nil }
            guard let waiting = state.waiting else {
                state.events.append(event)
                return nil
            }
            state.waiting = nil
            return waiting
        }
        waiting?.resume(returning: event)
    }
}

/// Tells races that the delay has passed. One task sleeps for all of them.
///
/// Nearly all races end before. A task with a sleep for each of them would cost 10 µs or more, twice as much as the rest of the pipeline.
final class HedgeTimer: Sendable {
    private struct State {
        /// In the order in which they are due, since all delays are equal.
        var entries: ArraySlice<(due: TimeInterval, race: HedgeRace)> = []
        /// The number of entries whose race is over.
        var overCount = 0
        var isSleeping = false
    }

    /// In seconds, not negative.
    private let delay: TimeInterval
    private let state = Locked(State())

    /// The number of entries, those of races that are over included.
    var entryCount: Int { state.withLock(\.entries.count) }

    init(delay: TimeInterval) {
        self.delay = delay
    }

    func add(_ race: HedgeRace, on clock: any NetworkClock) {
        let due = clock.uptime + delay
        let isFirst = state.withLock { state in
            state.entries.append((due, race))
            defer { state.isSleeping = true }
            return !state.isSleeping
        }
        guard isFirst else { return }
        // Detached, since it would keep the caller's task-local values.
        Task.detached { [weak self] in
            while let pause = self?.fire(at: clock.uptime) {
                do { try await clock.sleep(for: pause) } catch { return }
            }
        }
    }

    /// Counts a race that ended before its delay, and removes such races when they are more than half.
    func noteEnd() {
        state.withLock { state in
            state.overCount += 1
            guard state.overCount > 64, state.overCount > state.entries.count / 2 else { return }
            state.entries.removeAll { $0.race.isOver }
            state.overCount = 0
        }
    }

    /// Tells the races that are due. Returns the time to the next one, in seconds, or nil if there is none.
    private func fire(at now: TimeInterval) -> TimeInterval? {
        let (due, pause) = state.withLock { state -> ([HedgeRace], TimeInterval?) in
            var due: [HedgeRace] = []
            while let first = state.entries.first {
                if first.race.isOver {
                    state.overCount -= 1
                } else {
                    guard first.due <= now else { return (due, first.due - now) }
                    due.append(first.race)
                }
                state.entries.removeFirst()
            }
            state.isSleeping = false
            return (due, nil)
        }
        for race in due { race.delayHasPassed() }
        return pause
    }
}

/// Starts a task that runs on the caller's thread up to its first suspension, where the system supports it (SE-0472): that saves waking another
/// thread. Otherwise it is an ordinary task.
func startAtOnce(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        return Task.immediate { await operation() }
    }
    return Task { await operation() }
}
