internal import NIOCore
internal import NetCache
internal import NetCore

/// Gathers a body in memory, and sends it to Redis when it is whole.
actor RedisCacheWriter: HTTPCacheWriter {
    private let limit: Int
    private let store: @Sendable (ByteBuffer) async throws -> Void
    /// Nil when it is over.
    private var body: ByteBuffer? = ByteBuffer()

    init(limit: Int, store: @escaping @Sendable (ByteBuffer) async throws -> Void) {
        self.limit = limit
        self.store = store
    }

    func write(_ chunk: Data) throws {
        guard chunk.count <= limit - (body?.readableBytes ?? 0) else {
            body = nil
            throw NetworkError.responseTooLarge(limit: limit)
        }
        body?.writeBytes(chunk)
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
