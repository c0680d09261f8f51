internal import NetCache
internal import NetCore

/// Collects a body in memory, and sends it to Redis when it is complete.
actor RedisCacheWriter: HTTPCacheEntry.Writer {
    private let limit: Int
    private let store: @Sendable (Data) async throws -> Void
    /// Nil after the end.
    private var body: Data? = Data()

    init(limit: Int, store: @escaping @Sendable (Data) async throws -> Void) {
        self.limit = limit
        self.store = store
    }

    func write(_ chunk: Data) throws {
        guard chunk.count <= limit - (body?.count ?? 0) else {
            body = nil
            throw NetworkError.responseTooLarge(limit: limit)
        }
        body?.append(chunk)
    }

    func commit() async throws {
        guard let whole = body else { throw CancellationError() }
        body = nil
        try await store(whole)
    }

    func abort() {
        body = nil
    }
}
