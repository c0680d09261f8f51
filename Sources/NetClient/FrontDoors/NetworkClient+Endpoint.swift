// Endpoints: typed ones, and enums whose response type the caller names.
extension NetworkClient: NetworkClientProtocol {
    /// Sends an endpoint's request and returns the decoded response.
    ///
    /// ```swift
    /// let user = try await client.request(GetUserEndpoint(id: "123"))
    /// ```
    ///
    /// - Throws: a failure; ``NetworkError/requestFailed(statusCode:data:)`` for a status that is not 200 to 299.
    @discardableResult
    public func request<E: Endpoint, Response: Decodable & Sendable>(
        _ endpoint: E
    ) async throws(NetworkFailure) -> Response where E.Response == Response {
        try await value { try call(for: endpoint) }
    }

    /// Sends an endpoint's request and returns the response, decoded on the caller's actor.
    @discardableResult
    public nonisolated(nonsending) func request<E: Endpoint, Response: Decodable>(
        _ endpoint: E
    ) async throws(NetworkFailure) -> Response where E.Response == Response {
        try await value { try call(for: endpoint) }
    }

    /// Sends an endpoint's request and returns the response, decoded on the caller's actor: for code that knows the endpoint as a generic
    /// parameter only.
    ///
    /// - Throws: a failure; ``NetworkError/unsupported(_:)`` if the response type is not `Decodable`.
    @discardableResult
    public nonisolated(nonsending) func request<E: Endpoint>(_ endpoint: E) async throws(NetworkFailure) -> E.Response {
        try await valueIfDecodable { try call(for: endpoint) }
    }

    /// Sends an endpoint's request and returns the response, decoded off the caller's actor. The same as `request(_:)` for a `Sendable` response.
    @discardableResult
    public func request<E: Endpoint, Response: Decodable & Sendable>(
        decodingConcurrently endpoint: E
    ) async throws(NetworkFailure) -> Response where E.Response == Response {
        try await value { try call(for: endpoint) }
    }

    /// Returns a builder of a call: `client.request(endpoint).timeout(60).send()`.
    ///
    /// In asynchronous code `let call = client.request(endpoint)` selects the function that sends: use ``builder(for:)-(E)`` there. At the top
    /// level of a `main.swift`, Swift prefers this function even after `await`: write the type of the value.
    public func request<E: Endpoint>(_ endpoint: E) -> CallBuilder<E.Response> { builder(for: endpoint) }

    /// Returns a builder of a call. No other function has this name.
    public func builder<E: Endpoint>(for endpoint: E) -> CallBuilder<E.Response> {
        CallBuilder(client: self) { try $0.call(for: endpoint) }
    }

    /// Sends an endpoint's request and returns the response, decoded as a type of the caller's choice.
    ///
    /// ```swift
    /// let found = try await client.fetch(Shop.search(query: "tea", page: 1), as: [Product].self)
    /// ```
    ///
    /// - Parameters:
    ///   - endpoint: the endpoint. Its ``Endpoint/Response`` does not matter.
    ///   - type: the type of the value; may be inferred.
    ///   - cachePolicy: Foundation's cache policy; nil for the client's.
    /// - Throws: as `request(_:)`.
    public func fetch<Value: Decodable & Sendable>(
        _ endpoint: some Endpoint, as type: Value.Type = Value.self, cachePolicy: URLRequest.CachePolicy? = nil
    ) async throws(NetworkFailure) -> Value {
        try await value(as: type) { try call(for: endpoint, cachePolicy: cachePolicy) }
    }

    /// Sends an endpoint's request and returns the response, decoded on the caller's actor as a type of the caller's choice.
    public nonisolated(nonsending) func fetch<Value: Decodable>(
        _ endpoint: some Endpoint, as type: Value.Type = Value.self, cachePolicy: URLRequest.CachePolicy? = nil
    ) async throws(NetworkFailure) -> Value {
        try await value(as: type) { try call(for: endpoint, cachePolicy: cachePolicy) }
    }

    /// The same as `fetch(_:as:cachePolicy:)` without any cache.
    public func fetchFresh<Value: Decodable & Sendable>(
        _ endpoint: some Endpoint, as type: Value.Type = Value.self
    ) async throws(NetworkFailure) -> Value {
        try await fetch(endpoint, as: type, cachePolicy: .reloadIgnoringLocalCacheData)
    }

    /// The same as `fetch(_:as:cachePolicy:)` without any cache, decoded on the caller's actor.
    public nonisolated(nonsending) func fetchFresh<Value: Decodable>(
        _ endpoint: some Endpoint, as type: Value.Type = Value.self
    ) async throws(NetworkFailure) -> Value {
        try await fetch(endpoint, as: type, cachePolicy: .reloadIgnoringLocalCacheData)
    }

    /// Sends a value as the body of an endpoint's request, in place of the endpoint's own. Its ``Endpoint/contentType`` says how it is encoded.
    ///
    /// - Throws: as `request(_:)`; ``NetworkError/invalidRequest`` for an endpoint with the method GET or HEAD, unless its
    ///   ``Endpoint/allowsBodyOnGet`` is true.
    public func send<Value: Decodable & Sendable>(
        _ body: any Encodable & Sendable, to endpoint: some Endpoint
    ) async throws(NetworkFailure) -> Value { try await value { try call(for: endpoint, body) } }

    /// Sends a value as the body of an endpoint's request, and returns the response, decoded on the caller's actor.
    public nonisolated(nonsending) func send<Value: Decodable>(
        _ body: any Encodable & Sendable, to endpoint: some Endpoint
    ) async throws(NetworkFailure) -> Value { try await value { try call(for: endpoint, body) } }

    private func call(for endpoint: some Endpoint, _ body: any Encodable & Sendable) throws -> Call {
        var call = try self.call(for: endpoint)
        try call.setBody(body, as: endpoint.contentType, encoder: encoder)
        return call
    }

    package func call(for endpoint: some Endpoint, cachePolicy: URLRequest.CachePolicy? = nil) throws -> Call {
        var call = try Call(endpoint, environment: environment, encoder: encoder, queryEncoding: queryEncoding)
        call.foundationCachePolicy = cachePolicy
        return call
    }
}
