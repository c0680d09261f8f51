/// The kind of an error, which distinguishes statuses. It has a case for each ``NetworkError`` and for common statuses.
public enum ErrorKind: Hashable, Sendable {
    case invalidURL, invalidRequest
    /// The device is offline.
    case noConnection
    /// The connection was refused, reset or lost.
    case networkUnavailable
    case timeout
    /// 401: credentials are missing or no longer valid.
    case unauthorized
    /// 403: the credentials do not suffice.
    case forbidden
    /// 404.
    case notFound
    /// 204, although a body was required.
    case noContent
    /// Another successful status with an empty body, although a body was required.
    case noData
    /// 429: too many requests.
    case rateLimited
    /// 502: a gateway received an invalid response.
    case badGateway
    /// 503: the server is overloaded or down for maintenance.
    case serviceUnavailable
    /// 504: a gateway received no response in time.
    case gatewayTimeout
    /// Any other status from 500 to 599.
    case serverError(statusCode: Int)
    /// Any other status from 400 to 499.
    case clientError(statusCode: Int)
    /// A status that is neither successful nor an error, such as a redirect that was not followed.
    case unexpectedStatus(statusCode: Int)
    case decodingFailed, encodingFailed, downloadFailed, uploadFailed, cancelled, circuitOpen
    /// The server's certificates do not match the pins.
    case pinningFailed
    /// The body cannot be sent a second time.
    case bodyNotReplayable
    /// The response exceeds its limit.
    case responseTooLarge
    case tooManyRedirects
    /// The platform, transport or client does not support the request.
    case unsupported
    /// Any other error.
    case unknown

    public init(_ error: NetworkError) { self = error.names.kind }

    /// Creates the kind of a status that was not accepted.
    public init(statusCode: Int) {
        switch statusCode {
        case 204: self = .noContent
        case 401: self = .unauthorized
        case 403: self = .forbidden
        case 404: self = .notFound
        case 429: self = .rateLimited
        case 502: self = .badGateway
        case 503: self = .serviceUnavailable
        case 504: self = .gatewayTimeout
        case 400..<500: self = .clientError(statusCode: statusCode)
        case 500..<600: self = .serverError(statusCode: statusCode)
        default: self = .unexpectedStatus(statusCode: statusCode)
        }
    }
}

extension TransportError {
    /// The reason why an HTTP/2 stream or connection ended (RFC 9113, section 7).
    public struct HTTP2Code: RawRepresentable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// The number on the wire.
        public let rawValue: UInt32

        /// Creates a code, which need not be a named one.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// A graceful end.
        public static let noError = TransportError.HTTP2Code(rawValue: 0x0)
        /// A protocol violation without a more specific code.
        public static let protocolError = TransportError.HTTP2Code(rawValue: 0x1)
        public static let internalError = TransportError.HTTP2Code(rawValue: 0x2)
        /// The flow-control window was exceeded.
        public static let flowControlError = TransportError.HTTP2Code(rawValue: 0x3)
        /// SETTINGS was not acknowledged in time.
        public static let settingsTimeout = TransportError.HTTP2Code(rawValue: 0x4)
        /// A frame arrived for a half-closed stream.
        public static let streamClosed = TransportError.HTTP2Code(rawValue: 0x5)
        public static let frameSizeError = TransportError.HTTP2Code(rawValue: 0x6)
        /// The stream was refused before processing.
        public static let refusedStream = TransportError.HTTP2Code(rawValue: 0x7)
        /// The stream is no longer needed.
        public static let cancel = TransportError.HTTP2Code(rawValue: 0x8)
        /// The header compression state cannot be maintained.
        public static let compressionError = TransportError.HTTP2Code(rawValue: 0x9)
        /// The connection of a CONNECT request was reset or closed abnormally.
        public static let connectError = TransportError.HTTP2Code(rawValue: 0xA)
        /// The peer generates excessive load.
        public static let enhanceYourCalm = TransportError.HTTP2Code(rawValue: 0xB)
        /// The TLS properties do not meet the requirements.
        public static let inadequateSecurity = TransportError.HTTP2Code(rawValue: 0xC)
        public static let http11Required = TransportError.HTTP2Code(rawValue: 0xD)

        private static let names = [
            "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
            "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
            "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
        ]

        /// The standard codes, in numerical order.
        public static let allCases = (0..<UInt32(names.count)).map(TransportError.HTTP2Code.init(rawValue:))
        /// The name in the standard, such as `REFUSED_STREAM`, or the number if it has none.
        public var description: String { rawValue < Self.names.count ? Self.names[Int(rawValue)] : "error \(rawValue)" }
    }
}
