/// What a cache may do for one request (seed 000, Caching): three switches.
///
/// The server's `no-store` wins over it; ``expireTime`` overrides nothing but freshness.
public struct CachePolicy: Hashable, Sendable, Codable {
    /// Whether a stored response may answer the request.
    public let useCache: Bool
    /// Whether a successful response is stored.
    public let storeCache: Bool
    /// Until when a stored response may be used; nil for no limit.
    public let expireTime: Date?

    /// A policy.
    public init(useCache: Bool, storeCache: Bool, expireTime: Date? = nil) {
        self.useCache = useCache
        self.storeCache = storeCache
        self.expireTime = expireTime
    }

    /// Neither reads nor writes: always fresh.
    public static let networkOnly = CachePolicy(useCache: false, storeCache: false)
}
