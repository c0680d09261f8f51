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
