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

    private static func harmless(_ value: Value, _ names: String...) -> [KnownField] {
        names.map { KnownField(name: $0, value: value, isHarmless: true) }
    }

    private static func response(_ value: Value, _ names: String...) -> [KnownField] {
        names.map { KnownField(name: $0, value: value, isHarmless: false) }
    }
}
