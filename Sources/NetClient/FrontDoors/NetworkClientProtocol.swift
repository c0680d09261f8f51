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
public protocol NetworkClientProtocol: Sendable {
    /// Sends an endpoint's request and gives its answer.
    @discardableResult
    func request<E: Endpoint>(_ endpoint: E) async throws(NetworkFailure) -> E.Response

    /// Sends a request and gives its answer.
    @discardableResult
    func send<Value>(_ request: Request<Value>, cached: Bool?) async throws(NetworkFailure) -> Value

    /// Sends a request and decodes the body of its response.
    func execute<Value: Decodable & Sendable>(_ request: URLRequest) async throws(NetworkFailure) -> Value
}

extension NetworkClientProtocol {
    /// Sends a request and gives its answer, by the client's own rules for its cache.
    @discardableResult
    @_disfavoredOverload
    public func send<Value>(_ request: Request<Value>) async throws(NetworkFailure) -> Value {
        try await send(request, cached: nil)
    }
}
