/// Why a stream or a connection of HTTP/2 was ended (RFC 9113, section 7).
public struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt32

    /// A code, also one that is not named here.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// No error: the stream or connection was ended in order.
    public static let noError = HTTP2ErrorCode(rawValue: 0x0)
    /// A rule was broken that has no code of its own.
    public static let protocolError = HTTP2ErrorCode(rawValue: 0x1)
    /// Something failed within the sender.
    public static let internalError = HTTP2ErrorCode(rawValue: 0x2)
    /// More was sent than there was room for.
    public static let flowControlError = HTTP2ErrorCode(rawValue: 0x3)
    /// SETTINGS was not acknowledged in time.
    public static let settingsTimeout = HTTP2ErrorCode(rawValue: 0x4)
    /// A frame came for a stream that was half-closed.
    public static let streamClosed = HTTP2ErrorCode(rawValue: 0x5)
    /// A frame has a size that it must not have.
    public static let frameSizeError = HTTP2ErrorCode(rawValue: 0x6)
    /// The stream was refused before it was processed.
    public static let refusedStream = HTTP2ErrorCode(rawValue: 0x7)
    /// The stream is no longer needed.
    public static let cancel = HTTP2ErrorCode(rawValue: 0x8)
    /// The state of header compression is lost.
    public static let compressionError = HTTP2ErrorCode(rawValue: 0x9)
    /// The connection of a CONNECT was reset.
    public static let connectError = HTTP2ErrorCode(rawValue: 0xA)
    /// The other side asks for too much.
    public static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 0xB)
    /// The TLS does not suffice.
    public static let inadequateSecurity = HTTP2ErrorCode(rawValue: 0xC)
    /// HTTP/1.1 is to be used.
    public static let http11Required = HTTP2ErrorCode(rawValue: 0xD)

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]
}

extension HTTP2ErrorCode: CaseIterable, CustomStringConvertible {
    /// The codes of the standard, in the order of their numbers.
    public static let allCases = (0..<UInt32(names.count)).map(HTTP2ErrorCode.init(rawValue:))

    /// The name in the standard: `REFUSED_STREAM`; the number if it has none.
    public var description: String {
        let index = Int(rawValue)
        return Self.names.indices.contains(index) ? Self.names[index] : "error \(rawValue)"
    }
}
