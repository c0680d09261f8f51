/// Sends elements to any number of streams.
package final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var streams: [UInt64: AsyncStream<Element>.Continuation] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Locked(State())

    package init() {}

    deinit {
        // Outside of the lock, since the end of a stream calls back.
        for stream in state.withLock({ $0.streams.values }) { stream.finish() }
    }

    /// Returns a stream of the elements from now on. It ends when the broadcast is released.
    ///
    /// - Parameters:
    ///   - limit: the number of elements that wait for a slow reader. The oldest are dropped.
    ///   - first: the first element; nil for none.
    package func stream(bufferingNewest limit: Int, first: Element? = nil) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(limit))
        let id = state.withLock { state in
            state.lastID += 1
            state.streams[state.lastID] = continuation
            if let first { continuation.yield(first) }
            return state.lastID
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.streams[id] = nil } }
        return stream
    }

    /// Sends an element to all streams. A caller that orders elements by a lock may hold it: sending wakes readers and runs none.
    package func send(_ element: Element) {
        state.withLock { state in
            for stream in state.streams.values { stream.yield(element) }
        }
    }
}
