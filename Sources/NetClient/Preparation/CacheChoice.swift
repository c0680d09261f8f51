/// The call's `cached:`; nil for the client's rules.
enum CachedKey: RequestContextKey {
    static let defaultValue: Bool? = nil
}

extension RequestContext {
    /// Applies `cached:`, unless the call has a ``CachePolicy``.
    ///
    /// True enables the HTTP cache (RFC 9111) whatever the client's policy. False neither reads nor stores.
    ///
    /// - Throws: an error that describes the problem, for a method other than GET and HEAD.
    mutating func applyCacheChoice(to request: inout URLRequest) throws {
        guard let isCached = self[CachedKey.self], cachePolicy == nil else { return }
        guard isCached else {
            cachePolicy = .networkOnly
            return
        }
        let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        guard method == .get || method == .head else {
            throw RequestBuildingError("cached: true requires GET or HEAD. The request's method is \(method.rawValue).")
        }
        cachePolicy = CachePolicy(useCache: true, storeCache: true)
        request.cachePolicy = .useProtocolCachePolicy
    }

    /// - Throws: ``NetworkError/unsupported(_:)`` if the call asks for a cache.
    func refuseCacheUse(
        _ advice: String = "This client has no cache. Give it one, or leave out the cache policy."
    ) throws {
        if cachePolicy?.useCache == true || cachePolicy?.storeCache == true || self[CachedKey.self] == true {
            throw NetworkError.unsupported(advice)
        }
    }
}
