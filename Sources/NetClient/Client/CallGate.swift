/// Counts the calls in flight, and lets none in after the shutdown. One that cancels wakes those that wait: before a
/// retry, or to be online again.
struct CallGate: Sendable {
    private struct State {
        var calls = 0
        var isClosed = false
        var isCancelled = false
        /// Ends those that wait.
        var cancellations: [UInt64: @Sendable () -> Void] = [:]
        var lastWait: UInt64 = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Whether the call may begin. If so, ``leave()`` has to follow.
    func enter() -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.calls += 1
            return true
        }
    }

    func leave() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.calls -= 1
            guard state.isClosed, state.calls == 0, !state.waiters.isEmpty else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Lets no more calls in.
    ///
    /// - Parameter cancelling: whether those in flight are not to be tried again.
    func close(cancelling: Bool) {
        let cancellations = state.withLock { state -> [@Sendable () -> Void] in
            state.isClosed = true
            state.isCancelled = state.isCancelled || cancelling
            return state.isCancelled ? Array(state.cancellations.values) : []
        }
        for cancel in cancellations { cancel() }
    }

    /// Sleeps before a retry.
    ///
    /// - Throws: `CancellationError` if the task is cancelled, or the client shut down in that way.
    func sleep(for seconds: TimeInterval, on clock: any NetworkClock) async throws {
        guard seconds > 0 else {
            try checkCancellation()
            return try await clock.sleep(for: seconds)
        }
        try await run { try await clock.sleep(for: seconds) }
    }

    /// Waits in a way that a shutdown can end.
    ///
    /// - Throws: what the operation throws when it is cancelled, by the task or by a shutdown; `CancellationError` after one.
    func run<Result: Sendable>(_ wait: @escaping @Sendable () async throws -> Result) async throws -> Result {
        try checkCancellation()
        // A task of its own, since the caller's is not ours to cancel.
        let waiter = Task { try await wait() }
        let (id, isCancelled) = state.withLock { state in
            state.lastWait += 1
            state.cancellations[state.lastWait] = { waiter.cancel() }
            return (state.lastWait, state.isCancelled)
        }
        if isCancelled { waiter.cancel() }
        defer { state.withLock { $0.cancellations[id] = nil } }
        return try await withTaskCancellationHandler {
            try await waiter.value
        } onCancel: {
            waiter.cancel()
        }
    }

    private func checkCancellation() throws {
        if state.withLock(\.isCancelled) { throw CancellationError() }
    }

    /// Returns when no call is in flight. Call ``close(cancelling:)`` before.
    func waitUntilEmpty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if state.calls > 0 { state.waiters.append(continuation) }
                return state.calls == 0
            }
            if isEmpty { continuation.resume() }
        }
    }
}
