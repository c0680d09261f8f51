import NetCore

/// Lets one task at a time do something, in the order in which they came. Waiting ends at once when the task is cancelled.
final class Turn: Sendable {
    private struct State {
        var isTaken = false
        var waiters: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
        var last = 0
    }

    private let state = Locked(State())

    /// Waits for the turn.
    ///
    /// - Returns: whether it has come; false if the task was cancelled before. If true, call ``end()``.
    func begin() async -> Bool {
        let id = state.withLock { state in
            state.last += 1
            return state.last
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    // A cancellation that came first has found nobody waiting.
                    if Task.isCancelled { return false }
                    guard state.isTaken else {
                        state.isTaken = true
                        return true
                    }
                    state.waiters.append((id, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
                return state.waiters.remove(at: index).continuation
            }
            waiter?.resume(returning: false)
        }
    }

    /// Gives the turn to whoever waits for it longest.
    func end() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.waiters.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiters.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
