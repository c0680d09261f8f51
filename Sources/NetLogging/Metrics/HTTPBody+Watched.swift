import NetCore

extension HTTPBody {
    /// The same body, and somebody is told once when it was read to its end, when reading failed, or when nobody will read it any more.
    func watched(end: @escaping @Sendable ((any Error)?) -> Void) -> HTTPBody {
        guard case .stream(let makeReader) = source else {
            end(nil)
            return self
        }
        let watch = EndWatch(end)
        let watched = Source.stream {
            let read = makeReader()
            return {
                do {
                    let chunk = try await read()
                    if chunk == nil { watch.finish(nil) }
                    return chunk
                } catch {
                    watch.finish(error)
                    throw error
                }
            }
        }
        return HTTPBody(source: watched, length: length, isReplayable: isReplayable)
    }
}

/// Tells an end once: also when the last who could have read is gone.
private final class EndWatch: Sendable {
    private let end: Locked<(@Sendable ((any Error)?) -> Void)?>

    init(_ end: @escaping @Sendable ((any Error)?) -> Void) {
        self.end = Locked(end)
    }

    deinit {
        finish(nil)
    }

    func finish(_ error: (any Error)?) {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?(error)
    }
}
