import NetCore

extension HTTPBody {
    /// Returns the same stream, which calls `end` once: with true when it was read to its end, with an error when reading failed, and with
    /// false when its last reader is released.
    func watched(end: @escaping @Sendable (_ isComplete: Bool, _ error: (any Error)?) -> Void) -> HTTPBody {
        let watch = BodyWatch(self, end)
        return HTTPBody(length: length, pulling: { try await watch.next() })
    }
}

private final class BodyWatch: @unchecked Sendable {
    // Unchecked: `HTTPBody.init(length:pulling:)` lets only one reader in.
    private var body: HTTPBody?
    private var iterator: HTTPBody.AsyncIterator?
    private let end: Guarded<(@Sendable (Bool, (any Error)?) -> Void)?>

    init(_ body: HTTPBody, _ end: @escaping @Sendable (Bool, (any Error)?) -> Void) {
        self.body = body
        self.end = Guarded(end)
    }

    deinit {
        finish(false, nil)
    }

    func next() async throws -> Data? {
        if let body {
            iterator = body.makeAsyncIterator()
            self.body = nil
        }
        do {
            if let chunk = try await iterator?.next() { return chunk }
            iterator = nil
            finish(true, nil)
            return nil
        } catch {
            iterator = nil
            finish(false, error)
            throw error
        }
    }

    private func finish(_ isComplete: Bool, _ error: (any Error)?) {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?(isComplete, error)
    }
}
