/// A cookie (RFC 6265bis): a name and a value, and the requests to which a ``CookieStore`` adds them.
///
/// Two cookies are equal if all public properties are. The value is a secret: neither `description` nor `dump` shows it.
public struct Cookie: Hashable, Sendable {
    /// The requests to other sites that carry the cookie (RFC 6265bis, section 5.6.7).
    public enum SameSite: String, Hashable, Sendable, Codable, CaseIterable {
        /// No request of a call that started at another site.
        case strict
        /// Only requests with a safe method (GET, HEAD, OPTIONS, TRACE), if the call started at another site.
        case lax
        /// All requests. Such a cookie has to be ``Cookie/isSecure``.
        case none
        /// The server named no policy. The store treats it as ``lax``.
        case unspecified
    }

    /// The name. Case matters.
    public var name: String
    /// The value as in the header field, with quotation marks if it has any.
    public var value: String
    /// The host, or the domain whose subdomains get the cookie too: lower case, without a dot in front.
    public var domain: String
    /// The path that a request's path has to begin with, percent-encoded as in the URL.
    public var path: String
    /// The expiration date. Nil for a session cookie, which ends with the store and is never written to a file.
    public var expires: Date?
    /// Whether only `https` and `wss` requests carry the cookie.
    public var isSecure: Bool
    /// Whether the server wants the cookie kept from scripts.
    public var isHTTPOnly: Bool
    /// The policy for calls that started at another site.
    public var sameSite: SameSite
    /// Whether the cookie is for exactly the host ``domain``, and not for its subdomains.
    public var isHostOnly: Bool

    // The store sets both when it takes the cookie.
    package var creation = Date.distantPast
    package var lastAccess = Date.distantPast

    /// Creates a cookie. The parameters are the properties of their names: `name` without `=` and `;`, `value` without `;`, and `expires` at most
    /// 400 days from now. A dot in front of `domain` is removed, and means that subdomains get the cookie too, unless `isHostOnly` is given.
    public init(
        name: String, value: String, domain: String, path: String = "/", expires: Date? = nil, isSecure: Bool = false,
        isHTTPOnly: Bool = false, sameSite: SameSite = .unspecified, isHostOnly: Bool? = nil
    ) {
        let hasDot = domain.utf8.first == UInt8(ascii: ".")
        self.name = name
        self.value = value
        self.domain = (hasDot ? String(domain.dropFirst()) : domain).asciiLowercased
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.isHostOnly = isHostOnly ?? !hasDot
    }

    /// The identity of a cookie in a store (RFC 6265bis, section 5.7).
    package struct Key: Hashable, Sendable {
        package let name: String
        package let domain: String
        package let path: String
        package let isHostOnly: Bool
    }

    package var key: Key { Key(name: name, domain: domain, path: path, isHostOnly: isHostOnly) }

    /// Whether the cookie has expired at that time.
    package func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }
}

extension Cookie {
    public static func == (lhs: Cookie, rhs: Cookie) -> Bool {
        lhs.key == rhs.key && lhs.value == rhs.value && lhs.expires == rhs.expires && lhs.isSecure == rhs.isSecure
            && lhs.isHTTPOnly == rhs.isHTTPOnly && lhs.sameSite == rhs.sameSite
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(value)
    }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
    /// Name, domain, path and attributes. The value is left out.
    public var description: String {
        var text = "\(name)=<redacted>; \(isHostOnly ? "host" : "domain") \(domain); path \(path)"
        if let expires { text += "; expires \(expires)" }
        if isSecure { text += "; Secure" }
        if isHTTPOnly { text += "; HttpOnly" }
        if sameSite != .unspecified { text += "; SameSite=\(sameSite.rawValue)" }
        return text
    }

    /// Shows the description alone, so that `dump` does not show the value.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension Cookie: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, value, domain, path, expires, creation, lastAccess, sameSite
        case isSecure = "secure"
        case isHTTPOnly = "httpOnly"
        case isHostOnly = "hostOnly"
    }

    /// Decodes a cookie. Only name, value and domain are required.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func date(_ key: CodingKeys) throws -> Date? {
            try container.decodeIfPresent(Double.self, forKey: key).map(Date.init(timeIntervalSince1970:))
        }
        self.init(
            name: try container.decode(String.self, forKey: .name),
            value: try container.decode(String.self, forKey: .value),
            domain: try container.decode(String.self, forKey: .domain),
            path: try container.decodeIfPresent(String.self, forKey: .path) ?? "/", expires: try date(.expires),
            isSecure: try container.decodeIfPresent(Bool.self, forKey: .isSecure) ?? false,
            isHTTPOnly: try container.decodeIfPresent(Bool.self, forKey: .isHTTPOnly) ?? false,
            sameSite: try container.decodeIfPresent(SameSite.self, forKey: .sameSite) ?? .unspecified,
            isHostOnly: try container.decodeIfPresent(Bool.self, forKey: .isHostOnly))
        if let creation = try date(.creation) { self.creation = creation }
        if let lastAccess = try date(.lastAccess) { self.lastAccess = lastAccess }
    }

    /// Encodes the cookie with its value. Dates are seconds since 1970.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(value, forKey: .value)
        try container.encode(domain, forKey: .domain)
        try container.encode(path, forKey: .path)
        try container.encodeIfPresent(expires?.timeIntervalSince1970, forKey: .expires)
        if isSecure { try container.encode(true, forKey: .isSecure) }
        if isHTTPOnly { try container.encode(true, forKey: .isHTTPOnly) }
        if sameSite != .unspecified { try container.encode(sameSite, forKey: .sameSite) }
        try container.encode(isHostOnly, forKey: .isHostOnly)
        if creation != .distantPast { try container.encode(creation.timeIntervalSince1970, forKey: .creation) }
        if lastAccess != .distantPast { try container.encode(lastAccess.timeIntervalSince1970, forKey: .lastAccess) }
    }
}

extension Cookie {
    /// Creates a cookie from Foundation's. Its version, ports and comment are left out.
    public init(_ cookie: HTTPCookie) {
        var sameSite = SameSite.unspecified
        #if canImport(Darwin)
            switch cookie.sameSitePolicy {
            case .some(.sameSiteStrict): sameSite = .strict
            case .some(.sameSiteLax): sameSite = .lax
            default: break
            }
        #endif
        self.init(
            name: cookie.name, value: cookie.value, domain: cookie.domain, path: cookie.path,
            expires: cookie.expiresDate, isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly, sameSite: sameSite)
    }

    /// The cookie as Foundation's, or nil if Foundation refuses it. Foundation has no value for `SameSite=None`, and on Linux for no
    /// `SameSite` at all: these are left out.
    public var httpCookie: HTTPCookie? {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: value, .path: path, .domain: isHostOnly ? domain : "." + domain,
        ]
        if let expires { properties[.expires] = expires } else { properties[.discard] = "TRUE" }
        if isSecure { properties[.secure] = "TRUE" }
        if isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        #if canImport(Darwin)
            switch sameSite {
            case .strict: properties[.sameSitePolicy] = HTTPCookieStringPolicy.sameSiteStrict
            case .lax: properties[.sameSitePolicy] = HTTPCookieStringPolicy.sameSiteLax
            case .none, .unspecified: break
            }
        #endif
        return HTTPCookie(properties: properties)
    }
}
