/// An HTTP request method (RFC 9110, section 9; PATCH is RFC 5789).
///
/// The registered methods are static members. Use ``init(rawValue:)`` or a string literal for any other token, such as WebDAV's
/// `PROPFIND`. Methods are case-sensitive; the standard ones are upper case.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, Codable, CaseIterable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    /// The method as it stands on the request line, for example `"GET"`.
    public let rawValue: String

    /// Creates a method from a token (RFC 9110, section 5.6.2), which is sent as given.
    ///
    /// A request with a method that is not a token fails with ``NetworkError/invalidRequest`` when it is built.
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let get = HTTPMethod(rawValue: "GET")
    public static let head = HTTPMethod(rawValue: "HEAD")
    public static let post = HTTPMethod(rawValue: "POST")
    public static let put = HTTPMethod(rawValue: "PUT")
    public static let delete = HTTPMethod(rawValue: "DELETE")
    public static let patch = HTTPMethod(rawValue: "PATCH")
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    public static let trace = HTTPMethod(rawValue: "TRACE")
    /// Opens a tunnel through a proxy. The transports do that themselves; clients do not need it.
    public static let connect = HTTPMethod(rawValue: "CONNECT")

    /// The nine methods of RFC 9110 and RFC 5789.
    public static let allCases: [HTTPMethod] = [.get, .head, .post, .put, .delete, .patch, .options, .trace, .connect]
    /// Whether the method only reads (RFC 9110, section 9.2.1).
    public var isSafe: Bool { self == .get || self == .head || self == .options || self == .trace }
    /// Whether sending the request twice has the effect of sending it once (RFC 9110, section 9.2.2). It may be repeated after a lost connection.
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }
    /// Whether a response to the method may be stored and reused without explicit permission (RFC 9110, section 9.2.3).
    public var isCacheable: Bool { self == .get || self == .head }
    public var description: String { rawValue }

    public init(stringLiteral value: String) { self.init(rawValue: value) }
}

/// The class of a status code (RFC 9110, section 15).
public enum StatusCodeType: Hashable, Sendable, CaseIterable {
    /// 100 to 199: an interim response, which a final one follows.
    case informational
    /// 200 to 299.
    case successful
    /// 300 to 399: usually answered by following `Location`.
    case redirection
    /// 400 to 499: the request is at fault.
    case clientError
    /// 500 to 599: the server failed to fulfil an apparently valid request.
    case serverError
    /// `-999`, the code of `URLError.cancelled`.
    case cancelled
    /// Any other number.
    case unknown

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

extension Int { public var statusCodeType: StatusCodeType { StatusCodeType(statusCode: self) } }
