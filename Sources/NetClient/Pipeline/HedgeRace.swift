/// The copies of one hedged request: their events, in order, for the call that waits for the first good answer.
///
/// Not a task group, which would wait for the losers, and whose child tasks take three times as long to make. The waiting call starts the copies,
/// so that they have its task-local values.
final class HedgeRace: Sendable {
    enum Event: Sendable {
        /// The delay has passed.
        case due
        case ended(Result<TransportResponse, any Error>)
        /// A failed copy whose body is too large to be kept while the others run.
        case large(TransportResponse)
    }

    private struct State {
        var events: [Event] = []
        var waiting: UnsafeContinuation<Event, any Error>?
        var tasks: [Task<Void, any Error>] = []
        var timer: ClockTimer?
        var isOver = false

        mutating func popEvent() -> Event? { events.isEmpty ? nil : events.removeFirst() }
    }

    private let state = Locked(State())

    /// Starts a copy on the caller's thread.
    func start(_ send: @escaping @Sendable () async throws -> TransportResponse) {
        run { .ended(.success(try await send())) }
    }

    /// Reads the body of a failed copy, which then ends once more. Unread, it would keep its connection, and a place that another copy may wait for.
    func read(_ response: TransportResponse) {
        run {
            var response = response
            response.body = try await response.body.peek(upTo: HTTPBody.errorLimit).whole
            return response.body.data == nil ? .large(response) : .ended(.success(response))
        }
    }

    /// Gives ``Event/due`` after that many seconds.
    func startTimer(after delay: TimeInterval, on clock: any NetworkClock) {
        let timer = ClockTimer(on: clock, after: delay) { [self] in deliver(.due) }
        let isOver = state.withLock { state in
            state.timer = timer
            return state.isOver
        }
        if isOver { timer.stop() }
    }

    /// Returns the next event, or throws a `CancellationError` if the race was ended. One call waits at a time.
    func next() async throws -> Event {
        if let event = state.withLock({ $0.popEvent() }) { return event }
        return try await withUnsafeThrowingContinuation { continuation in
            let (event, isOver) = state.withLock { state -> (Event?, Bool) in
                let event = state.popEvent()
                if event == nil, !state.isOver { state.waiting = continuation }
                return (event, state.isOver)
            }
            if let event {
                continuation.resume(returning: event)
            } else if isOver {
                continuation.resume(throwing: CancellationError())
            }
        }
    }

    /// Cancels the copies in flight and the timer. Twice is fine.
    func end() {
        let ended = state.withLock { state in
            defer { state = State(isOver: true) }
            return state
        }
        ended.tasks.forEach { $0.cancel() }
        ended.timer?.stop()
        ended.waiting?.resume(throwing: CancellationError())
    }

    /// Runs an operation in a task, which is cancelled when the race ends.
    private func run(_ operation: @escaping @Sendable () async throws -> Event) {
        let task = beginTask { [self] in
            do { deliver(try await operation()) } catch { deliver(.ended(.failure(error))) }
        }
        let isOver = state.withLock { state in
            if !state.isOver { state.tasks.append(task) }
            return state.isOver
        }
        if isOver { task.cancel() }
    }

    private func deliver(_ event: Event) {
        let waiting = state.withLock { state -> UnsafeContinuation<Event, any Error>? in
            guard !state.isOver else { return nil }
            if state.waiting == nil { state.events.append(event) }
            return state.waiting.take()
        }
        waiting?.resume(returning: event)
    }
}
