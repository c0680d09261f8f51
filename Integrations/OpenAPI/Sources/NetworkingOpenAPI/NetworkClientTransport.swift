public import Foundation
public import HTTPTypes
public import NetClient
public import NetCore
import NetworkingHTTPTypes
public import OpenAPIRuntime

/// A transport for clients that Swift OpenAPI Generator makes, on a `NetworkClient`.
///
/// ```swift
/// let client = Client(
///     serverURL: URL(string: "https://api.example.com/v1")!,
///     transport: NetworkClientTransport(client: NetworkClient(retryPolicy: .default)))
/// ```
///
/// Retries, redirects, authentication, cache, limits and logs of the client apply to each operation.
public struct NetworkClientTransport: ClientTransport {
    /// The client that sends the requests.
    public var client: NetworkClient
    /// Changes the context of each call, given the identifier of its operation: its priority, its cache policy, its options.
    public var configure: @Sendable (inout RequestContext, _ operationID: String) -> Void

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - client: the client that sends the requests. Its base URL is not used: the generated client has the server's URL.
    ///   - configure: changes the context of each call, given the identifier of its operation. The default changes nothing.
    public init(
        client: NetworkClient = NetworkClient(),
        configure: @escaping @Sendable (inout RequestContext, _ operationID: String) -> Void = { _, _ in }
    ) {
        self.client = client
        self.configure = configure
    }

    /// Sends a request and returns the response when its head arrives, whatever its status.
    ///
    /// The body of the response is a stream. It can be read once, unless it is in memory already (from a cache). Releasing it unread frees
    /// its connection.
    ///
    /// - Parameters:
    ///   - baseURL: the URL of the server, to whose path the path of the request is appended. Its query is replaced.
    ///   - operationID: the identifier of the operation: see ``RequestContext/openAPIOperationID``.
    /// - Throws: `NetworkFailure`, which the generated client wraps in a `ClientError` as its `underlyingError`.
    public func send(
        _ request: HTTPRequest, body: OpenAPIRuntime.HTTPBody?, baseURL: URL, operationID: String
    ) async throws -> (HTTPResponse, OpenAPIRuntime.HTTPBody?) {
        let urlRequest = try urlRequest(request, baseURL: baseURL)
        var context = RequestContext(clock: client.clock)
        context[OperationID.self] = operationID
        configure(&context, operationID)
        var content: NetCore.HTTPBody?
        if let body { content = try await NetCore.HTTPBody(openAPI: body) }
        let response = try await client.send(urlRequest, body: content, context: context)
        do {
            return (try HTTPResponse(response), OpenAPIRuntime.HTTPBody(response.body))
        } catch {
            throw NetworkFailure(wrapping: error, request: urlRequest, timestamp: client.clock.now)
        }
    }

    private func urlRequest(_ request: HTTPRequest, baseURL: URL) throws(NetworkFailure) -> URLRequest {
        guard let url = URL(server: baseURL, request: request) else {
            throw NetworkFailure(cause: .invalidURL, timestamp: client.clock.now)
        }
        do {
            return try URLRequest(request, url: url)
        } catch {
            throw NetworkFailure(cause: .invalidRequest(error), timestamp: client.clock.now)
        }
    }
}

extension RequestContext {
    /// The identifier of the OpenAPI operation that the call is for; nil for other calls. For interceptors that log, measure or trace: it is
    /// a name of low cardinality.
    public var openAPIOperationID: String? { self[OperationID.self] }
}

private enum OperationID: RequestContext.Key {
    static let defaultValue: String? = nil
}

extension URL {
    /// Appends the path of a request to the path of a server, as the `URLSession` transport of Swift OpenAPI Generator does: percent-encoding
    /// is kept, and slashes are neither added nor removed.
    fileprivate init?(server: URL, request: HTTPRequest) {
        guard var parts = URLComponents(string: server.absoluteString),
            let target = URLComponents(string: request.path ?? "")
        else { return nil }
        parts.percentEncodedPath += target.percentEncodedPath
        parts.percentEncodedQuery = target.percentEncodedQuery
        guard let url = parts.url else { return nil }
        self = url
    }
}
