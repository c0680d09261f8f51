import NetCore

/// An error code of HTTP/2, as RST_STREAM and GOAWAY carry it (RFC 9113, section 7).
public struct MockHTTP2ErrorCode: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt32

    /// A code by its number, also one that is not registered.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// 0: there is no error.
    public static let noError = MockHTTP2ErrorCode(rawValue: 0)
    /// 1: PROTOCOL_ERROR.
    public static let protocolError = MockHTTP2ErrorCode(rawValue: 1)
    /// 2: INTERNAL_ERROR.
    public static let internalError = MockHTTP2ErrorCode(rawValue: 2)
    /// 3: FLOW_CONTROL_ERROR.
    public static let flowControlError = MockHTTP2ErrorCode(rawValue: 3)
    /// 4: SETTINGS_TIMEOUT.
    public static let settingsTimeout = MockHTTP2ErrorCode(rawValue: 4)
    /// 5: STREAM_CLOSED.
    public static let streamClosed = MockHTTP2ErrorCode(rawValue: 5)
    /// 6: FRAME_SIZE_ERROR.
    public static let frameSizeError = MockHTTP2ErrorCode(rawValue: 6)
    /// 7: REFUSED_STREAM. The server did not process the request.
    public static let refusedStream = MockHTTP2ErrorCode(rawValue: 7)
    /// 8: CANCEL.
    public static let cancel = MockHTTP2ErrorCode(rawValue: 8)
    /// 9: COMPRESSION_ERROR.
    public static let compressionError = MockHTTP2ErrorCode(rawValue: 9)
    /// 10: CONNECT_ERROR.
    public static let connectError = MockHTTP2ErrorCode(rawValue: 10)
    /// 11: ENHANCE_YOUR_CALM.
    public static let enhanceYourCalm = MockHTTP2ErrorCode(rawValue: 11)
    /// 12: INADEQUATE_SECURITY.
    public static let inadequateSecurity = MockHTTP2ErrorCode(rawValue: 12)
    /// 13: HTTP_1_1_REQUIRED.
    public static let http11Required = MockHTTP2ErrorCode(rawValue: 13)
}

extension MockHTTP2ErrorCode: CaseIterable, CustomStringConvertible {
    /// The registered codes in the order of their numbers.
    public static let allCases: [MockHTTP2ErrorCode] = (0..<UInt32(names.count)).map(MockHTTP2ErrorCode.init(rawValue:))

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// The name in RFC 9113, or the number of an unregistered code.
    public var description: String {
        rawValue < UInt32(Self.names.count) ? Self.names[Int(rawValue)] : "error code \(rawValue)"
    }
}
