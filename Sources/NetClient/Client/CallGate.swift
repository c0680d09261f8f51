/// Counts the calls in flight, and lets none in after the shutdown.
struct CallGate: Sendable {
    private struct State {
        var calls = 0
        var isClosed = false
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
    func close() {
        state.withLock { $0.isClosed = true }
    }

    /// Returns when no call is in flight. Call ``close()`` before.
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
