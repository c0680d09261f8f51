public import NetCore

/// An HTTP cache (RFC 9111). It answers requests from stored responses while these are fresh, validates stale ones, and stores new ones.
///
/// ```swift
/// let client = NetworkClient(cache: ResponseCache(maxEntries: 100))
/// ```
///
/// The cache works over any ``HTTPCacheStore``; the default is memory (``NetworkCache``). It follows the header fields of requests and responses:
/// `Cache-Control`, `Expires`, `Age`, `Vary`, `ETag`, `Last-Modified`, `Range`, and RFC 5861's `stale-while-revalidate` and `stale-if-error`.
/// [Caching](doc:/Guides/Caching) shows the decision as a diagram. The `Cache-Status` of each response (RFC 9211) says what the cache did.
///
/// **Controls of a caller.** A request can have a `Cache-Control` field, or a `URLRequest.cachePolicy` with the same meaning: a reload is an
/// unconditional `no-cache`, `.returnCacheDataElseLoad` is `max-stale`, and `.returnCacheDataDontLoad` is `only-if-cached, max-stale`, which gives a
/// 504 if nothing is stored. The `expireTime` of a ``CachePolicy`` replaces the lifetime in the response, but not `no-store` and `no-cache`.
///
/// **Users.** The key includes ``RequestContext/identity``, so one user's response never reaches another user. A response to a
/// request to which an interceptor behind the cache added credentials is not stored, unless the partition is set.
///
/// **Bodies** are stored while the caller reads them. A body that is not read to its end is not stored.
///
/// A failure of the store costs a hit or an entry, never the request.
public final class ResponseCache: HTTPCaching {
    /// The settings of the cache.
    public var rules: CacheRules { engine.rules }

    let engine: CacheEngine

    /// A cache in memory for the whole process: `NetworkClient(cache: .shared)`.
    public static let shared = ResponseCache()

    /// Creates a cache over a store.
    ///
    /// - Parameters:
    ///   - store: the store of the responses.
    ///   - rules: by default those of a private cache that follows the standard.
    public init(store: any HTTPCacheStore, rules: CacheRules = CacheRules()) {
        engine = CacheEngine(store: store, rules: rules)
        (store as? NetworkCache)?.keepStaleResponses(for: rules)
    }

    /// Creates a cache in memory.
    ///
    /// - Parameters:
    ///   - maxEntries: the maximum number of responses.
    ///   - maxBytes: the maximum number of bytes of all bodies; 50 MiB by default. A larger body is not stored.
    ///   - rules: by default those of a private cache that follows the standard.
    public convenience init(
        maxEntries: Int = 1000, maxBytes: Int = 50 * 1024 * 1024, rules: CacheRules = CacheRules()
    ) {
        self.init(store: NetworkCache(maxBytes: maxBytes, maxEntries: maxEntries), rules: rules)
    }

    deinit { engine.background.end() }

    /// Answers from the store, or sends the request and stores the response.
    ///
    /// - Throws: the errors of `next`. Reading the body throws the errors of its source.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await engine.respond(to: request, next: next)
    }

    /// Removes every stored response that could answer this request, of all owners. Responses on their way from the server are not stored either.
    public func invalidate(for request: URLRequest) async { await engine.invalidate(for: request) }

    /// Removes all stored responses. Responses on their way from the server are not stored either.
    public func invalidateAll() async { await engine.invalidateAll(at: Date()) }
}

extension HTTPCaching where Self == ResponseCache {
    /// A cache in memory for the whole process: ``ResponseCache/shared``.
    public static var shared: ResponseCache { ResponseCache.shared }
}
