/// A client of one API: a base URL and a ``NetworkClient``.
///
/// ```swift
/// struct WeatherClient: APIClient {
///     let baseURL: URL
///     let client: NetworkClient
///
///     func forecast(_ city: String) async throws -> Forecast {
///         try await request(.get, path: "/forecast/\(city)")
///     }
/// }
/// ```
public protocol APIClient: Sendable {
    /// The URL that paths are added to.
    var baseURL: URL { get }
    /// Sends the requests.
    var client: NetworkClient { get }
}

extension APIClient {
    /// Sends a request and returns the decoded response.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - path: the path after ``baseURL``, as plain text: see ``Endpoint/path``.
    ///   - body: the body, which the client's encoder encodes; nil for none.
    /// - Throws: a failure; ``NetworkError/requestFailed(statusCode:data:)`` for a status that is not 200 to 299.
    public func request<Value: Decodable & Sendable>(
        _ method: HTTPMethod, path: String, body: (any Encodable & Sendable)? = nil
    ) async throws(NetworkFailure) -> Value { try await client.value { try call(method, path, body) } }

    /// Sends a request and returns the response, decoded on the caller's actor. Throws as the form for a `Sendable` type.
    public nonisolated(nonsending) func request<Value: Decodable>(
        _ method: HTTPMethod, path: String, body: (any Encodable & Sendable)? = nil
    ) async throws(NetworkFailure) -> Value { try await client.value { try call(method, path, body) } }

    /// Sends a request and ignores the body of its response. Throws as the form with a value.
    public func request(
        _ method: HTTPMethod, path: String, body: (any Encodable & Sendable)? = nil
    ) async throws(NetworkFailure) { try await client.send { try call(method, path, body) } }

    private func call(_ method: HTTPMethod, _ path: String, _ body: (any Encodable & Sendable)?) throws -> Call {
        var call = Call(url: try baseURL.appending(requestPath: path))
        call.method = method
        if let body { try call.setBody(body, encoder: client.encoder) }
        return call
    }
}
