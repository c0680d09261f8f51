import NetCore

/// A value behind a lock that tasks can wait on: ``wait(timeout:_:)`` returns as soon as a change made its condition true.
///
/// The one place in this module where continuations are kept, so that "never resumed twice, never forgotten" has to be
/// right once only.
final class ConditionLock<Value>: Sendable {
    private struct Waiter {
        let id: UInt64
        /// What resumes the task, if the value is now what it waits for.
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

    /// Reads the value.
    func read<Result>(_ body: (Value) -> Result) -> Result {
        state.withLock { body($0.value) }
    }

    /// Changes the value, then resumes the tasks that waited for what it has become: those that came first, first.
    func update<Result>(_ body: (inout Value) -> Result) -> Result {
        let (result, resumptions) = state.withLock { state in
            let result = body(&state.value)
            return (result, Self.takeSatisfied(from: &state))
        }
        for resume in resumptions { resume() }
        return result
    }

    private static func takeSatisfied(from state: inout State) -> [() -> Void] {
        guard !state.waiters.isEmpty else { return [] }
        var resumptions: [() -> Void] = []
        var remaining: [Waiter] = []
        for waiter in state.waiters {
            if let resume = waiter.attempt(&state.value) {
                resumptions.append(resume)
            } else {
                remaining.append(waiter)
            }
        }
        state.waiters = remaining
        return resumptions
    }

    /// Waits until `attempt` gives something other than nil. It is called under the lock and may change the value, so that
    /// two tasks never take the same thing. It is called at least once, unless the task is cancelled already.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, also before the call; ``NetTestingError/timedOut(seconds:)``
    ///   after `timeout` seconds of real time.
    func wait<Result: Sendable>(
        timeout: TimeInterval? = nil,
        _ attempt: @escaping @Sendable (inout Value) throws -> Result?
    ) async throws -> Result {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let alarm = timeout.map { seconds in
            Task { [self] in
                do { try await SystemClock().sleep(for: seconds) } catch { return }
                fail(id, with: NetTestingError.timedOut(seconds: seconds))
            }
        }
        defer { alarm?.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                for resume in register(id, attempt, continuation) { resume() }
            }
        } onCancel: {
            fail(id, with: CancellationError())
        }
    }

    /// Tries at once, and adds the task to those that wait if there is no answer yet.
    ///
    /// - Returns: what resumes this task and the others that its attempt has satisfied.
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
            // `onCancel` may have run before this, and found nobody to resume; it runs only after the flag is set, so a
            // task that was cancelled in time is seen here, and one that is cancelled from now on is found in the list.
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
