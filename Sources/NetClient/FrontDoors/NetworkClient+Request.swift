extension NetworkClient {
    // MARK: URLRequest

    /// Sends a request and serialises an accepted response: see ``data(for:body:context:)``.
    ///
    /// - Throws: a failure; ``NetworkError/decodingError(_:)`` for an error of the serialiser.
    @concurrent
    public func value<Serializer: ResponseSerializer>(
        for request: URLRequest, body: HTTPBody? = nil, context: RequestContext? = nil, serializer: Serializer
    ) async throws(NetworkFailure) -> Serializer.Value {
        let (data, response) = try await data(for: request, body: body, context: context)
        return try value(of: data, response) { try serializer.serialize($0, response: $1) }
    }

    /// Sends a request and returns the decoded response.
    ///
    /// - Throws: a failure; ``NetworkError/noData`` for an empty body and ``NetworkError/decodingError(_:)`` for another type.
    public func execute<Value: Decodable & Sendable>(
        decodingConcurrently request: URLRequest
    ) async throws(NetworkFailure) -> Value {
        try await value(for: request, serializer: DecodableSerializer(Value.self, decoder: decoder))
    }

    /// Sends a request and returns the response, decoded on the caller's actor. Throws as the form for a `Sendable` type.
    @_disfavoredOverload
    public nonisolated(nonsending) func execute<Value: Decodable>(
        _ request: URLRequest
    ) async throws(NetworkFailure) -> Value {
        let (data, response) = try await data(for: request)
        return try value(of: data, response) { try decoder.value(Value.self, of: $0, response: $1) }
    }

    // MARK: Request

    /// Sends a request and returns the decoded response.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - cached: true enables the HTTP cache (RFC 9111) whatever the client's policy, for GET and HEAD. False neither reads nor stores. Nil
    ///     uses the client's rules.
    /// - Throws: a failure; ``NetworkError/requestFailed(statusCode:data:)`` for a status that is not 200 to 299, ``NetworkError/unsupported(_:)``
    ///   for `cached: true` without a cache, and ``NetworkError/invalidRequest`` for `cached: true` with another method.
    @discardableResult
    public func send<Value: Decodable & Sendable>(
        _ request: Request<Value>, cached: Bool? = nil
    ) async throws(NetworkFailure) -> Value { try await value { try call(for: request, cached: cached) } }

    /// Sends a request and returns the response, decoded on the caller's actor.
    @discardableResult
    public nonisolated(nonsending) func send<Value: Decodable>(
        _ request: Request<Value>, cached: Bool? = nil
    ) async throws(NetworkFailure) -> Value { try await value { try call(for: request, cached: cached) } }

    /// Sends a request and returns the response, decoded on the caller's actor: for code that knows the response type as a generic parameter only.
    ///
    /// - Throws: a failure; ``NetworkError/unsupported(_:)`` if the response type is not `Decodable`.
    @discardableResult
    public nonisolated(nonsending) func send<Value>(
        _ request: Request<Value>, cached: Bool? = nil
    ) async throws(NetworkFailure) -> Value { try await valueIfDecodable { try call(for: request, cached: cached) } }

    /// Sends a request and returns the response, decoded off the caller's actor. The same as `send(_:cached:)` for a `Sendable` response.
    @discardableResult
    public func send<Value: Decodable & Sendable>(
        decodingConcurrently request: Request<Value>, cached: Bool?
    ) async throws(NetworkFailure) -> Value { try await value { try call(for: request, cached: cached) } }

    /// Sends a request as `send(_:cached:)`, with a retry policy in place of the client's. `.none` sends the request once, even if new
    /// credentials would help.
    @discardableResult
    public func send<Value: Decodable & Sendable>(
        _ request: Request<Value>, retryPolicy: RetryPolicy, cached: Bool? = nil
    ) async throws(NetworkFailure) -> Value {
        try await value { try call(for: request, cached: cached, retryPolicy: retryPolicy) }
    }

    /// Sends a request with a retry policy and returns the response, decoded on the caller's actor.
    @discardableResult
    public nonisolated(nonsending) func send<Value: Decodable>(
        _ request: Request<Value>, retryPolicy: RetryPolicy, cached: Bool? = nil
    ) async throws(NetworkFailure) -> Value {
        try await value { try call(for: request, cached: cached, retryPolicy: retryPolicy) }
    }

    /// Returns a builder of a call.
    public func builder<Value>(for request: Request<Value>) -> CallBuilder<Value> {
        CallBuilder(client: self) { try $0.call(for: request) }
    }

    package func call<Value>(
        for request: Request<Value>, cached: Bool? = nil, retryPolicy: RetryPolicy? = nil
    ) throws -> Call {
        var call = try Call(request, environment: environment, encoder: encoder, queryEncoding: queryEncoding)
        call.isCached = cached
        call.retryPolicy = retryPolicy
        return call
    }
}
