/// An HTTP request method (RFC 9110, section 9; PATCH is RFC 5789).
///
/// The nine registered methods are statics; any other token can be made with ``init(rawValue:)``, so that WebDAV's
/// `PROPFIND` or an API's own method needs no fork. Methods are case-sensitive, and the standard ones are upper case.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, Codable, CaseIterable {
    /// The method as it stands on the request line, for example `"GET"`.
    public let rawValue: String

    /// A method from its token.
    ///
    /// - Parameter rawValue: the token, sent as given. What is not a token (RFC 9110, section 5.6.2) is refused with
    ///   ``NetworkError/invalidRequest`` when the request is built.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Reads the current state of a resource.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Like GET, without the body.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Hands data to the resource, to do with as it sees fit.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Replaces the resource.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Removes the resource.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Changes a part of the resource (RFC 5789).
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Asks what can be done with the resource.
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// Asks the server to send back what it received.
    public static let trace = HTTPMethod(rawValue: "TRACE")
    /// Opens a tunnel through a proxy. The transports do so by themselves; clients have no use for it.
    public static let connect = HTTPMethod(rawValue: "CONNECT")

    /// The nine methods of RFC 9110 and RFC 5789.
    public static let allCases: [HTTPMethod] = [
        .get, .head, .post, .put, .delete, .patch, .options, .trace, .connect,
    ]

    /// Whether the method asks for nothing but to read (RFC 9110, section 9.2.1).
    public var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace: true
        default: false
        }
    }

    /// Whether sending the request twice does no more than sending it once (RFC 9110, section 9.2.2), so that it may be
    /// repeated after a connection broke.
    public var isIdempotent: Bool {
        isSafe || self == .put || self == .delete
    }

    /// Whether a response to it may be stored and used again without an explicit permission (RFC 9110, section 9.2.3).
    public var isCacheable: Bool {
        self == .get || self == .head
    }
}

extension HTTPMethod: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}

extension HTTPMethod: ExpressibleByStringLiteral {
    /// A method from a literal: `"PROPFIND"`.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

/// The class of a status code (RFC 9110, section 15), so that code can say "client error" and not `400..<500`.
public enum StatusCodeType: Hashable, Sendable, CaseIterable {
    /// 100 to 199: an interim response; the final one is still to come.
    case informational
    /// 200 to 299: received, understood and accepted.
    case successful
    /// 300 to 399: something more must be done, usually by following `Location`.
    case redirection
    /// 400 to 499: the request is at fault.
    case clientError
    /// 500 to 599: the server failed to fulfil a request that looked valid.
    case serverError
    /// `-999`, the code of `URLError.cancelled`: stopped on this side.
    case cancelled
    /// Any other number.
    case unknown

    /// The class of a code.
    public init(statusCode: Int) {
        switch statusCode {
        case 100..<200: self = .informational
        case 200..<300: self = .successful
        case 300..<400: self = .redirection
        case 400..<500: self = .clientError
        case 500..<600: self = .serverError
        case -999: self = .cancelled
        default: self = .unknown
        }
    }
}

extension Int {
    /// The class of this number as a status code.
    public var statusCodeType: StatusCodeType { StatusCodeType(statusCode: self) }
}
