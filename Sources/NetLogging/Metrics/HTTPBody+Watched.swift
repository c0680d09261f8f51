import NetCore

/// The end of reading a streamed body.
struct BodyReading: Sendable {
    /// The bytes that were read.
    var bytes: Int64 = 0
    /// Whether the body was read to its end. It is false without an error if the reader was released.
    var isComplete = false
    var error: (any Error)?
}

extension HTTPBody {
    /// Returns the same body. Calls `end` once: when the body was read to its end, when reading failed, or when its last reader is released. If
    /// the body is not a stream, it calls `end` at once.
    func watched(end: @escaping @Sendable (BodyReading) -> Void) -> HTTPBody {
        guard case .stream(let makeReader) = source else {
            end(BodyReading(bytes: length ?? 0, isComplete: true))
            return self
        }
        let watch = EndWatch(end)
        let watched = Source.stream {
            let read = makeReader()
            return {
                do {
                    let chunk = try await read()
                    watch.add(chunk)
                    return chunk
                } catch {
                    watch.end { $0.error = error }
                    throw error
                }
            }
        }
        return HTTPBody(source: watched, length: length, isReplayable: isReplayable)
    }
}

/// Calls a closure once, at the latest when the last reader is released.
private final class EndWatch: Sendable {
    private struct State {
        var reading = BodyReading()
        var end: (@Sendable (BodyReading) -> Void)?
    }

    private let state: Locked<State>

    init(_ end: @escaping @Sendable (BodyReading) -> Void) { state = Locked(State(end: end)) }

    deinit { end { _ in } }

    func add(_ chunk: Data?) {
        guard let chunk else { return end { $0.isComplete = true } }
        state.withLock { $0.reading.bytes += Int64(chunk.count) }
    }

    func end(_ change: (inout BodyReading) -> Void) {
        let (end, reading) = state.withLock { state in
            defer { state.end = nil }
            change(&state.reading)
            return (state.end, state.reading)
        }
        end?(reading)
    }
}
