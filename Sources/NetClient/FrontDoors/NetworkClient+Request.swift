// Requests as values (seed 001).
extension NetworkClient {
    /// Sends a request and gives its answer.
    ///
    /// - Parameters:
    ///   - request: what to send.
    ///   - cached: whether the client's cache may answer, and is to store; false leaves it to the client's own rules.
    /// - Throws: a failure; ``NetworkError/requestFailed(statusCode:data:)`` for a status that is not 200 to 299, and
    ///   ``NetworkError/unsupported(_:)`` for `cached: true` without a cache.
    @discardableResult
    public func send<Value>(
        _ request: Request<Value>, cached: Bool = false
    ) async throws(NetworkFailure) -> Value {
        try await value(options(for: request, cached: cached)) { try lower(request) }
    }

    /// Sends a request and gives its answer.
    ///
    /// - Parameters:
    ///   - request: what to send.
    ///   - retryPolicy: in place of the client's. `.none` sends it once, also where new credentials might help.
    ///   - cached: whether the client's cache may answer, and is to store.
    /// - Throws: as ``send(_:cached:)``.
    @discardableResult
    public func send<Value>(
        _ request: Request<Value>, retryPolicy: RetryPolicy, cached: Bool = false
    ) async throws(NetworkFailure) -> Value {
        var options = options(for: request, cached: cached)
        options.retryPolicy = retryPolicy
        return try await value(options) { try lower(request) }
    }

    /// A call to be refined and then sent.
    public func builder<Value>(for request: Request<Value>) -> CallBuilder<Value> {
        CallBuilder(client: self, options: options(for: request, cached: false)) { try $0.lower(request) }
    }

    package func options<Value>(for request: Request<Value>, cached: Bool) -> CallOptions {
        var options = CallOptions()
        options.cachePolicy = CallOptions.cachePolicy(cached: cached)
        options.foundationCachePolicy = request.cachePolicy
        options.authenticationProvider = request.authenticationProvider
        return options
    }

    package func lower<Value>(_ request: Request<Value>) throws -> RequestBuilder {
        try RequestBuilder(request, environment: environment, encoder: encoder)
    }
}
