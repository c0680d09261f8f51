import NetCore

/// A value behind a lock, and the tasks that wait for a condition on it.
///
/// Each change evaluates the conditions under the lock, so no task misses a value that is changed again at once.
final class ConditionLock<Value>: Sendable {
    private struct Waiter {
        let id: UInt64
        /// Returns a closure that resumes the task, if the value satisfies its condition.
        let attempt: (inout Value) -> (() -> Void)?
        let fail: (any Error) -> Void
    }

    private struct State {
        var value: Value
        var waiters: [Waiter] = []
        var lastID: UInt64 = 0
    }

    private let state: Locked<State>

    init(_ value: sending Value) {
        state = Locked(State(value: value))
    }

    func read<Result>(_ body: (Value) -> Result) -> Result {
        state.withLock { body($0.value) }
    }

    /// Changes the value, and resumes the tasks whose conditions it satisfies, in order of arrival.
    func update<Result>(_ body: (inout Value) -> Result) -> Result {
        let (result, resumptions) = state.withLock { state in
            let result = body(&state.value)
            return (result, Self.takeSatisfied(from: &state))
        }
        for resume in resumptions { resume() }
        return result
    }

    private static func takeSatisfied(from state: inout State) -> [() -> Void] {
        var resumptions: [() -> Void] = []
        state.waiters = state.waiters.filter { waiter in
            guard let resume = waiter.attempt(&state.value) else { return true }
            resumptions.append(resume)
            return false
        }
        return resumptions
    }

    /// Waits until `attempt` returns a result. It is called under the lock and may change the value, so that two tasks never take the
    /// same element. Unless the task is cancelled before, it is called at least once.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before or while it waits; ``NetTestingError/timedOut(seconds:)`` after
    ///   `timeout` seconds of real time.
    func wait<Result: Sendable>(
        timeout: TimeInterval? = nil,
        _ attempt: @escaping @Sendable (inout Value) throws -> Result?
    ) async throws -> Result {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let alarm = timeout.map { seconds in
            TimerQueue.shared.schedule(after: seconds) { [self] in
                fail(id, with: NetTestingError.timedOut(seconds: seconds))
            }
        }
        defer { alarm.map { _ = TimerQueue.shared.cancel($0) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                for resume in register(id, attempt, continuation) { resume() }
            }
        } onCancel: {
            fail(id, with: CancellationError())
        }
    }

    /// Tries at once, and adds the task to the waiters if that gives no result. Returns closures that resume this task and the others
    /// whose conditions its attempt has satisfied.
    private func register<Result: Sendable>(
        _ id: UInt64,
        _ attempt: @escaping @Sendable (inout Value) throws -> Result?,
        _ continuation: CheckedContinuation<Result, any Error>
    ) -> [() -> Void] {
        let attempt = { (value: inout Value) -> (() -> Void)? in
            do {
                guard let result = try attempt(&value) else { return nil }
                return { continuation.resume(returning: result) }
            } catch {
                return { continuation.resume(throwing: error) }
            }
        }
        return state.withLock { state in
            // If `onCancel` ran before this, it found no waiter, but the task is cancelled here. If it runs later, it finds the waiter.
            if Task.isCancelled { return [{ continuation.resume(throwing: CancellationError()) }] }
            let own = attempt(&state.value)
            let others = Self.takeSatisfied(from: &state)
            guard own == nil else { return [own].compactMap { $0 } + others }
            state.waiters.append(Waiter(id: id, attempt: attempt) { continuation.resume(throwing: $0) })
            return others
        }
    }

    private func fail(_ id: UInt64, with error: any Error) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.fail(error)
    }
}
