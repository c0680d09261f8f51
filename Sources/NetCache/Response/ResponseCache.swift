public import NetCore

/// An HTTP cache (RFC 9111): answers requests from stored responses for as long as these say, asks the server whether they are still
/// good, and stores what comes.
///
/// ```swift
/// let client = NetworkClient(cache: ResponseCache(maxEntries: 100))
/// ```
///
/// It stands in a client's place for a cache, over any ``HTTPCacheStore``: memory (``NetworkCache``) unless another is given. What the
/// server's header fields and the request's say is done, to the letter: `Cache-Control`, `Expires`, `Age`, `Vary`, `ETag`,
/// `Last-Modified`, `Range`, and RFC 5861's `stale-while-revalidate` and `stale-if-error`. `Docs/Caching.md` has the decision as a
/// picture. Each response tells in `Cache-Status` (RFC 9211) what happened.
///
/// **What a caller can say.** `Cache-Control` in the request; or `URLRequest.cachePolicy`, which means the same (a reload is an
/// unconditional `no-cache`, `.returnCacheDataElseLoad` is `max-stale`, `.returnCacheDataDontLoad` is `only-if-cached, max-stale` and
/// gives a 504 if nothing is stored); or a ``CachePolicy``, whose `expireTime` replaces the freshness that the response claims, and
/// nothing else: `no-store` and `no-cache` stand.
///
/// **Whose response.** Users are kept apart by ``RequestContext/partition`` and by a digest of `Authorization`, `Cookie`, `X-API-Key`
/// and `X-Auth-Token`, where the request has them when it comes by. Credentials that are added further in cannot be seen in time: a
/// response to a request that was *sent* with more of them is not stored, unless the partition is set.
///
/// **Bodies** go into the store while the caller reads them, and are stored when they were read to their end. What is dropped
/// before is not stored.
///
/// Trouble in the store costs a hit or an entry, never the request.
public final class ResponseCache: HTTPCaching {
    /// What this cache may decide by itself.
    public var rules: CacheRules { engine.rules }

    let engine: CacheEngine

    /// A cache in memory for the whole process, for clients that need no other: `NetworkClient(cache: .shared)`.
    public static let shared = ResponseCache()

    /// A cache over a store.
    ///
    /// - Parameters:
    ///   - store: where responses are kept.
    ///   - rules: a private cache that keeps to the standard, unless given.
    public init(store: any HTTPCacheStore, rules: CacheRules = CacheRules()) {
        engine = CacheEngine(store: store, rules: rules)
    }

    /// A cache in memory.
    ///
    /// - Parameters:
    ///   - maxEntries: the most responses to hold.
    ///   - maxBytes: the most bytes of bodies to hold; 50 MiB unless given. A larger body is not stored.
    ///   - rules: a private cache that keeps to the standard, unless given.
    public convenience init(
        maxEntries: Int = 1000, maxBytes: Int = 50 * 1024 * 1024, rules: CacheRules = CacheRules()
    ) {
        self.init(store: NetworkCache(maxBytes: maxBytes, maxEntries: maxEntries), rules: rules)
    }

    deinit { engine.background.end() }

    /// Answers from the store, or sends the request on and stores the response.
    ///
    /// - Throws: what `next` throws. While the body is read, what its source throws.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await engine.respond(to: request, next: next)
    }

    /// Drops every stored response that could answer this request, whosever it is. What is on its way from the server now is not
    /// stored either.
    public func invalidate(for request: URLRequest) async {
        guard let url = request.url, let address = CacheAddress(url, ignoringQueryItems: rules.ignoredQueryItems) else {
            return
        }
        await engine.invalidate(address.text, at: Date())
    }

    /// Drops all that is stored, and does not store what is on its way.
    public func invalidateAll() async {
        await engine.invalidateAll(at: Date())
    }
}

extension HTTPCaching where Self == ResponseCache {
    /// A cache in memory for the whole process: ``ResponseCache/shared``.
    public static var shared: ResponseCache { ResponseCache.shared }
}
