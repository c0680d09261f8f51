public import NetCore

/// Stores responses in Foundation's `URLCache`.
///
/// ```swift
/// let store = URLCacheStore(URLCache(memoryCapacity: 20 << 20, diskCapacity: 100 << 20, diskPath: nil))
/// ```
///
/// Prefer a ``DiskCache``. A `URLCache` keeps one response for each URL: the last one stored, for any variant and any user. It refuses without an
/// error, for instance what is larger than a twentieth of its capacity. It writes to its disk when it wants, and holds each body in memory whole.
/// Other users of the same `URLCache` can read all responses. This store ignores responses that others have put there, since their owner is unknown.
public final class URLCacheStore: HTTPCacheStore {
    private let cache: URLCache
    private let key: CacheIdentityKey?
    /// Held during each compare-and-change. It does not protect against other code that changes the same `URLCache`.
    private let generations = Locked(GenerationTable())

    /// The largest body to store, in bytes.
    private static let maximumBodySize = 16 << 20

    /// Creates a store over a cache.
    ///
    /// - Parameters:
    ///   - cache: the cache that stores the responses.
    ///   - identityKey: separates users in a cache that outlives the process. If nil, only this process finds responses with an owner.
    public init(_ cache: URLCache = .shared, identityKey: CacheIdentityKey? = nil) {
        self.cache = cache
        key = identityKey
    }

    public func identityKey() throws -> CacheIdentityKey? { key }

    public func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] {
        stored(for: key).map { [$0.entry] } ?? []
    }

    public func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws -> HTTPBody? {
        stored(for: key).flatMap { $0.entry.id == entry.id ? HTTPBody($0.data) : nil }
    }

    /// Starts to store a response. Returns nil for a body of more than 16 MiB.
    public func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?, since generation: HTTPCacheEntry.Generation?
    ) async throws -> (any HTTPCacheEntry.Writer)? {
        guard length ?? 0 <= Self.maximumBodySize else { return nil }
        let generation = generation ?? generations.withLock { $0.generation(of: key.url) }
        return MemoryWriter(limit: Self.maximumBodySize) { [self] data in
            try generations.withLock { generations in
                guard generations.isCurrent(generation, for: key.url) else { throw CancellationError() }
                store(entry, data: data, for: key)
            }
        }
    }

    public func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheEntry.Generation?
    ) async throws -> Bool {
        generations.withLock { generations in
            guard generations.isCurrent(generation, for: key.url),
                let stored = stored(for: key), stored.entry.isSameHead(as: old)
            else { return false }
            store(entry, data: stored.data, for: key)
            return true
        }
    }

    /// Returns the generation of a URL. Some URLs share one.
    public func generation(of url: String) async throws -> HTTPCacheEntry.Generation? {
        generations.withLock { $0.generation(of: url) }
    }

    public func advanceGeneration(of url: String) async throws { generations.withLock { $0.advance(url) } }

    public func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
        generations.withLock { _ in
            guard stored(for: key)?.entry.id == entry.id, let request = Self.request(key.url) else { return }
            cache.removeCachedResponse(for: request)
        }
    }

    public func removeAll(url: String) async throws {
        generations.withLock { generations in
            generations.advance(url)
            if let request = Self.request(url) { cache.removeCachedResponse(for: request) }
        }
    }

    /// Removes all responses of the `URLCache`, also those of other code.
    public func removeAll() async throws {
        generations.withLock { generations in
            generations.advanceAll()
            cache.removeAllCachedResponses()
        }
    }

    /// The header field that holds the entry. A `URLCache` keeps header fields on disk.
    private static let field = "X-Networking-Cache-Entry"

    private struct Stamp: Codable {
        let key: HTTPCacheKey
        let entry: HTTPCacheEntry
    }

    private static func request(_ url: String) -> URLRequest? { URL(string: url).map { URLRequest(url: $0) } }

    private func stored(for key: HTTPCacheKey) -> (entry: HTTPCacheEntry, data: Data)? {
        guard let request = Self.request(key.url), let cached = cache.cachedResponse(for: request),
            let text = (cached.response as? HTTPURLResponse)?.value(forHTTPHeaderField: Self.field),
            let json = Data(base64Encoded: text), let stamp = try? JSONDecoder().decode(Stamp.self, from: json),
            stamp.key == key
        else { return nil }
        return (stamp.entry, cached.data)
    }

    private func store(_ entry: HTTPCacheEntry, data: Data, for key: HTTPCacheKey) {
        // A `URLCache` reads the length. It gets no dates, since the HTTP cache decides about freshness.
        guard let request = Self.request(key.url), let url = request.url,
            let stamp = try? JSONEncoder().encode(Stamp(key: key, entry: entry)),
            let response = HTTPURLResponse(
                url: url, statusCode: entry.status, httpVersion: "HTTP/1.1",
                headerFields: [Self.field: stamp.base64EncodedString(), "Content-Length": "\(data.count)"])
        else { return }
        cache.storeCachedResponse(
            CachedURLResponse(response: response, data: data, userInfo: nil, storagePolicy: .allowed), for: request)
    }
}
