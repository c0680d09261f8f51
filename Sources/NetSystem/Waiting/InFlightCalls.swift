/// The calls of a client in flight. It refuses new ones after a shutdown. A shutdown that cancels ends the waits before a retry and for a connection.
package final class InFlightCalls: Sendable {
    private struct State {
        var calls = 0
        /// The number of the last call, and of the last one that ``cancelAll()`` cancelled.
        var lastCall: UInt64 = 0
        var lastCancelled: UInt64 = 0
        var isClosed = false
        var isCancelled = false
        /// End the waits.
        var cancellations: [UInt64: @Sendable () -> Void] = [:]
        var lastWait: UInt64 = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    package init() {}

    /// Counts a new call, and returns its number, or nil if it may not begin. Call ``leave()`` at its end.
    package func enter() -> UInt64? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            state.calls += 1
            state.lastCall += 1
            return state.lastCall
        }
    }

    /// Whether ``cancelAll()`` cancelled the call with that number.
    package func isCancelled(_ call: UInt64) -> Bool { state.withLock { $0.lastCancelled >= call } }

    /// The number of the next call. A wait for it is cancelled by each ``cancelAll()`` that follows that call.
    package var nextCall: UInt64 { state.withLock { $0.lastCall + 1 } }

    /// Cancels the calls so far: ends their waits, and refuses their next steps.
    package func cancelAll() {
        let cancellations = state.withLock { state in
            state.lastCancelled = state.lastCall
            return Array(state.cancellations.values)
        }
        for cancel in cancellations { cancel() }
    }

    package func leave() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.calls -= 1
            guard state.isClosed, state.calls == 0, !state.waiters.isEmpty else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Refuses new calls, and ends the waits of calls in flight if it cancels them.
    package func close(cancelling: Bool) {
        let cancellations = state.withLock { state -> [@Sendable () -> Void] in
            state.isClosed = true
            state.isCancelled = state.isCancelled || cancelling
            return state.isCancelled ? Array(state.cancellations.values) : []
        }
        for cancel in cancellations { cancel() }
    }

    /// Runs a wait that a shutdown and ``cancelAll()`` can cancel.
    ///
    /// - Parameter call: the number of the call that waits; 0 if it belongs to none.
    /// - Throws: the error of the operation; `CancellationError` after a shutdown that cancels, and if the call was cancelled.
    package func run<Result: Sendable>(
        for call: UInt64, _ wait: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        if state.withLock(\.isCancelled) { throw CancellationError() }
        // A task of its own, since a shutdown must not cancel the caller's task.
        let waiter = beginTask(wait)
        let (id, isCancelled) = state.withLock { state in
            state.lastWait += 1
            state.cancellations[state.lastWait] = { waiter.cancel() }
            // A call without a number is cancelled by a shutdown only.
            return (state.lastWait, state.isCancelled || call > 0 && state.lastCancelled >= call)
        }
        if isCancelled { waiter.cancel() }
        defer { state.withLock { $0.cancellations[id] = nil } }
        return try await withTaskCancellationHandler {
            try await waiter.value
        } onCancel: {
            waiter.cancel()
        }
    }

    /// Returns when no call is in flight. Call ``close(cancelling:)`` first.
    package func waitUntilEmpty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if state.calls > 0 { state.waiters.append(continuation) }
                return state.calls == 0
            }
            if isEmpty { continuation.resume() }
        }
    }
}
