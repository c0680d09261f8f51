/// Counts the calls in flight, and lets none in after the shutdown. One that cancels wakes those that sleep before a retry.
struct CallGate: Sendable {
    private struct State {
        var calls = 0
        var isClosed = false
        var isCancelled = false
        var sleepers: [UInt64: Task<Void, any Error>] = [:]
        var lastSleeper: UInt64 = 0
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
        let sleepers = state.withLock { state -> [Task<Void, any Error>] in
            state.isClosed = true
            state.isCancelled = state.isCancelled || cancelling
            return state.isCancelled ? Array(state.sleepers.values) : []
        }
        for sleeper in sleepers { sleeper.cancel() }
    }

    /// Sleeps before a retry.
    ///
    /// - Throws: `CancellationError` if the task is cancelled, or the client shut down in that way.
    func sleep(for seconds: TimeInterval, on clock: any NetworkClock) async throws {
        let id = try state.withLock { state in
            if state.isCancelled { throw CancellationError() }
            state.lastSleeper += 1
            return state.lastSleeper
        }
        guard seconds > 0 else { return try await clock.sleep(for: seconds) }
        // A task of its own, since the caller's is not ours to cancel.
        let sleeper = Task { try await clock.sleep(for: seconds) }
        let isCancelled = state.withLock { state in
            state.sleepers[id] = sleeper
            return state.isCancelled
        }
        if isCancelled { sleeper.cancel() }
        defer { state.withLock { $0.sleepers[id] = nil } }
        try await withTaskCancellationHandler {
            try await sleeper.value
        } onCancel: {
            sleeper.cancel()
        }
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
