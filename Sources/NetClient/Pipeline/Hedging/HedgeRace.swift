import NetCore

/// The copies of one hedged request, seen by the call that waits for the first good answer: what has happened, in order, and who is
/// to be ended when it is over.
///
/// No task group: that would wait for the losers, and its children take three times as long to make. The copies are begun by the
/// waiting call itself, so that they have its task-local values.
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
        var alarm: SharedAlarm.ID?
        var isOver = false
    }

    private let state = Locked(State())
    private let alarm: SharedAlarm

    init(alarm: SharedAlarm) {
        self.alarm = alarm
    }

    /// Begins a copy on the caller's thread.
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

    /// Tells ``Event/due`` after the delay.
    func setAlarm(on clock: any NetworkClock) {
        let id = alarm.set(on: clock) { [self] in tell(.due) }
        let isOver = state.withLock { state in
            if !state.isOver { state.alarm = id }
            return state.isOver
        }
        if isOver { alarm.remove(id) }
    }

    /// The next thing that happens. One call waits at a time.
    ///
    /// - Throws: `CancellationError` when the race was ended.
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

    /// Cancels what is still under way. Twice is fine.
    func end() {
        let (copies, id, waiting) = state.withLock { state in
            defer { (state.copies, state.alarm, state.waiting, state.isOver) = ([], nil, nil, true) }
            return (state.copies, state.alarm, state.waiting)
        }
        if let id { alarm.remove(id) }
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
