/// A client of one API: its base URL, and the ``NetworkClient`` that sends (seed 004).
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
    /// What paths are added to.
    var baseURL: URL { get }
    /// Sends the requests.
    var client: NetworkClient { get }
}

extension APIClient {
    /// Sends a request and decodes its answer.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - path: behind ``baseURL``, as plain text: see ``Endpoint/path``.
    ///   - body: encoded by the client's encoder; nil for none.
    /// - Throws: a failure; ``NetworkError/requestFailed(statusCode:data:)`` for a status that is not 200 to 299.
    public func request<Value: Decodable & Sendable>(
        _ method: HTTPMethod, path: String, body: (any Encodable & Sendable)? = nil
    ) async throws(NetworkFailure) -> Value {
        try await client.value(CallOptions()) { try lower(method, path, body) }
    }

    /// Sends a request and decodes its answer on the caller's actor.
    ///
    /// - Throws: a failure; ``NetworkError/requestFailed(statusCode:data:)`` for a status that is not 200 to 299.
    public nonisolated(nonsending) func request<Value: Decodable>(
        _ method: HTTPMethod, path: String, body: (any Encodable & Sendable)? = nil
    ) async throws(NetworkFailure) -> Value {
        try await client.value(CallOptions()) { try lower(method, path, body) }
    }

    /// Sends a request of which only the success matters.
    ///
    /// - Throws: as for one that has an answer.
    public func request(
        _ method: HTTPMethod, path: String, body: (any Encodable & Sendable)? = nil
    ) async throws(NetworkFailure) {
        try await client.send(CallOptions()) { try lower(method, path, body) }
    }

    private func lower(
        _ method: HTTPMethod, _ path: String, _ body: (any Encodable & Sendable)?
    ) throws -> RequestBuilder {
        var builder = RequestBuilder(url: try baseURL.appending(requestPath: path))
        builder.method = method
        if let body { try builder.setBody(body, encoder: client.encoder) }
        return builder
    }
}
