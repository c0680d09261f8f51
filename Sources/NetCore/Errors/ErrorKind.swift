/// The kind of an error: what to branch on when the status matters more than the mechanism (seed 003).
///
/// Seed 003's kinds, and one for each case of ``NetworkError`` that it lacks.
public enum ErrorKind: Hashable, Sendable {
    /// The URL is malformed.
    case invalidURL
    /// The request could not be built.
    case invalidRequest
    /// The device is offline.
    case noConnection
    /// The connection was refused, reset or lost.
    case networkUnavailable
    /// A timeout ran out.
    case timeout
    /// 401: credentials are missing or no longer valid.
    case unauthorized
    /// 403: the credentials do not permit it.
    case forbidden
    /// 404: there is no such resource.
    case notFound
    /// 204: a successful answer without a body, where a body was needed.
    case noContent
    /// An empty body with another successful status, where a body was needed.
    case noData
    /// 429: too many requests.
    case rateLimited
    /// 502: a gateway got no valid answer.
    case badGateway
    /// 503: the server is overloaded or down for maintenance.
    case serviceUnavailable
    /// 504: a gateway got no answer in time.
    case gatewayTimeout
    /// Any other status from 500 to 599.
    case serverError(statusCode: Int)
    /// Any other status from 400 to 499.
    case clientError(statusCode: Int)
    /// A status that is neither successful nor an error, such as a redirect that was not to be followed.
    case unexpectedStatus(statusCode: Int)
    /// The body could not be turned into the type asked for.
    case decodingFailed
    /// The request's body or query could not be encoded.
    case encodingFailed
    /// A download could not be completed.
    case downloadFailed
    /// An upload could not be completed.
    case uploadFailed
    /// The task was cancelled.
    case cancelled
    /// The circuit breaker is open.
    case circuitOpen
    /// The server's certificates do not fit.
    case pinningFailed
    /// The body cannot be sent a second time.
    case bodyNotReplayable
    /// The response is over its limit.
    case responseTooLarge
    /// The redirects did not end.
    case tooManyRedirects
    /// The platform, transport or client cannot do it.
    case unsupported
    /// Anything else.
    case unknown

    /// The kind of an error.
    public init(_ error: NetworkError) {
        switch error {
        case .invalidURL: self = .invalidURL
        case .invalidRequest: self = .invalidRequest
        case .requestFailed(let status, _): self.init(statusCode: status)
        case .decodingError: self = .decodingFailed
        case .noData: self = .noData
        case .downloadFailed: self = .downloadFailed
        case .uploadFailed: self = .uploadFailed
        case .noInternetConnection: self = .noConnection
        case .networkUnavailable: self = .networkUnavailable
        case .timeout: self = .timeout
        case .unknown: self = .unknown
        case .cancelled: self = .cancelled
        case .encodingError: self = .encodingFailed
        case .circuitOpen: self = .circuitOpen
        case .pinningFailed: self = .pinningFailed
        case .bodyNotReplayable: self = .bodyNotReplayable
        case .responseTooLarge: self = .responseTooLarge
        case .tooManyRedirects: self = .tooManyRedirects
        case .unsupported: self = .unsupported
        }
    }

    /// The kind of a status that was not accepted.
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
