/// A transport that can send a request with `Upgrade` and hand over the connection when the server switches protocols (RFC 9110,
/// section 7.8).
package protocol UpgradingTransport: HTTPTransport {
    /// Sends the request on a new connection.
    ///
    /// - Returns: the head of the response. With status 101 it has ``TransportResponse/upgraded``. Any other status is a refusal, with the
    ///   body if that is small.
    func upgrade(_ request: URLRequest, context: RequestContext) async throws -> TransportResponse
}

/// A connection after a successful upgrade. It closes when it is released.
package enum UpgradedConnection: Sendable {
    /// A byte stream, which the caller frames.
    case bytes(any ByteChannel)
    /// A WebSocket that the platform frames (`URLSessionWebSocketTask`).
    case webSocket(any WebSocketTasking)
}

/// A connection that carries bytes in both directions. It closes when it is released.
package protocol ByteChannel: AnyObject, Sendable {
    /// Returns the next bytes, or nil at the end. One reader at a time. Back pressure holds the peer while there is no reader.
    ///
    /// - Throws: ``TransportError``, or `CancellationError`, which closes the connection.
    func receive() async throws -> Data?

    /// Sends bytes in the order of the calls, and returns when the system has taken all of them.
    ///
    /// - Throws: ``TransportError``, or `CancellationError` if the task is cancelled: then either none or all of the bytes are sent.
    func send(_ bytes: Data) async throws

    /// Closes the connection at once. Calling it again does nothing.
    func close()
}

/// A WebSocket of the platform.
package protocol WebSocketTasking: AnyObject, Sendable {
    /// Returns the next message, or nil when the peer has closed. One reader at a time.
    func receive() async throws -> WebSocketPayload?
    /// Returns when the platform has taken the message.
    func send(_ payload: WebSocketPayload) async throws
    /// Returns when the pong has arrived.
    func ping() async throws
    /// Starts the closing handshake.
    func close(code: UInt16, reason: Data)
    /// The status of the peer's Close frame, or 1006 if there was none.
    var closure: (code: UInt16, reason: String) { get }
    /// Drops the connection without a handshake.
    func cancel()
}

/// The largest message that a platform WebSocket accepts, in bytes.
package enum WebSocketMessageSizeKey: RequestContextKey {
    package static let defaultValue = 16 << 20
}

/// Whether the app may use low-level networking on watchOS at the moment, as the caller says.
package enum WebSocketOnWatchOSKey: RequestContextKey {
    package static let defaultValue = false
}

/// The content of a message.
package enum WebSocketPayload: Hashable, Sendable {
    case text(String)
    case binary(Data)
}
