public import NetCore
public import NetWebSocket

/// The behaviour of a ``MockServer`` on a WebSocket (RFC 6455): what it sends by itself, and whether it echoes messages.
///
/// ```swift
/// server.on("/echo", .webSocket())
/// server.on("/news", .webSocket(MockWebSocket([.message(.text("hello")), .pause(0.1), .close(.goingAway)], echoes: false)))
/// ```
///
/// It answers pings and Close frames. A request that does not open a WebSocket gets 426.
public struct MockWebSocket: Hashable, Sendable {
    /// Something that the server does by itself.
    public enum Step: Hashable, Sendable {
        /// A message, in one frame.
        case message(WebSocket.Message)
        /// A message, in that many frames.
        case fragmented(WebSocket.Message, frames: Int)
        /// A ping with the first 125 bytes of that payload.
        case ping(Data)
        /// A pause in seconds.
        case pause(TimeInterval)
        /// A Close frame. Then the server waits for the client's, and closes.
        case close(WebSocket.CloseCode, reason: String = "")
        /// Exactly these bytes.
        case raw(Data)
        /// Closes the connection without a Close frame.
        case drop
        /// Resets the connection (RST).
        case reset
    }

    /// The steps as soon as the WebSocket is open.
    public var steps: [Step]
    /// Whether the server sends back each message.
    public var echoes: Bool
    /// The subprotocol that the server chooses, whether or not it was offered, or nil.
    public var subprotocol: String?
    /// The compression (RFC 7692) that the server accepts if the client offers it, or nil for none. It limits both ends; of the sizes
    /// of the window the smaller one counts. The steps ``Step/message(_:)`` and ``Step/fragmented(_:frames:)`` and echoes are compressed.
    public var compression: WebSocket.Compression?

    public init(
        _ steps: [Step] = [], echoes: Bool = true, subprotocol: String? = nil, compression: WebSocket.Compression? = nil
    ) {
        self.steps = steps
        self.echoes = echoes
        self.subprotocol = subprotocol
        self.compression = compression
    }
}
