public import NetCore

/// How a WebSocket behaves. Times are in seconds, by the client's clock.
public struct WebSocketOptions: Sendable {
    /// The largest message that is accepted, in bytes; 16 MiB unless set. A larger one closes the WebSocket with the code 1009, before
    /// it has come.
    public var maximumMessageSize = 16 << 20
    /// How long after an answer the next ping is sent, to see that the peer is still there, and to keep firewalls on the way open. Nil,
    /// unless set, sends none by itself; the server's pings are always answered.
    public var pingInterval: TimeInterval?
    /// How long the answer to such a ping may take. Then the connection is given up, with ``WebSocketError/Code/pongMissing``.
    public var pongTimeout: TimeInterval = 20
    /// How long to wait for the peer's part in closing.
    public var closeTimeout: TimeInterval = 5
    /// Messages that are larger are sent in fragments of this size, in bytes; nil, unless set, sends each in one frame. Apple's
    /// platforms decide this by themselves.
    public var fragmentSize: Int?
    /// Whether a WebSocket is tried on watchOS, where it is refused with ``NetworkError/unsupported(_:)`` unless this is set. watchOS lets an app
    /// open one only while it streams audio or is in a call of CallKit (Apple's technical note TN3135); otherwise the handshake fails or
    /// hangs. False unless set; other systems ignore it.
    public var usesLowLevelNetworkingOnWatchOS = false

    /// The defaults.
    public init() {}
}
