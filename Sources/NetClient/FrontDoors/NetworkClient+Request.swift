// Requests as values (seed 001).
extension NetworkClient {
    /// Sends a request and gives its answer.
    ///
    /// - Parameters:
    ///   - request: what to send.
    ///   - cached: true is the HTTP cache in full (RFC 9111), whatever the client's policy: for GET and HEAD. False neither looks up nor
    ///     stores. Nil leaves it to the client's rules.
    /// - Throws: a failure; ``NetworkError/requestFailed(statusCode:data:)`` for a status that is not 200 to 299,
    ///   ``NetworkError/unsupported(_:)`` for `cached: true` without a cache, and ``NetworkError/invalidRequest`` for `cached: true` with
    ///   another method.
    @discardableResult
    public func send<Value: Decodable & Sendable>(
        _ request: Request<Value>, cached: Bool? = nil
    ) async throws(NetworkFailure) -> Value {
        try await value(options(for: request, cached: cached)) { try lower(request) }
    }

    /// Sends a request and gives its answer, decoded on the caller's actor.
    @discardableResult
    public nonisolated(nonsending) func send<Value: Decodable>(
        _ request: Request<Value>, cached: Bool? = nil
    ) async throws(NetworkFailure) -> Value {
        try await value(options(for: request, cached: cached)) { try lower(request) }
    }

    /// Sends a request and gives its answer, for code that knows the type of the answer as a generic parameter only: decoded on the
    /// caller's actor.
    ///
    /// - Throws: a failure; ``NetworkError/unsupported(_:)`` if the answer's type is not `Decodable`.
    @discardableResult
    public nonisolated(nonsending) func send<Value>(
        _ request: Request<Value>, cached: Bool? = nil
    ) async throws(NetworkFailure) -> Value {
        try await valueIfDecodable(options(for: request, cached: cached)) { try lower(request) }
    }

    /// Sends a request and gives its answer, decoded off the caller's actor: the same as `send(_:cached:)` for an answer that may be
    /// decoded anywhere.
    @discardableResult
    public func send<Value: Decodable & Sendable>(
        concurrently request: Request<Value>, cached: Bool?
    ) async throws(NetworkFailure) -> Value {
        try await value(options(for: request, cached: cached)) { try lower(request) }
    }

    /// Sends a request and gives its answer.
    ///
    /// - Parameters:
    ///   - request: what to send.
    ///   - retryPolicy: in place of the client's. `.none` sends it once, also where new credentials might help.
    ///   - cached: whether the client's cache takes part; nil leaves it to the client's rules.
    /// - Throws: as `send(_:cached:)`.
    @discardableResult
    public func send<Value: Decodable & Sendable>(
        _ request: Request<Value>, retryPolicy: RetryPolicy, cached: Bool? = nil
    ) async throws(NetworkFailure) -> Value {
        var options = options(for: request, cached: cached)
        options.retryPolicy = retryPolicy
        return try await value(options) { try lower(request) }
    }

    /// Sends a request with a retry policy in place of the client's, and gives its answer, decoded on the caller's actor.
    @discardableResult
    public nonisolated(nonsending) func send<Value: Decodable>(
        _ request: Request<Value>, retryPolicy: RetryPolicy, cached: Bool? = nil
    ) async throws(NetworkFailure) -> Value {
        var options = options(for: request, cached: cached)
        options.retryPolicy = retryPolicy
        return try await value(options) { try lower(request) }
    }

    /// A call to be refined and then sent.
    public func builder<Value>(for request: Request<Value>) -> CallBuilder<Value> {
        CallBuilder(client: self, options: options(for: request, cached: nil)) { try $0.lower(request) }
    }

    package func options<Value>(for request: Request<Value>, cached: Bool?) -> CallOptions {
        var options = CallOptions()
        options.isCached = cached
        options.foundationCachePolicy = request.cachePolicy
        options.authenticationProvider = request.authenticationProvider
        return options
    }

    package func lower(_ config: RequestConfig) throws -> RequestBuilder {
        try RequestBuilder(config, environment: environment, encoder: encoder)
    }

    package func lower<Value>(_ request: Request<Value>) throws -> RequestBuilder {
        try RequestBuilder(request, environment: environment, encoder: encoder)
    }
}
