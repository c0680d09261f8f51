/// Tasks that wait, in order of arrival. It is part of a state that a ``Locked`` guards, and ``Locked/wait(in:cancelled:unless:)`` adds to it.
package struct WaiterList<Value: Sendable>: Sendable {
    /// A task that waits. Resume it once, outside the lock.
    package typealias Waiter = CheckedContinuation<Value, Never>

    private var waiters: [(id: UInt64, waiter: Waiter)] = []
    private var lastID: UInt64 = 0

    package init() {}

    package var isEmpty: Bool { waiters.isEmpty }
    package var count: Int { waiters.count }

    /// Removes and returns the waiter that arrived first.
    package mutating func popFirst() -> Waiter? {
        waiters.isEmpty ? nil : waiters.removeFirst().waiter
    }

    /// Removes and returns all waiters, in order of arrival.
    package mutating func popAll() -> [Waiter] {
        defer { waiters = [] }
        return waiters.map(\.waiter)
    }

    fileprivate mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    fileprivate mutating func append(_ waiter: Waiter, id: UInt64) {
        waiters.append((id, waiter))
    }

    fileprivate mutating func remove(_ id: UInt64) -> Waiter? {
        waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0).waiter }
    }
}

extension Locked {
    /// Waits until a waiter of the list is resumed, unless there is nothing to wait for.
    ///
    /// - Parameters:
    ///   - list: the list of the guarded state in which the task waits.
    ///   - cancelled: the result if the task is cancelled before or while it waits. A cancelled task leaves the list.
    ///   - ready: called under the lock. Returns the result if the task need not wait, or nil if it must.
    package func wait<Result: Sendable>(
        in list: any WritableKeyPath<Value, WaiterList<Result>> & Sendable, cancelled: Result,
        unless ready: (inout Value) -> Result?
    ) async -> Result {
        let id = withLock { $0[keyPath: list].makeID() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result = withLock { state -> Result? in
                    // The handler of a cancellation that came first found no waiter.
                    if Task.isCancelled { return cancelled }
                    if let result = ready(&state) { return result }
                    state[keyPath: list].append(continuation, id: id)
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            withLock { $0[keyPath: list].remove(id) }?.resume(returning: cancelled)
        }
    }
}

/// Lets one task at a time run a piece of work, in order of arrival.
package final class AsyncMutex: Sendable {
    private struct State {
        var isLocked = false
        var waiters = WaiterList<Bool>()
    }

    private let state = Locked(State())

    package init() {}

    /// Waits for the lock.
    ///
    /// - Returns: whether it is held: false if the task was cancelled first. If true, call ``unlock()``.
    package func lock() async -> Bool {
        await state.wait(in: \.waiters, cancelled: false) { state in
            guard !state.isLocked else { return nil }
            state.isLocked = true
            return true
        }
    }

    /// Hands the lock to the task that has waited longest, or frees it.
    package func unlock() {
        let next = state.withLock { state -> WaiterList<Bool>.Waiter? in
            let next = state.waiters.popFirst()
            if next == nil { state.isLocked = false }
            return next
        }
        next?.resume(returning: true)
    }
}
