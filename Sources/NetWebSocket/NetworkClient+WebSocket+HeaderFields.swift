public import NetClient
public import NetCore

// WebSockets, with the headers in a `[String: String]` variable. A literal is an `HTTPHeaders`.
extension NetworkClient {
    /// Opens a WebSocket.
    ///
    /// - Throws: as the form that takes ``HTTPHeaders``.
    @_disfavoredOverload
    public func webSocket(
        to url: URL, protocols: [String] = [], headers: some Sequence<(key: String, value: String)>,
        options: WebSocketOptions = WebSocketOptions()
    ) async throws(NetworkFailure) -> WebSocket {
        try await webSocket(
            to: url, protocols: protocols, headers: HTTPHeaders(fields: headers), options: options)
    }

    /// A WebSocket that connects again when it was lost: see ``ReconnectingWebSocket``. Nothing is opened yet.
    @_disfavoredOverload
    public func reconnectingWebSocket(
        to url: URL, protocols: [String] = [], headers: some Sequence<(key: String, value: String)>,
        options: WebSocketOptions = WebSocketOptions(), reconnection: WebSocketReconnection = .default,
        resubscribe: @escaping @Sendable (WebSocket) async throws -> Void = { _ in }
    ) -> ReconnectingWebSocket {
        reconnectingWebSocket(
            to: url, protocols: protocols, headers: HTTPHeaders(fields: headers), options: options,
            reconnection: reconnection, resubscribe: resubscribe)
    }
}
