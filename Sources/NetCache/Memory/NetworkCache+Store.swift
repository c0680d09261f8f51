public import NetCore

extension NetworkCache: HTTPCacheStore {
    /// The responses under a key, the newest first.
    public func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry] {
        storage.withLock { $0.entries(for: key) }
    }

    /// The body of a response, which is then the most recently used; nil if it is gone.
    public func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async -> HTTPBody? {
        storage.withLock { $0.body(of: entry, for: key) }.map { HTTPBody($0) }
    }

    /// Begins to store a response; nil if its body is larger than the whole cache may be.
    public func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?
    ) async -> (any HTTPCacheWriter)? {
        await beginStoring(entry, for: key, length: length, since: nil)
    }

    /// Begins to store a response, unless its URL is invalidated before the commit; nil if its body is larger than the whole cache may
    /// be.
    public func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?, since generation: HTTPCacheGeneration?
    ) async -> (any HTTPCacheWriter)? {
        let expected = length.map { Int(clamping: $0) } ?? 0
        return storage.withLock { storage in
            guard storage.canHold(bytes: expected) else { return nil }
            let generation = generation ?? storage.generations.generation(of: key.url)
            return MemoryWriter(cache: self, entry: entry, key: key, generation: generation)
        }
    }

    /// The generation of a URL. Some URLs share one.
    public func generation(of url: String) async -> HTTPCacheGeneration? {
        storage.withLock { $0.generations.generation(of: url) }
    }

    /// Changes the generation of a URL.
    public func advanceGeneration(of url: String) async {
        storage.withLock { $0.generations.advance(url) }
    }

    /// Replaces the head of a response if it is the one that was validated.
    public func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheGeneration?
    ) async -> Bool {
        storage.withLock { $0.update(entry, for: key, replacing: old, since: generation) }
    }

    /// Makes the response the most recently used.
    public func recordUse(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async {
        storage.withLock { $0.recordUse(of: entry, for: key) }
    }

    /// Replaces the head of a response that is there.
    public func update(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async {
        storage.withLock { _ = $0.update(entry, for: key) }
    }

    /// Removes one response.
    public func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async {
        storage.withLock { $0.remove(entry, for: key) }
    }

    /// Removes all responses for one URL; not what was stored by ``setResponse(_:for:expireTime:)``.
    public func removeAll(url: String) async {
        storage.withLock { $0.removeAll(url: url) }
    }

    /// Removes everything, as ``clear()`` does.
    public func removeAll() async {
        clear()
    }
}

/// Gathers a body, and puts it in when it is complete.
private final class MemoryWriter: HTTPCacheWriter {
    private let cache: NetworkCache
    private let entry: HTTPCacheEntry
    private let key: HTTPCacheKey
    private let generation: HTTPCacheGeneration
    /// Nil when it is over.
    private let body = Locked<Data?>(Data())

    init(cache: NetworkCache, entry: HTTPCacheEntry, key: HTTPCacheKey, generation: HTTPCacheGeneration) {
        self.cache = cache
        self.entry = entry
        self.key = key
        self.generation = generation
    }

    func write(_ chunk: Data) async throws {
        let count = body.withLock { body in
            body?.append(chunk)
            return body?.count ?? 0
        }
        guard cache.storage.withLock({ $0.canHold(bytes: count) }) else {
            await abort()
            throw NetworkError.responseTooLarge(limit: count - 1)
        }
    }

    func commit() async throws {
        guard let data = take() else { throw CancellationError() }
        try cache.storage.withLock { storage in
            guard storage.isCurrent(generation, for: key) else { throw CancellationError() }
            storage.insert(entry, body: data, for: key)
        }
        cache.startPurging()
    }

    func abort() async {
        _ = take()
    }

    private func take() -> Data? {
        body.withLock { body in
            defer { body = nil }
            return body
        }
    }
}
