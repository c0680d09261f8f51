/// The client of a service, so that a test can replace it.
///
/// ```swift
/// struct UserService {
///     let client: any NetworkClientProtocol
///
///     func user(id: String) async throws -> User {
///         try await client.request(GetUserEndpoint(id: id))
///     }
/// }
/// ```
///
/// A test double implements the first three methods. The others have defaults.
///
/// ```swift
/// struct OfflineClient: NetworkClientProtocol {
///     func request<E: Endpoint>(_ endpoint: E) async throws(NetworkFailure) -> E.Response { throw .noConnection() }
///     func send<Value>(_ request: Request<Value>, cached: Bool?) async throws(NetworkFailure) -> Value { throw .noConnection() }
///     func execute<Value: Decodable>(_ request: URLRequest) async throws(NetworkFailure) -> Value { throw .noConnection() }
/// }
/// ```
public protocol NetworkClientProtocol: Sendable {
    /// Sends an endpoint's request and returns the response, decoded on the caller's actor.
    @discardableResult
    @_disfavoredOverload
    nonisolated(nonsending) func request<E: Endpoint>(_ endpoint: E) async throws(NetworkFailure) -> E.Response

    /// Sends a request and returns the response, decoded on the caller's actor.
    @discardableResult
    @_disfavoredOverload
    nonisolated(nonsending) func send<Value>(
        _ request: Request<Value>, cached: Bool?
    ) async throws(NetworkFailure) -> Value

    /// Sends a request and returns the response, decoded on the caller's actor.
    @_disfavoredOverload
    nonisolated(nonsending) func execute<Value: Decodable>(_ request: URLRequest) async throws(NetworkFailure) -> Value

    /// Sends an endpoint's request and returns the response, decoded off the caller's actor.
    @discardableResult
    func request<E: Endpoint, Response: Decodable & Sendable>(
        decodingConcurrently endpoint: E
    ) async throws(NetworkFailure) -> Response where E.Response == Response

    /// Sends a request and returns the response, decoded off the caller's actor.
    @discardableResult
    func send<Value: Decodable & Sendable>(
        decodingConcurrently request: Request<Value>, cached: Bool?
    ) async throws(NetworkFailure) -> Value

    /// Sends a request and returns the response, decoded off the caller's actor.
    func execute<Value: Decodable & Sendable>(
        decodingConcurrently request: URLRequest
    ) async throws(NetworkFailure) -> Value
}

// The defaults.
extension NetworkClientProtocol {
    /// Calls ``request(_:)-(E)``.
    @discardableResult
    public func request<E: Endpoint, Response: Decodable & Sendable>(
        decodingConcurrently endpoint: E
    ) async throws(NetworkFailure) -> Response where E.Response == Response { try await answer(endpoint) }

    /// Calls ``send(_:cached:)``.
    @discardableResult
    public func send<Value: Decodable & Sendable>(
        decodingConcurrently request: Request<Value>, cached: Bool?
    ) async throws(NetworkFailure) -> Value { try await answer(request, cached: cached) }

    /// Calls ``execute(_:)``.
    public func execute<Value: Decodable & Sendable>(
        decodingConcurrently request: URLRequest
    ) async throws(NetworkFailure) -> Value {
        // By its type, since `execute(request)` selects the overload below.
        let execute: (URLRequest) async throws(NetworkFailure) -> Value = execute
        return try await execute(request)
    }

    // Generic, so that the overloads below are not selected.
    private func answer<E: Endpoint>(_ endpoint: E) async throws(NetworkFailure) -> E.Response {
        try await request(endpoint)
    }

    private func answer<Value>(_ request: Request<Value>, cached: Bool?) async throws(NetworkFailure) -> Value {
        try await send(request, cached: cached)
    }
}

// The calls of a `Sendable` response, which is decoded off the caller's actor.
extension NetworkClientProtocol {
    /// Sends an endpoint's request and returns the decoded response.
    @discardableResult
    public func request<E: Endpoint, Response: Decodable & Sendable>(
        _ endpoint: E
    ) async throws(NetworkFailure) -> Response where E.Response == Response {
        try await request(decodingConcurrently: endpoint)
    }

    /// Sends a request and returns the decoded response.
    @discardableResult
    public func send<Value: Decodable & Sendable>(
        _ request: Request<Value>, cached: Bool?
    ) async throws(NetworkFailure) -> Value { try await send(decodingConcurrently: request, cached: cached) }

    /// Sends a request and returns the decoded response.
    ///
    /// - Throws: a failure; ``NetworkError/noData`` for an empty body and ``NetworkError/decodingError(_:)`` for another type.
    public func execute<Value: Decodable & Sendable>(
        _ request: URLRequest, as type: Value.Type = Value.self
    ) async throws(NetworkFailure) -> Value { try await execute(decodingConcurrently: request) }

    /// Sends a request by the client's cache rules, and returns the decoded response.
    @discardableResult
    public func send<Value: Decodable & Sendable>(_ request: Request<Value>) async throws(NetworkFailure) -> Value {
        try await send(decodingConcurrently: request, cached: nil)
    }

    /// Sends a request by the client's cache rules, and returns the response, decoded on the caller's actor.
    @discardableResult
    @_disfavoredOverload
    public nonisolated(nonsending) func send<Value>(_ request: Request<Value>) async throws(NetworkFailure) -> Value {
        try await send(request, cached: nil)
    }
}
