/// What one call wants beside its request: the same for every front door.
struct CallOptions: Sendable {
    var headers = HTTPHeaders()
    var timeout: TimeInterval?
    /// For the call as a whole, in seconds.
    var totalTimeout: TimeInterval?
    var retryPolicy: RetryPolicy?
    var cachePolicy: CachePolicy?
    var foundationCachePolicy: URLRequest.CachePolicy?
    var authenticationProvider: (any AuthenticationProvider)?
    var partition: String?
    var validation: ResponseValidation?
    var priority = RequestPriority.normal

    /// Reads and writes the cache; nil leaves it to the client's rules.
    static func cachePolicy(cached: Bool) -> CachePolicy? {
        cached ? CachePolicy(useCache: true, storeCache: true) : nil
    }
}
