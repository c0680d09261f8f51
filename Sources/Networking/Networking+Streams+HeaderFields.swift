public import NetCore
public import NetTransfer

// Streams, server-sent events and WebSockets, with the headers in a `[String: String]` variable. A literal is an `HTTPHeaders`.
extension Networking {
    /// Sends a request to a URL and gives the response as soon as its head is there: see ``stream(_:)``.
    ///
    /// - Throws: as the form that takes ``HTTPHeaders``.
    @_disfavoredOverload
    public func stream(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], headers: some Sequence<(key: String, value: String)>
    ) async throws(NetworkError) -> ResponseStream {
        try await stream(
            url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters,
            headers: HTTPHeaders(fields: headers))
    }

    /// The events of a server, connected to again as a browser does: see ``serverSentEvents(_:configuration:)``.
    @_disfavoredOverload
    public func serverSentEvents(
        url: URL, method: HTTPMethod = .get, queryParameters: [String: any Encodable & Sendable] = [:],
        bodyParameters: [String: any Encodable & Sendable] = [:], headers: some Sequence<(key: String, value: String)>,
        configuration: ServerSentEventsConfiguration = ServerSentEventsConfiguration()
    ) -> ServerSentEventSequence {
        serverSentEvents(
            url: url, method: method, queryParameters: queryParameters, bodyParameters: bodyParameters,
            headers: HTTPHeaders(fields: headers), configuration: configuration)
    }

    /// Opens a WebSocket: see `webSocket(to:protocols:headers:options:)`. Its handshake is logged, adapted and
    ///
    /// - Throws: as the form that takes ``HTTPHeaders``.
    @_disfavoredOverload
    public func webSocket(
        to url: URL, protocols: [String] = [], headers: some Sequence<(key: String, value: String)>,
        options: WebSocketOptions = WebSocketOptions()
    ) async throws(NetworkError) -> WebSocket {
        try await webSocket(
            to: url, protocols: protocols, headers: HTTPHeaders(fields: headers), options: options)
    }
}
