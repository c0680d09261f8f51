import NetCore

/// An error of a WebSocket. It is the ``NetworkFailure/underlyingError`` of a ``NetworkFailure``.
///
/// Errors of the network are a ``TransportError``. Branch on ``code``, never on ``message``.
public struct WebSocketError: Error, Hashable, Sendable, CustomStringConvertible, SecretFreeError {
    /// The kind of the error. The raw values never change.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The server answered the handshake with a redirect that is not followed, since it would send credentials elsewhere.
        case redirected
        /// The server answered the handshake with a status other than 101 that is not a redirect.
        case notUpgraded = "not_upgraded"
        /// The response to the handshake violates RFC 6455, section 4.1.
        case invalidHandshake = "invalid_handshake"
        /// The server chose an extension or a subprotocol that was not offered.
        case notOffered = "not_offered"
        /// The server declined compression, which ``WebSocket/Compression/isRequired`` demands.
        case compressionDeclined = "compression_declined"
        /// The peer violated the protocol. The WebSocket was closed with the code 1002.
        case protocolViolation = "protocol_violation"
        /// The peer sent text that is not UTF-8. The WebSocket was closed with the code 1007.
        case invalidText = "invalid_text"
        /// A message exceeds ``WebSocket/Options/maximumMessageSize``. The WebSocket was closed with the code 1009.
        case messageTooLarge = "message_too_large"
        /// The peer did not answer a ping in time.
        case pongMissing = "pong_missing"
        /// The WebSocket is closed: the peer sent a code other than a normal one, or it was closed before the call.
        case closed
    }

    /// The kind of the error.
    public let code: Code
    /// A description without secrets.
    public let message: String
    /// How the WebSocket was closed, for ``Code/closed``.
    public let closure: WebSocket.Closure?
    /// The limit in bytes that a message exceeds, for ``Code/messageTooLarge``.
    private(set) var limit: Int?

    /// Creates an error.
    public init(_ code: Code, message: String, closure: WebSocket.Closure? = nil) {
        self.code = code
        self.message = message
        self.closure = closure
    }

    /// The code and the message on one line.
    public var description: String { "\(code.rawValue): \(message)".onOneLine }
}

extension WebSocketError {
    static func violation(_ message: String) -> WebSocketError { WebSocketError(.protocolViolation, message: message) }

    static var invalidText: WebSocketError {
        WebSocketError(.invalidText, message: "The peer sent text that is not UTF-8.")
    }

    /// - Parameter limit: nil if the caller does not know it.
    static func tooLarge(limit: Int? = nil) -> WebSocketError {
        let size = limit.map { "\($0) bytes" } ?? "the limit"
        var error = WebSocketError(.messageTooLarge, message: "A message exceeds \(size): see maximumMessageSize.")
        error.limit = limit
        return error
    }

    static func closed(_ closure: WebSocket.Closure) -> WebSocketError {
        // The reason is left out: it is the peer's own text.
        WebSocketError(.closed, message: "The WebSocket is closed with the code \(closure.code).", closure: closure)
    }

    /// The code that tells the peer of the error, or nil if it is not told.
    package var closeCode: WebSocket.CloseCode? {
        switch code {
        case .protocolViolation: .protocolError
        case .invalidText: .invalidPayload
        case .messageTooLarge: .messageTooBig
        default: nil
        }
    }
}
