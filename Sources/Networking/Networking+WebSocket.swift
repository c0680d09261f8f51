public import NetCore
public import NetWebSocket

// WebSockets (RFC 6455).
extension Networking {
    /// Opens a WebSocket: see `webSocket(to:protocols:headers:options:)`. Its handshake is logged, adapted and
    /// authenticated like a request.
    ///
    /// ```swift
    /// let socket = try await networking.webSocket(to: URL(string: "wss://example.com/feed")!)
    /// for try await message in socket.messages { print(message.text ?? "") }
    /// ```
    ///
    /// - Throws: a ``NetworkError``, as the facade's other calls. What the open WebSocket throws is a ``NetworkFailure``.
    public func webSocket(
        to url: URL, protocols: [String] = [], headers: HTTPHeaders = HTTPHeaders(),
        options: WebSocketOptions = WebSocketOptions()
    ) async throws(NetworkError) -> WebSocket {
        var request = URLRequest(url: url)
        if !headers.isEmpty { request.allHTTPHeaderFields = headers.dictionary }
        do {
            return try await client.webSocket(for: request, protocols: protocols, options: options)
        } catch {
            throw error.cause
        }
    }
}
