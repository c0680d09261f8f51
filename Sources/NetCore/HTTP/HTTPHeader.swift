/// A header field: a name and a value (RFC 9110, section 5).
public struct HTTPHeader: Hashable, Sendable, Codable {
    /// The field name as given. Names are compared without regard to case.
    public let name: String
    /// The field value, without surrounding whitespace.
    public let value: String

    /// Creates a field. Spaces and tabs around the value are removed: they are not part of it (RFC 9110, section 5.5), and HTTP/2 peers
    /// refuse them. Building the request checks ``isValid``.
    public init(name: String, value: String) {
        self.name = name
        self.value = value.withoutHTTPWhitespace
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try container.decode(String.self, forKey: .name),
            value: try container.decode(String.self, forKey: .value))
    }

    /// Whether the field can be sent: the name is a token (RFC 9110, section 5.6.2), and the value has no control character except tab
    /// (section 5.5). A value with CR or LF could inject a second field or a second request.
    public var isValid: Bool { name.isHTTPToken && !value.hasControlCharacter }

    /// Compares names without regard to case, and values exactly.
    public static func == (lhs: HTTPHeader, rhs: HTTPHeader) -> Bool {
        lhs.value == rhs.value && lhs.name.equalsIgnoringASCIICase(rhs.name)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name.asciiLowercased)
        hasher.combine(value)
    }
}

extension HTTPHeader: CustomStringConvertible, CustomReflectable {
    /// `name: value`, with the values of credential fields redacted.
    public var description: String { "\(name): \(Redactor.standard.headerValue(value, named: name))" }
    /// Shows only the description, so that `dump` shows no credentials either.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension HTTPHeader {
    /// `Accept`: the accepted media types, such as `"application/json"`.
    public static func accept(_ value: String) -> HTTPHeader { HTTPHeader(name: "Accept", value: value) }

    /// `Accept-Charset`. Deprecated by RFC 9110; some servers still require it.
    public static func acceptCharset(_ value: String) -> HTTPHeader { HTTPHeader(name: "Accept-Charset", value: value) }
    /// `Accept-Language`: the user's languages, such as `"de, en;q=0.8"`.
    public static func acceptLanguage(_ value: String) -> HTTPHeader { .init(name: "Accept-Language", value: value) }
    /// `Accept-Encoding`. Without it, the transport requests what it can decode. With it, the body may arrive encoded.
    public static func acceptEncoding(_ value: String) -> HTTPHeader { .init(name: "Accept-Encoding", value: value) }

    /// `Authorization` with HTTP Basic credentials (RFC 7617): base64 of `username:password` in UTF-8. The user name must not contain a
    /// colon (section 2).
    public static func authorization(username: String, password: String) -> HTTPHeader {
        authorization("Basic " + Data("\(username):\(password)".utf8).base64EncodedString())
    }

    /// `Authorization` with a bearer token (RFC 6750).
    public static func authorization(bearerToken: String) -> HTTPHeader { authorization("Bearer \(bearerToken)") }

    /// `Authorization` with any other scheme.
    public static func authorization(_ value: String) -> HTTPHeader { HTTPHeader(name: "Authorization", value: value) }

    /// `Content-Disposition` (RFC 6266).
    public static func contentDisposition(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "Content-Disposition", value: value)
    }

    /// `Content-Encoding`: the coding of a body that the caller has encoded, such as `"gzip"`. See ``RequestOptions/Compression`` for
    /// bodies that the client encodes.
    public static func contentEncoding(_ value: String) -> HTTPHeader { .init(name: "Content-Encoding", value: value) }
    /// `Content-Type`: the media type of the body.
    public static func contentType(_ value: String) -> HTTPHeader { HTTPHeader(name: "Content-Type", value: value) }

    /// `User-Agent` (RFC 9110, section 10.1.5).
    public static func userAgent(_ value: String) -> HTTPHeader { HTTPHeader(name: "User-Agent", value: value) }

    /// `Content-Type: application/json`.
    public static func json() -> HTTPHeader { contentType("application/json") }

    /// `Content-Type: application/x-www-form-urlencoded`.
    public static func formURLEncoded() -> HTTPHeader { contentType("application/x-www-form-urlencoded") }

    /// `Content-Type: application/octet-stream`.
    public static func octetStream() -> HTTPHeader { contentType("application/octet-stream") }

    /// `Content-Type: text/plain; charset=utf-8`.
    public static func plainText() -> HTTPHeader { contentType("text/plain; charset=utf-8") }
}

/// A header field with a known name. A field that is not in this list is a credential, and its value is never shown.
///
/// ``CredentialFields`` uses the list for requests, the redactor (``FieldNames``) for what may be shown.
struct KnownField: Sendable {
    /// How far a value may be shown. Secrets recognised by their form are redacted in any case.
    enum Value: Sendable {
        case shown
        /// Redacted in strict mode, since it identifies a device, a person or a call.
        case personal
        /// Redacted, since it may hold a URL, free text or a secret.
        case withheld
    }

    /// In lower case. A family's name (``isFamily``) is the prefix of its members: `x-b3-`.
    let name: String
    let value: Value
    /// Whether the field is not a credential in a request. If false, the entry is about responses only.
    let isHarmless: Bool
    var isFamily: Bool { name.utf8.last == UInt8(ascii: "-") }

    static let all: [KnownField] =
        // RFC 9110, RFC 9111, Transfer-Encoding of RFC 9112, and a WebSocket's handshake without the subprotocol, which may hold a token.
        fields(
            .shown, "accept", "accept-charset", "accept-encoding", "accept-ranges", "age", "allow", "cache-control",
            "connection", "content-encoding", "content-language", "content-length", "content-range", "content-type",
            "date", "expect", "expires", "host", "if-modified-since", "if-unmodified-since", "last-modified",
            "max-forwards", "pragma", "range", "retry-after", "te", "trailer", "transfer-encoding", "upgrade", "vary",
            "warning", "sec-websocket-extensions", "sec-websocket-version")
        // What identifies a client or a message.
        + fields(
            .personal, "accept-language", "b3", "etag", "if-match", "if-none-match", "if-range", "request-id",
            "sec-websocket-key", "server", "traceparent", "user-agent", "via", "x-amzn-trace-id", "x-b3-",
            "x-cloud-trace-context", "x-correlation-id", "x-request-id")
        + fields(
            .withheld, "authentication-info", "baggage", "content-location", "from", "idempotency-key", "location",
            "proxy-authenticate", "proxy-authentication-info", "referer", "tracestate", "www-authenticate")
        // Response fields.
        + fields(.shown, isHarmless: false, "cache-status", "keep-alive")
        + fields(
            .personal, isHarmless: false, "content-disposition", "ratelimit", "ratelimit-", "server-timing",
            "x-rate-limit-", "x-ratelimit-")

    /// The credentials of a request (RFC 9110, RFC 6265).
    static let requestCredentials: Set<String> = ["authorization", "cookie", "proxy-authorization"]

    /// The credentials of RFC 9110 and RFC 6265, which no option declares harmless.
    static let alwaysCredentials = requestCredentials.union(["set-cookie"])

    /// The names that are not credentials, without families.
    static var harmlessNames: [String] { all.filter { $0.isHarmless && !$0.isFamily }.map(\.name) }

    /// Returns the names whose values may be shown, including families.
    static func shownNames(isStrict: Bool) -> [String] {
        all.filter { isStrict ? $0.value == .shown : $0.value != .withheld }.map(\.name)
    }

    private static func fields(_ value: Value, isHarmless: Bool = true, _ names: String...) -> [KnownField] {
        names.map { KnownField(name: $0, value: value, isHarmless: isHarmless) }
    }
}
