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
