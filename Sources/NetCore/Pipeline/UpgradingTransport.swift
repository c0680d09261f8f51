/// A transport that can leave HTTP: it sends a request with `Upgrade`, and hands the connection over when the server switches
/// (RFC 9110, section 7.8). What the connection then carries is no business of its own.
package protocol UpgradingTransport: HTTPTransport {
    /// Sends the request on a connection of its own.
    ///
    /// - Returns: the head of the answer. With the status 101 it has ``TransportResponse/upgraded``; any other is a refusal, with
    ///   the body if that is small.
    func upgrade(_ request: URLRequest, context: RequestContext) async throws -> TransportResponse
}

/// What has become of a connection after a successful upgrade. It closes when nobody holds it any more.
package enum UpgradedConnection: Sendable {
    /// Bytes, to be framed by who asked for the upgrade.
    case bytes(any ByteChannel)
    /// A WebSocket whose frames the platform makes itself (`URLSessionWebSocketTask`).
    case webSocket(any WebSocketTasking)
}

/// A connection that carries bytes in both directions. It closes when it is released.
package protocol ByteChannel: AnyObject, Sendable {
    /// The next bytes, or nil at the end. One reader at a time. The peer has to wait while nobody reads.
    ///
    /// - Throws: ``TransportError``, or `CancellationError`, after which the connection is closed.
    func receive() async throws -> Data?

    /// Sends bytes, in the order of the calls, and returns when the system has taken all of them.
    ///
    /// - Throws: ``TransportError``; `CancellationError` if the task is cancelled: then either none of the bytes are sent, or all of
    ///   them are.
    func send(_ bytes: Data) async throws

    /// Closes the connection at once. Twice is fine.
    func close()
}

/// A WebSocket of the platform.
package protocol WebSocketTasking: AnyObject, Sendable {
    /// The next message, or nil when the peer has closed. One reader at a time.
    func receive() async throws -> WebSocketPayload?
    /// Returns when the message was taken.
    func send(_ payload: WebSocketPayload) async throws
    /// Returns when the pong has come.
    func ping() async throws
    /// Begins the closing handshake.
    func close(code: UInt16, reason: Data)
    /// The status of the peer's Close frame, or 1006 if there was none.
    var closure: (code: UInt16, reason: String) { get }
    /// Drops the connection.
    func cancel()
}

/// The largest message that a WebSocket of the platform accepts, in bytes.
package enum WebSocketMessageSizeKey: RequestContextKey {
    package static let defaultValue = 16 << 20
}

/// Whether the caller says that watchOS lets the app use low-level networking now.
package enum WebSocketOnWatchOSKey: RequestContextKey {
    package static let defaultValue = false
}

/// What a message holds.
package enum WebSocketPayload: Hashable, Sendable {
    case text(String)
    case binary(Data)
}
