/// What a service needs of a client, so that a test can give it another (seed 003).
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
/// A double of your own has the first three methods; the others are made of them.
///
/// ```swift
/// struct OfflineClient: NetworkClientProtocol {
///     func request<E: Endpoint>(_ endpoint: E) async throws(NetworkFailure) -> E.Response { throw .noConnection() }
///     func send<Value>(_ request: Request<Value>, cached: Bool?) async throws(NetworkFailure) -> Value { throw .noConnection() }
///     func execute<Value: Decodable>(_ request: URLRequest) async throws(NetworkFailure) -> Value { throw .noConnection() }
/// }
/// ```
public protocol NetworkClientProtocol: Sendable {
    /// Sends an endpoint's request and gives its answer, which is made where this is called.
    @discardableResult
    @_disfavoredOverload
    nonisolated(nonsending) func request<E: Endpoint>(_ endpoint: E) async throws(NetworkFailure) -> E.Response

    /// Sends a request and gives its answer, which is made where this is called.
    @discardableResult
    @_disfavoredOverload
    nonisolated(nonsending) func send<Value>(
        _ request: Request<Value>, cached: Bool?
    ) async throws(NetworkFailure) -> Value

    /// Sends a request and decodes the body of its response where this is called.
    @_disfavoredOverload
    nonisolated(nonsending) func execute<Value: Decodable>(_ request: URLRequest) async throws(NetworkFailure) -> Value

    /// Sends an endpoint's request and gives its answer, decoded off the caller's actor.
    @discardableResult
    func request<E: Endpoint, Response: Decodable & Sendable>(
        concurrently endpoint: E
    ) async throws(NetworkFailure) -> Response where E.Response == Response

    /// Sends a request and gives its answer, decoded off the caller's actor.
    @discardableResult
    func send<Value: Decodable & Sendable>(
        concurrently request: Request<Value>, cached: Bool?
    ) async throws(NetworkFailure) -> Value

    /// Sends a request and decodes the body of its response off the caller's actor.
    func execute<Value: Decodable & Sendable>(
        concurrently request: URLRequest
    ) async throws(NetworkFailure) -> Value
}

// What a double need not write.
extension NetworkClientProtocol {
    /// The answer as ``request(_:)-(E)`` makes it.
    @discardableResult
    public func request<E: Endpoint, Response: Decodable & Sendable>(
        concurrently endpoint: E
    ) async throws(NetworkFailure) -> Response where E.Response == Response {
        try await answer(endpoint)
    }

    /// The answer as ``send(_:cached:)`` makes it.
    @discardableResult
    public func send<Value: Decodable & Sendable>(
        concurrently request: Request<Value>, cached: Bool?
    ) async throws(NetworkFailure) -> Value {
        try await answer(request, cached: cached)
    }

    /// The answer as ``execute(_:)`` makes it.
    public func execute<Value: Decodable & Sendable>(
        concurrently request: URLRequest
    ) async throws(NetworkFailure) -> Value {
        // By its type, since `execute(request)` is the form below.
        let execute: (URLRequest) async throws(NetworkFailure) -> Value = execute
        return try await execute(request)
    }

    // Without what makes the forms below the better ones.
    private func answer<E: Endpoint>(_ endpoint: E) async throws(NetworkFailure) -> E.Response {
        try await request(endpoint)
    }

    private func answer<Value>(_ request: Request<Value>, cached: Bool?) async throws(NetworkFailure) -> Value {
        try await send(request, cached: cached)
    }
}

// The calls, for an answer that may be decoded anywhere: it is decoded off the caller's actor.
extension NetworkClientProtocol {
    /// Sends an endpoint's request and gives its answer.
    @discardableResult
    public func request<E: Endpoint, Response: Decodable & Sendable>(
        _ endpoint: E
    ) async throws(NetworkFailure) -> Response where E.Response == Response {
        try await request(concurrently: endpoint)
    }

    /// Sends a request and gives its answer.
    @discardableResult
    public func send<Value: Decodable & Sendable>(
        _ request: Request<Value>, cached: Bool?
    ) async throws(NetworkFailure) -> Value {
        try await send(concurrently: request, cached: cached)
    }

    /// Sends a request and decodes the body of its response.
    ///
    /// - Parameters:
    ///   - request: what to send.
    ///   - type: of the answer; may be left to the compiler where that knows it.
    /// - Throws: a failure; ``NetworkError/noData`` and ``NetworkError/decodingError(_:)`` among them.
    public func execute<Value: Decodable & Sendable>(
        _ request: URLRequest, as type: Value.Type = Value.self
    ) async throws(NetworkFailure) -> Value {
        try await execute(concurrently: request)
    }

    /// Sends a request and gives its answer, by the client's own rules for its cache.
    @discardableResult
    public func send<Value: Decodable & Sendable>(_ request: Request<Value>) async throws(NetworkFailure) -> Value {
        try await send(concurrently: request, cached: nil)
    }

    /// Sends a request and gives its answer, made where this is called, by the client's own rules for its cache.
    @discardableResult
    @_disfavoredOverload
    public nonisolated(nonsending) func send<Value>(
        _ request: Request<Value>
    ) async throws(NetworkFailure) -> Value {
        try await send(request, cached: nil)
    }
}
