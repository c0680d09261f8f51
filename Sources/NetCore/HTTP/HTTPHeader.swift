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

/// A header field that is known by name: the one list of them. What is not here is a credential, and its value is never shown.
///
/// ``CredentialFields`` asks it what is harmless in a request, the redactor (``FieldNames``) whose values may be shown.
struct KnownField: Sendable {
    /// How far a value may be shown. Secrets that are found in a shown value by their form are left out in any case.
    enum Value: Sendable {
        case shown
        /// Not in strict mode, since it says something of a device, a person or a call.
        case personal
        /// Not as it stands, since it may hold a URL, free text or a secret.
        case withheld
    }

    /// In lower case. The name of a family (``isFamily``) ends where the members differ: `x-b3-`.
    let name: String
    let value: Value
    /// Whether the field is no credential in a request. Otherwise only its value in a response is known.
    let isHarmless: Bool
    var isFamily: Bool { name.utf8.last == UInt8(ascii: "-") }

    static let all: [KnownField] =
        // RFC 9110, 9111 and, of 9112, Transfer-Encoding.
        harmless(
            .shown,
            "accept", "accept-charset", "accept-encoding", "accept-ranges", "age", "allow", "cache-control",
            "connection",
            "content-encoding", "content-language", "content-length", "content-range", "content-type", "date", "expect",
            "expires",
            "host", "if-modified-since", "if-unmodified-since", "last-modified", "max-forwards", "pragma", "range",
            "retry-after",
            "te", "trailer", "transfer-encoding", "upgrade", "vary", "warning"
        )
        + harmless(
            .personal,
            "accept-language", "etag", "if-match", "if-none-match", "if-range", "server", "user-agent", "via"
        )
        + harmless(
            .withheld,
            "authentication-info", "content-location", "from", "location", "proxy-authenticate",
            "proxy-authentication-info",
            "referer", "www-authenticate"
        )
        // Fields that only name a message.
        + harmless(
            .personal,
            "b3", "request-id", "traceparent", "x-amzn-trace-id", "x-b3-", "x-cloud-trace-context", "x-correlation-id",
            "x-request-id"
        )
        + harmless(.withheld, "baggage", "idempotency-key", "tracestate")
        // Fields of responses.
        + response(.shown, "cache-status", "keep-alive")
        + response(
            .personal,
            "content-disposition", "ratelimit", "ratelimit-", "server-timing", "x-rate-limit-", "x-ratelimit-"
        )

    /// The credentials of a request by RFC 9110 and 6265.
    static let requestCredentials: Set<String> = ["authorization", "cookie", "proxy-authorization"]

    /// The credentials of RFC 9110 and 6265, which nothing makes harmless.
    static let alwaysCredentials = requestCredentials.union(["set-cookie"])

    /// The names that are no credentials, without families.
    static var harmlessNames: [String] {
        all.filter { $0.isHarmless && !$0.isFamily }.map(\.name)
    }

    /// The names whose values may be shown, families included. Strict rules leave out those that say something of a device or a person.
    static func shownNames(isStrict: Bool) -> [String] {
        all.filter { isStrict ? $0.value == .shown : $0.value != .withheld }.map(\.name)
    }

    private static func harmless(_ value: Value, _ names: String...) -> [KnownField] {
        names.map { KnownField(name: $0, value: value, isHarmless: true) }
    }

    private static func response(_ value: Value, _ names: String...) -> [KnownField] {
        names.map { KnownField(name: $0, value: value, isHarmless: false) }
    }
}
