public import NetCore

/// Foundation's `URLCache` as a store, for those who have one already (seeds 001 and 002).
///
/// ```swift
/// let store = URLCacheStore(URLCache(memoryCapacity: 20 << 20, diskCapacity: 100 << 20, diskPath: nil))
/// ```
///
/// A ``DiskCache`` does more. A `URLCache` has room for one response for each URL: the last one that was stored, whichever variant it
/// was and for whom. It takes nothing that is larger than a twentieth of its capacity, says nothing if it does not store something, writes
/// to its disk when it likes, and holds each body in memory whole. What is in it can be read by whoever else uses it; what others
/// have put into it is not given out, since nobody knows for whom it was.
public final class URLCacheStore: HTTPCacheStore {
    private let cache: URLCache
    private let key: CacheIdentityKey?
    /// Held while something is compared and changed. A `URLCache` that others change too is safe from this store's races alone.
    private let generations = Locked(GenerationTable())

    /// The most bytes of a body that are gathered for it.
    private static let maximumBodySize = 16 << 20

    /// A store over a cache.
    ///   - identityKey: keeps apart the users of responses in a cache that outlives the process. Nil finds responses that belong to
    ///     somebody in this process only.
    public init(_ cache: URLCache = .shared, identityKey: CacheIdentityKey? = nil) {
        self.cache = cache
        key = identityKey
    }

    /// The key that was given.
    public func identityKey() throws -> CacheIdentityKey? { key }

    /// The one response that is stored, if it is of this key.
    public func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] {
        stored(for: key).map { [$0.entry] } ?? []
    }

    /// The body, if this response is still the one that is stored.
    public func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws -> HTTPBody? {
        stored(for: key).flatMap { $0.entry.id == entry.id ? HTTPBody($0.data) : nil }
    }

    /// Begins to store a response. Nil for one of more than 16 MiB.
    public func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?
    ) async throws -> (any HTTPCacheWriter)? {
        try await beginStoring(entry, for: key, length: length, since: nil)
    }

    /// Begins to store a response, unless its URL is invalidated before the commit. Nil for one of more than 16 MiB.
    public func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?, since generation: HTTPCacheGeneration?
    ) async throws -> (any HTTPCacheWriter)? {
        guard length ?? 0 <= Self.maximumBodySize else { return nil }
        let generation = generation ?? generations.withLock { $0.generation(of: key.url) }
        return URLCacheWriter(limit: Self.maximumBodySize) { [self] data in
            try generations.withLock { generations in
                guard generations.generation(of: key.url) == generation else { throw CancellationError() }
                store(entry, data: data, for: key)
            }
        }
    }

    /// Replaces the head, if this response is still the one that is stored.
    public func update(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
        generations.withLock { _ in
            guard let stored = stored(for: key), stored.entry.id == entry.id else { return }
            store(entry, data: stored.data, for: key)
        }
    }

    /// Replaces the head of the response if it is the one that was validated.
    public func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheGeneration?
    ) async throws -> Bool {
        generations.withLock { generations in
            guard generation.map({ $0 == generations.generation(of: key.url) }) ?? true,
                let stored = stored(for: key), stored.entry.isSameHead(as: old)
            else { return false }
            store(entry, data: stored.data, for: key)
            return true
        }
    }

    /// The generation of a URL. Some URLs share one.
    public func generation(of url: String) async throws -> HTTPCacheGeneration? {
        generations.withLock { $0.generation(of: url) }
    }

    /// Changes the generation of a URL.
    public func advanceGeneration(of url: String) async throws {
        generations.withLock { $0.advance(url) }
    }

    /// Removes the response, if it is still the one that is stored.
    public func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
        generations.withLock { _ in
            guard stored(for: key)?.entry.id == entry.id, let request = Self.request(key.url) else { return }
            cache.removeCachedResponse(for: request)
        }
    }

    /// Removes what is stored for that URL.
    public func removeAll(url: String) async throws {
        generations.withLock { generations in
            generations.advance(url)
            if let request = Self.request(url) { cache.removeCachedResponse(for: request) }
        }
    }

    /// Removes all, also what others have put there.
    public func removeAll() async throws {
        generations.withLock { generations in
            generations.advanceAll()
            cache.removeAllCachedResponses()
        }
    }

    /// Where the entry stands that a response cannot say of itself: a field, since a `URLCache` on disk keeps those.
    private static let field = "X-Networking-Cache-Entry"

    private struct Stamp: Codable {
        let key: HTTPCacheKey
        let entry: HTTPCacheEntry
    }

    private static func request(_ url: String) -> URLRequest? {
        URL(string: url).map { URLRequest(url: $0) }
    }

    private func stored(for key: HTTPCacheKey) -> (entry: HTTPCacheEntry, data: Data)? {
        guard let request = Self.request(key.url), let cached = cache.cachedResponse(for: request),
            let text = (cached.response as? HTTPURLResponse)?.value(forHTTPHeaderField: Self.field),
            let json = Data(base64Encoded: text), let stamp = try? JSONDecoder().decode(Stamp.self, from: json),
            stamp.key == key
        else { return nil }
        return (stamp.entry, cached.data)
    }

    private func store(_ entry: HTTPCacheEntry, data: Data, for key: HTTPCacheKey) {
        guard let request = Self.request(key.url), let url = request.url,
            let stamp = try? JSONEncoder().encode(Stamp(key: key, entry: entry))
        else { return }
        // The length is what a `URLCache` looks at. Freshness is for the cache above to say, so it gets no dates.
        let fields = [Self.field: stamp.base64EncodedString(), "Content-Length": "\(data.count)"]
        guard
            let response = HTTPURLResponse(
                url: url, statusCode: entry.status, httpVersion: "HTTP/1.1", headerFields: fields)
        else { return }
        cache.storeCachedResponse(
            CachedURLResponse(response: response, data: data, userInfo: nil, storagePolicy: .allowed), for: request)
    }
}

/// Gathers a body in memory.
private final class URLCacheWriter: HTTPCacheWriter {
    private let limit: Int
    private let store: @Sendable (Data) throws -> Void
    private let data = Locked<Data?>(Data())

    init(limit: Int, store: @escaping @Sendable (Data) throws -> Void) {
        self.limit = limit
        self.store = store
    }

    func write(_ chunk: Data) async throws {
        let limit = limit
        let fits = data.withLock { data in
            guard let count = data?.count, chunk.count <= limit - count else {
                data = nil
                return false
            }
            data?.append(chunk)
            return true
        }
        guard fits else { throw NetworkError.responseTooLarge(limit: limit) }
    }

    func commit() async throws {
        let whole = data.withLock { data in
            defer { data = nil }
            return data
        }
        guard let whole else { throw CancellationError() }
        try store(whole)
    }

    func abort() async {
        data.withLock { $0 = nil }
    }
}
