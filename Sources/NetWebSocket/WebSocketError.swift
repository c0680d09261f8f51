import NetCore

/// What was wrong with a WebSocket: beneath a ``NetworkFailure``, as its ``NetworkFailure/underlyingError``.
///
/// What the network did is a ``TransportError``, as everywhere. Branch on ``code``, never on ``message``.
public struct WebSocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was wrong. The raw values never change.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The server answered the handshake with a redirect, which is not followed: credentials and messages would go elsewhere.
        case redirected
        /// The server answered with a status that is neither 101 nor an error.
        case notUpgraded = "not_upgraded"
        /// The server's answer to the handshake is not what RFC 6455, section 4.1, wants.
        case invalidHandshake = "invalid_handshake"
        /// The server chose a subprotocol that was not offered, or an extension.
        case notOffered = "not_offered"
        /// The peer sent what the protocol forbids. It was told with the code 1002.
        case protocolViolation = "protocol_violation"
        /// Text that is no UTF-8. The peer was told with the code 1007.
        case invalidText = "invalid_text"
        /// A message is over ``WebSocket/Options/maximumMessageSize``. The peer was told with the code 1009.
        case messageTooLarge = "message_too_large"
        /// The peer did not answer a ping in time.
        case pongMissing = "pong_missing"
        /// The WebSocket is closed: by the peer with a code that is no normal one, or before the call.
        case closed
    }

    /// What was wrong.
    public let code: Code
    /// In words, without secrets.
    public let message: String
    /// With what it was closed, for ``Code/closed``.
    public let closure: WebSocket.Closure?
    /// The limit that was passed, in bytes, for ``Code/messageTooLarge``.
    let limit: Int?

    /// An error.
    public init(_ code: Code, message: String, closure: WebSocket.Closure? = nil) {
        self.init(code, message: message, closure: closure, limit: nil)
    }

    init(_ code: Code, message: String, closure: WebSocket.Closure?, limit: Int?) {
        self.code = code
        self.message = message
        self.closure = closure
        self.limit = limit
    }

    /// Code and message in one line.
    public var description: String { "\(code.rawValue): \(message)".onOneLine }
}

extension WebSocketError: SecretFreeError {}

extension WebSocketError {
    static func violation(_ message: String) -> WebSocketError { WebSocketError(.protocolViolation, message: message) }

    static var invalidText: WebSocketError {
        WebSocketError(.invalidText, message: "The peer sent text that is no UTF-8.")
    }

    /// For where the limit is not known.
    static var tooLarge: WebSocketError { tooLarge(limit: nil) }

    static func tooLarge(limit: Int?) -> WebSocketError {
        WebSocketError(
            .messageTooLarge,
            message: "A message is larger than \(limit.map { "\($0) bytes" } ?? "allowed"): see maximumMessageSize.",
            closure: nil, limit: limit)
    }

    static func closed(_ closure: WebSocket.Closure) -> WebSocketError {
        // The reason is the peer's own text, and may hold anything.
        WebSocketError(.closed, message: "The WebSocket is closed, with the code \(closure.code).", closure: closure)
    }

    /// What the peer is told.
    package var closeCode: WebSocket.CloseCode? {
        switch code {
        case .protocolViolation: .protocolError
        case .invalidText: .invalidPayload
        case .messageTooLarge: .messageTooBig
        default: nil
        }
    }
}
