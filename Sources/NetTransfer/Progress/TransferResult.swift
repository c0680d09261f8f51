import NetCore

/// A result that many may wait for, each until its own task is cancelled.
///
/// A value that is not `Sendable` belongs to the main actor, which alone makes one and asks for one: see ``TransferTask``.
final class TransferResult<Value>: Sendable {
    typealias Outcome = UncheckedSendable<Result<Value, NetworkFailure>>

    private struct State {
        var outcome: Outcome?
        var waiters: [UInt64: CheckedContinuation<Outcome, Never>] = [:]
        var lastWaiter: UInt64 = 0
    }

    private let state = Locked(State())

    var isThere: Bool { state.withLock { $0.outcome != nil } }

    /// The first one stands.
    func resolve(_ result: Result<Value, NetworkFailure>) {
        let outcome = Outcome(result)
        let waiters = state.withLock { state -> [CheckedContinuation<Outcome, Never>] in
            guard state.outcome == nil else { return [] }
            state.outcome = outcome
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    func wait() async -> Result<Value, NetworkFailure> {
        await outcome().value
    }

    private func outcome() async -> Outcome {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state -> Outcome? in
                    if let outcome = state.outcome { return outcome }
                    // Asked under the lock: a cancellation after it finds the waiter in the list.
                    if Task.isCancelled { return Outcome(.failure(.cancelled())) }
                    state.waiters[number] = continuation
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(
                returning: Outcome(.failure(.cancelled())))
        }
    }
}
