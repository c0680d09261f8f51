/// The copies of one hedged request: their events, in order, for the call that waits for the first good answer.
///
/// Not a task group, which would wait for the losers, and whose child tasks take three times as long to make. The waiting call starts the copies,
/// so that they have its task-local values.
struct HedgeRace: Sendable {
    enum Event: Sendable {
        /// The delay has passed.
        case due
        case ended(Result<TransportResponse, any Error>)
    }

    private let timer: HedgeTimer
    private let entry = HedgeTimer.Entry()

    init(_ timer: HedgeTimer) {
        self.timer = timer
    }

    var isOver: Bool { timer.state.withLock { _ in entry.race.isOver } }

    /// Starts a copy on the caller's thread.
    func start(_ send: @escaping @Sendable () async throws -> TransportResponse) {
        let copy = startAtOnce { [self] in
            do {
                timer.deliver(.ended(.success(try await send())), to: entry)
            } catch {
                timer.deliver(.ended(.failure(error)), to: entry)
            }
        }
        let isOver = timer.state.withLock { _ in
            if !entry.race.isOver { entry.race.copies.append(copy) }
            return entry.race.isOver
        }
        if isOver { copy.cancel() }
    }

    /// Gives ``Event/due`` after the delay.
    func startTimer(on clock: any NetworkClock) { timer.add(entry, on: clock) }

    /// Returns the next event. One call waits at a time.
    ///
    /// - Throws: `CancellationError` if the race was ended.
    func next() async throws -> Event {
        if let event = timer.state.withLock({ _ in entry.race.events.popFirst() }) { return event }
        return try await withUnsafeThrowingContinuation { continuation in
            let (event, isOver) = timer.state.withLock { _ -> (Event?, Bool) in
                if entry.race.isOver { return (nil, true) }
                if let event = entry.race.events.popFirst() { return (event, false) }
                entry.race.waiting = continuation
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
        let race = timer.end(entry)
        race.copies.forEach { $0.cancel() }
        race.waiting?.resume(throwing: CancellationError())
    }
}

/// Tells races that the delay has passed. One task sleeps for all of them.
///
/// Nearly all races end before. A task with a sleep for each of them would cost 10 µs or more, twice as much as the rest of the pipeline.
final class HedgeTimer: Sendable {
    /// The state of a race.
    struct Race {
        var events = ShortList<HedgeRace.Event>()
        var waiting: UnsafeContinuation<HedgeRace.Event, any Error>?
        var copies = ShortList<Task<Void, Never>>()
        /// Whether the timer has an entry for the race.
        var isTimed = false
        var isOver = false
    }

    /// The place of a race in its timer. It does not retain the timer, which retains it until the delay has passed.
    final class Entry: Sendable {
        // Unsafe: every access is under the lock of the timer's `state`. A lock for each race would be most of its cost.
        @exclusivity(unchecked) nonisolated(unsafe) var race = Race()
    }

    struct State {
        /// In the order in which they are due, since all delays are equal.
        var entries: ArraySlice<(due: TimeInterval, entry: Entry)> = []
        /// The number of entries whose race is over.
        var overCount = 0
        var isSleeping = false
    }

    /// In seconds, not negative.
    private let delay: TimeInterval
    /// Guards the races too.
    let state = Locked(State())

    /// The number of entries, those of races that are over included.
    var entryCount: Int { state.withLock { $0.entries.count } }

    init(delay: TimeInterval) {
        self.delay = delay
    }

    func add(_ entry: Entry, on clock: any NetworkClock) {
        let due = clock.uptime + delay
        let isFirst = state.withLock { state in
            entry.race.isTimed = true
            state.entries.append((due, entry))
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

    func deliver(_ event: HedgeRace.Event, to entry: Entry) {
        let waiting = state.withLock { _ -> UnsafeContinuation<HedgeRace.Event, any Error>? in
            guard !entry.race.isOver else { return nil }
            guard let waiting = entry.race.waiting else {
                entry.race.events.append(event)
                return nil
            }
            entry.race.waiting = nil
            return waiting
        }
        waiting?.resume(returning: event)
    }

    /// Marks a race as over, and returns its state before. Removes the entries of such races when they are more than half.
    func end(_ entry: Entry) -> Race {
        state.withLock { state in
            let race = entry.race
            entry.race = Race(isOver: true)
            guard race.isTimed else { return race }
            state.overCount += 1
            guard state.overCount > 64, state.overCount > state.entries.count / 2 else { return race }
            state.entries.removeAll { $0.entry.race.isOver }
            state.overCount = 0
            return race
        }
    }

    /// Tells the races that are due. Returns the time to the next one, in seconds, or nil if there is none.
    private func fire(at now: TimeInterval) -> TimeInterval? {
        let (due, pause) = state.withLock { state -> ([Entry], TimeInterval?) in
            var due: [Entry] = []
            while let first = state.entries.first {
                if first.entry.race.isOver {
                    state.overCount -= 1
                } else {
                    guard first.due <= now else { return (due, first.due - now) }
                    first.entry.race.isTimed = false
                    due.append(first.entry)
                }
                state.entries.removeFirst()
            }
            state.isSleeping = false
            return (due, nil)
        }
        for entry in due { deliver(.due, to: entry) }
        return pause
    }
}

/// A list that takes no memory of its own for one element.
struct ShortList<Element> {
    private var first: Element?
    private var rest: [Element] = []

    mutating func append(_ element: Element) {
        if first == nil { first = element } else { rest.append(element) }
    }

    mutating func popFirst() -> Element? {
        defer { first = rest.isEmpty ? nil : rest.removeFirst() }
        return first
    }

    func forEach(_ body: (Element) -> Void) {
        if let first { body(first) }
        rest.forEach(body)
    }
}

/// Starts a task that runs on the caller's thread up to its first suspension, where the system supports it (SE-0472): that saves waking another
/// thread. Otherwise it is an ordinary task.
@inline(__always)
func startAtOnce(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        return Task.immediate { await operation() }
    }
    return Task { await operation() }
}
