/// What one call wants beside its request: the same for every front door.
package struct CallOptions: Sendable {
    package var headers = HTTPHeaders()
    package var timeout: TimeInterval?
    /// For the call as a whole, in seconds.
    package var totalTimeout: TimeInterval?
    package var retryPolicy: RetryPolicy?
    package var cachePolicy: CachePolicy?
    package var foundationCachePolicy: URLRequest.CachePolicy?
    package var authenticationProvider: (any AuthenticationProvider)?
    package var partition: String?
    package var validation: ResponseValidation?
    package var priority = RequestPriority.normal

    package init() {}

    /// Reads and writes the cache; nil leaves it to the client's rules.
    package static func cachePolicy(cached: Bool) -> CachePolicy? {
        cached ? CachePolicy(useCache: true, storeCache: true) : nil
    }
}
