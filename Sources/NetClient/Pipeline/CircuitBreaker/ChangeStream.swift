import NetCore

/// Hands events to any number of streams, in the order in which they happened and outside of every lock.
final class ChangeStream<Event: Sendable>: Sendable {
    private struct State {
        var listeners: [UInt64: AsyncStream<Event>.Continuation] = [:]
        var lastID: UInt64 = 0
        var pending: [Event] = []
        var isDelivering = false
    }

    private let state = Locked(State())

    deinit {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() }
    }

    /// A stream of what happens from now on. When its reader is slower, the oldest events are dropped.
    func stream(bufferingNewest limit: Int) -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(limit))
        let id = state.withLock { state in
            state.lastID += 1
            state.listeners[state.lastID] = continuation
            return state.lastID
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }

    /// Puts an event behind the others. May be called under the lock that orders them; ``deliver()`` has to follow, outside of it.
    func append(_ event: Event) {
        state.withLock { if !$0.listeners.isEmpty { $0.pending.append(event) } }
    }

    /// Delivers what is pending, unless somebody is at it, who then delivers this, too.
    func deliver() {
        guard state.withLock({ begin(&$0) }) else { return }
        while let (events, listeners) = state.withLock({ next(&$0) }) {
            for event in events { for listener in listeners { listener.yield(event) } }
        }
    }

    private func begin(_ state: inout State) -> Bool {
        guard !state.isDelivering, !state.pending.isEmpty else { return false }
        state.isDelivering = true
        return true
    }

    private func next(_ state: inout State) -> ([Event], [AsyncStream<Event>.Continuation])? {
        guard !state.pending.isEmpty else {
            state.isDelivering = false
            return nil
        }
        defer { state.pending = [] }
        return (state.pending, Array(state.listeners.values))
    }
}
