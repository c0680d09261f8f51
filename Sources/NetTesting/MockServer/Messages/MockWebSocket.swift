public import NetCore
public import NetWebSocket

/// What a ``MockServer`` does on a WebSocket (RFC 6455): what it says by itself, and whether it says back what it hears.
///
/// ```swift
/// server.on("/echo", .webSocket())
/// server.on("/news", .webSocket(MockWebSocket([.message(.text("hello")), .pause(0.1), .close(.goingAway)], echoes: false)))
/// ```
///
/// It answers pings, and closes when it is asked to. A request that does not open a WebSocket gets 426.
public struct MockWebSocket: Hashable, Sendable {
    /// Something that a server says by itself.
    public enum Step: Hashable, Sendable {
        /// A message, in one frame.
        case message(WebSocketMessage)
        /// A message, in that many frames.
        case fragmented(WebSocketMessage, frames: Int)
        /// A ping with that payload, of which 125 bytes are sent at most.
        case ping(Data)
        /// Nothing for that many seconds.
        case pause(TimeInterval)
        /// A Close frame; then the server waits for the client's, and ends.
        case close(WebSocketCloseCode, reason: String = "")
        /// Exactly these bytes, be they a frame or not.
        case raw(Data)
        /// The connection is closed without a Close frame.
        case drop
        /// The connection is torn down (RST).
        case reset
    }

    /// What it says as soon as the WebSocket is open.
    public var steps: [Step]
    /// Whether it sends back each message as it came.
    public var echoes: Bool
    /// The subprotocol that it chooses, whether or not it was offered; nil for none.
    public var subprotocol: String?

    /// A WebSocket. An echo, unless told otherwise.
    public init(_ steps: [Step] = [], echoes: Bool = true, subprotocol: String? = nil) {
        self.steps = steps
        self.echoes = echoes
        self.subprotocol = subprotocol
    }
}

extension MockResponse {
    /// Opens a WebSocket for the requests that ask for one.
    public static func webSocket(_ socket: MockWebSocket = MockWebSocket()) -> MockResponse {
        var response = MockResponse(status: 101)
        response.webSocket = socket
        return response
    }
}
