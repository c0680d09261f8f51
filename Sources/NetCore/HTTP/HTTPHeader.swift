/// One header field: a name and a value (RFC 9110, section 5).
public struct HTTPHeader: Hashable, Sendable, Codable {
    /// The field name as it was given. Names are compared without regard to case.
    public let name: String
    /// The field value, without the white space around it.
    public let value: String

    /// A field as given, but for spaces and tabs around the value: they are not part of it (RFC 9110, section 5.5), and
    /// HTTP/2 peers refuse them. Whether it may be sent is checked when the request is built: see ``isValid``.
    public init(name: String, value: String) {
        self.name = name
        self.value = value.withoutHTTPWhitespace
    }

    /// Reads an object with `name` and `value`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try container.decode(String.self, forKey: .name),
            value: try container.decode(String.self, forKey: .value))
    }

    /// Whether the field can go on the wire: the name is a token (RFC 9110, section 5.6.2), and the value holds no control character
    /// but tab (RFC 9110, section 5.5). With CR or LF a value could smuggle in a second field or a second request.
    public var isValid: Bool {
        name.isHTTPToken && !value.hasControlCharacter
    }

    /// Two fields are equal if their names are, whatever the case, and their values are to the letter.
    public static func == (lhs: HTTPHeader, rhs: HTTPHeader) -> Bool {
        lhs.value == rhs.value && lhs.name.equalsIgnoringASCIICase(rhs.name)
    }

    /// Hashes the name without regard to case, and the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name.asciiLowercased)
        hasher.combine(value)
    }
}

extension HTTPHeader: CustomStringConvertible, CustomReflectable {
    /// `name: value`, with the value of a field that carries credentials left out.
    public var description: String {
        "\(name): \(Redactor.standard.headerValue(value, named: name))"
    }

    /// Shows the description alone, so that `dump` shows no credentials either.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension HTTPHeader {
    /// `Accept`: the media types that the client can use, such as `"application/json"`.
    public static func accept(_ value: String) -> HTTPHeader { HTTPHeader(name: "Accept", value: value) }

    /// `Accept-Charset`. Deprecated by RFC 9110; some servers still want it.
    public static func acceptCharset(_ value: String) -> HTTPHeader { HTTPHeader(name: "Accept-Charset", value: value) }

    /// `Accept-Language`: the languages that the user reads, such as `"de, en;q=0.8"`.
    public static func acceptLanguage(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "Accept-Language", value: value)
    }

    /// `Accept-Encoding`. Without it the transport asks for what it can decode; with it the body may arrive encoded.
    public static func acceptEncoding(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "Accept-Encoding", value: value)
    }

    /// `Authorization` with HTTP Basic credentials (RFC 7617): the base64 of `username:password` in UTF-8.
    ///
    /// - Parameters:
    ///   - username: the user-id. It must not hold a colon, which would end it (RFC 7617, section 2).
    ///   - password: may hold anything.
    public static func authorization(username: String, password: String) -> HTTPHeader {
        authorization("Basic " + Data("\(username):\(password)".utf8).base64EncodedString())
    }

    /// `Authorization` with a bearer token (RFC 6750).
    public static func authorization(bearerToken: String) -> HTTPHeader { authorization("Bearer \(bearerToken)") }

    /// `Authorization` as given, for other schemes.
    public static func authorization(_ value: String) -> HTTPHeader { HTTPHeader(name: "Authorization", value: value) }

    /// `Content-Disposition` (RFC 6266).
    public static func contentDisposition(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "Content-Disposition", value: value)
    }

    /// `Content-Encoding`: how the body is encoded, for example `"gzip"`. The client does not encode it for you.
    public static func contentEncoding(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "Content-Encoding", value: value)
    }

    /// `Content-Type`: the media type of the body.
    public static func contentType(_ value: String) -> HTTPHeader { HTTPHeader(name: "Content-Type", value: value) }

    /// `User-Agent`.
    public static func userAgent(_ value: String) -> HTTPHeader { HTTPHeader(name: "User-Agent", value: value) }

    /// `Content-Type: application/json`.
    public static func json() -> HTTPHeader { contentType("application/json") }

    /// `Content-Type: application/x-www-form-urlencoded`.
    public static func formURLEncoded() -> HTTPHeader { contentType("application/x-www-form-urlencoded") }

    /// `Content-Type: application/octet-stream`: bytes of no declared kind.
    public static func octetStream() -> HTTPHeader { contentType("application/octet-stream") }

    /// `Content-Type: text/plain; charset=utf-8`.
    public static func plainText() -> HTTPHeader { contentType("text/plain; charset=utf-8") }
}
