/// What one call wants beside its request: the same for every front door.
package struct CallOptions: Sendable {
    package var headers = HTTPHeaders()
    package var timeout: TimeInterval?
    /// For the call as a whole, in seconds.
    package var totalTimeout: TimeInterval?
    package var retryPolicy: RetryPolicy?
    /// How many times the call may be sent again, beside the policy.
    package var retryCount = 0
    package var cachePolicy: CachePolicy?
    /// Whether the call wants the cache; nil for the client's rules. ``cachePolicy`` wins.
    package var isCached: Bool?
    package var foundationCachePolicy: URLRequest.CachePolicy?
    package var authenticationProvider: (any AuthenticationProvider)?
    package var partition: String?
    package var validation: ResponseValidation?
    package var priority = RequestPriority.normal

    package init() {}
}
