/// What a frame is (RFC 6455, section 5.2). The others are reserved.
package enum WebSocketOpcode: UInt8, Sendable, CaseIterable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Control frames are short, never fragmented, and may stand between the fragments of a message.
    var isControl: Bool { rawValue >= 0x8 }
}

/// Which end of a connection: only what a client sends is masked (RFC 6455, section 5.1).
package enum WebSocketRole: Sendable {
    case client
    case server
}
