import NetCore

/// A value behind a lock, and the tasks that wait for a condition on it.
///
/// Each change evaluates the conditions under the lock, so no task misses a value that is changed again at once.
final class ConditionLock<Value>: Sendable {
    private struct Waiter {
        let id: UInt64
        let fail: (any Error) -> Void
        /// Returns a closure that resumes the task, if the value satisfies its condition.
        let attempt: (inout Value) -> (() -> Void)?
    }

    private struct State {
        var value: Value
        var waiters: [Waiter] = []
    }

    private let state: Locked<State>
    private let lastID = Locked<UInt64>(0)

    init(_ value: sending Value) { state = Locked(State(value: value)) }

    func read<Result>(_ body: (Value) -> Result) -> Result { state.withLock { body($0.value) } }

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
        timeout: TimeInterval? = nil, _ attempt: @escaping @Sendable (inout Value) throws -> Result?
    ) async throws -> Result {
        let id = lastID.next()
        let alarm = timeout.map { seconds in
            TimerQueue.shared.schedule(after: seconds) { [self] in
                fail(id, with: NetTestingError.timedOut(seconds: seconds))
            }
        }
        defer { alarm.map { _ = TimerQueue.shared.cancel($0) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = Waiter(id: id, fail: { continuation.resume(throwing: $0) }) { value in
                    do {
                        guard let result = try attempt(&value) else { return nil }
                        return { continuation.resume(returning: result) }
                    } catch {
                        return { continuation.resume(throwing: error) }
                    }
                }
                for resume in register(waiter) { resume() }
            }
        } onCancel: {
            fail(id, with: CancellationError())
        }
    }

    /// Tries at once, and adds the task to the waiters if that gives no result. Returns closures that resume this task and the others
    /// whose conditions its attempt has satisfied.
    private func register(_ waiter: Waiter) -> [() -> Void] {
        state.withLock { state in
            // If `onCancel` ran before this, it found no waiter, but the task is cancelled here. If it runs later, it finds the waiter.
            if Task.isCancelled { return [{ waiter.fail(CancellationError()) }] }
            let own = waiter.attempt(&state.value)
            let others = Self.takeSatisfied(from: &state)
            if let own { return [own] + others }
            state.waiters.append(waiter)
            return others
        }
    }

    private func fail(_ id: UInt64, with error: any Error) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
        }
        waiter?.fail(error)
    }
}
