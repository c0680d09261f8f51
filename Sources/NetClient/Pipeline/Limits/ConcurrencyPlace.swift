import NetCore

/// A place of ``ConcurrencyLimiter`` that a response's body holds: given back once, when the body has ended, or when nobody
/// holds it any more.
final class ConcurrencyPlace: Sendable {
    private let giveBack: Locked<(@Sendable () -> Void)?>

    init(giveBack: @escaping @Sendable () -> Void) {
        self.giveBack = Locked(giveBack)
    }

    deinit {
        leave()
    }

    func leave() {
        let giveBack = giveBack.withLock { giveBack in
            defer { giveBack = nil }
            return giveBack
        }
        giveBack?()
    }
}

extension HTTPBody {
    /// The same body, which keeps a place until it was read to its end, failed, or was let go.
    func holding(_ place: ConcurrencyPlace) -> HTTPBody {
        guard case .stream(let makeReader) = source else { return self }
        let holding = Source.stream {
            let read = makeReader()
            return {
                do {
                    let chunk = try await read()
                    if chunk == nil { place.leave() }
                    return chunk
                } catch NetworkError.bodyNotReplayable {
                    // A second reader, while the first may still be at it.
                    throw NetworkError.bodyNotReplayable
                } catch {
                    place.leave()
                    throw error
                }
            }
        }
        return HTTPBody(source: holding, length: length, isReplayable: isReplayable)
    }
}
