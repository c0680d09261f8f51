/// Waiting tasks in order of arrival. The list is part of a state in a ``Locked``; ``Locked/wait(in:cancelled:unless:)`` adds to it.
package struct WaiterList<Value: Sendable>: Sendable {
    /// A waiting task. Resume it once, outside the lock.
    package typealias Waiter = CheckedContinuation<Value, Never>

    private var waiters: [(id: UInt64, waiter: Waiter)] = []
    private var lastID: UInt64 = 0

    package init() {}

    package var isEmpty: Bool { waiters.isEmpty }
    package var count: Int { waiters.count }

    /// Removes and returns the waiter that arrived first.
    package mutating func popFirst() -> Waiter? { waiters.isEmpty ? nil : waiters.removeFirst().waiter }

    /// Removes and returns all waiters, in order of arrival.
    package mutating func popAll() -> [Waiter] {
        defer { waiters = [] }
        return waiters.map(\.waiter)
    }

    fileprivate mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    fileprivate mutating func append(_ waiter: Waiter, id: UInt64) { waiters.append((id, waiter)) }

    fileprivate mutating func remove(_ id: UInt64) -> Waiter? {
        waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0).waiter }
    }
}

extension Locked {
    /// Waits until a waiter of the list is resumed, unless the result is ready.
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
                    // An earlier cancellation found no waiter to resume.
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

/// A lock that tasks acquire in order of arrival (FIFO), and may hold across suspensions.
package final class AsyncMutex: Sendable {
    private struct State {
        var isLocked = false
        var waiters = WaiterList<Bool>()
    }

    private let state = Locked(State())

    package init() {}

    /// Acquires the lock, and returns whether it is held: false if the task was cancelled first. If true, call ``unlock()``.
    package func lock() async -> Bool {
        await state.wait(in: \.waiters, cancelled: false) { state in
            guard !state.isLocked else { return nil }
            state.isLocked = true
            return true
        }
    }

    /// Acquires the lock, also in a cancelled task. Call ``unlock()`` afterwards.
    package func lockEvenIfCancelled() async {
        if await lock() { return }
        // A task of its own is not cancelled.
        _ = await Task { await lock() }.value
    }

    /// Passes the lock to the next waiting task, or releases it.
    package func unlock() {
        let next = state.withLock { state -> WaiterList<Bool>.Waiter? in
            state.isLocked = !state.waiters.isEmpty
            return state.waiters.popFirst()
        }
        next?.resume(returning: true)
    }
}

/// Sends elements to any number of streams.
package final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var streams: [UInt64: AsyncStream<Element>.Continuation] = [:]
        var lastID: UInt64 = 0
        var hasEnded = false
    }

    private let state = Locked(State())

    package init() {}

    deinit { finish() }

    package var isEmpty: Bool { state.withLock { $0.streams.isEmpty } }

    /// Sends an element to all streams. A caller that orders elements by a lock may hold it: sending wakes readers and runs none.
    package func send(_ element: Element) {
        state.withLock { state in
            for stream in state.streams.values { stream.yield(element) }
        }
    }

    /// Ends all streams. Later streams end at once.
    package func finish() {
        let streams = state.withLock { state in
            state.hasEnded = true
            return Array(state.streams.values)
        }
        // Outside the lock, since the end of a stream calls back.
        for stream in streams { stream.finish() }
    }

    /// Returns a stream of `first`, if any, and of the elements from now on. It ends with the broadcast.
    ///
    /// - Parameter limit: the number of elements, at least 1, that wait for a slow reader. The oldest are dropped.
    package func stream(bufferingNewest limit: Int, first: Element? = nil) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(max(1, limit)))
        let id = state.withLock { state -> UInt64? in
            guard !state.hasEnded else { return nil }
            state.lastID += 1
            state.streams[state.lastID] = continuation
            if let first { continuation.yield(first) }
            return state.lastID
        }
        if let id {
            continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.streams[id] = nil } }
        } else {
            continuation.finish()
        }
        return stream
    }
}
