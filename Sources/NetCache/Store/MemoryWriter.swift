import NetCore

/// Collects a body in memory, and stores it when it is complete.
final class MemoryWriter: HTTPCacheEntry.Writer {
    private let limit: Int
    private let store: @Sendable (Data) throws -> Void
    /// Nil after a commit or an abort.
    private let body = Locked<Data?>(Data())

    /// - Parameter store: throws `CancellationError` if the URL was invalidated since the writer was made.
    init(limit: Int = .max, store: @escaping @Sendable (Data) throws -> Void) {
        self.limit = limit
        self.store = store
    }

    func write(_ chunk: Data) async throws {
        let fits = body.withLock { body in
            guard chunk.count <= limit - (body?.count ?? 0) else { return false }
            body?.append(chunk)
            return true
        }
        guard fits else {
            await abort()
            throw NetworkError.responseTooLarge(limit: limit)
        }
    }

    func commit() async throws {
        guard let data = take() else { throw CancellationError() }
        try store(data)
    }

    func abort() async { _ = take() }

    private func take() -> Data? {
        body.withLock { body in
            defer { body = nil }
            return body
        }
    }
}
