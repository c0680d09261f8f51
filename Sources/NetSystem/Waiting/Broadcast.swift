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

    /// Returns a stream of the elements from now on. It ends with the broadcast.
    ///
    /// - Parameters:
    ///   - limit: the number of elements, at least 1, that wait for a slow reader. The oldest are dropped.
    ///   - first: the first element; nil for none.
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
