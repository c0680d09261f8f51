public import NetCore

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

    /// The name, with regard to case.
    public var name: String
    /// The value, as it stands in the field, quotation marks included.
    public var value: String
    /// The host, or the domain whose subdomains get the cookie too: lower case, without a dot in front.
    public var domain: String
    /// The path that a request's path has to begin with, percent-encoded as in the URL.
    public var path: String
    /// The time when the cookie ends. Nil for a session cookie, which ends with the store and is never written to a file.
    public var expires: Date?
    /// Whether only `https` and `wss` requests carry the cookie.
    public var isSecure: Bool
    /// Whether the server wants the cookie kept from scripts.
    public var isHTTPOnly: Bool
    /// The policy for calls that started at another site.
    public var sameSite: SameSite
    /// Whether the cookie is for exactly the host ``domain``, and not for its subdomains.
    public var isHostOnly: Bool

    package var creation: Date
    package var lastAccess: Date

    /// A cookie.
    ///
    /// - Parameters:
    ///   - name: The name, without `=` and `;`.
    ///   - value: The value, without `;`.
    ///   - domain: The host. A dot in front is removed, and means that subdomains get the cookie too.
    ///   - path: The path that a request's path has to begin with. The default is `/`.
    ///   - expires: The time when the cookie ends, at most 400 days from now; nil for a session cookie.
    ///   - isSecure: Whether only `https` and `wss` requests carry the cookie.
    ///   - isHTTPOnly: Whether the cookie is kept from scripts.
    ///   - sameSite: The policy for calls that started at another site.
    ///   - isHostOnly: Whether subdomains get the cookie. The default depends on the dot in front of `domain`.
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
        // The store sets both when it takes the cookie.
        creation = .distantPast
        lastAccess = .distantPast
    }

    /// What identifies a cookie in a store (RFC 6265bis, section 5.7).
    package struct Key: Hashable, Sendable {
        package let name: String
        package let domain: String
        package let path: String
        package let isHostOnly: Bool
    }

    package var key: Key { Key(name: name, domain: domain, path: path, isHostOnly: isHostOnly) }

    /// Whether the cookie has ended at that time.
    package func isExpired(at now: Date) -> Bool {
        expires.map { $0 <= now } ?? false
    }
}

extension Cookie {
    /// Whether all public properties are equal.
    public static func == (lhs: Cookie, rhs: Cookie) -> Bool {
        lhs.key == rhs.key && lhs.value == rhs.value && lhs.expires == rhs.expires && lhs.isSecure == rhs.isSecure
            && lhs.isHTTPOnly == rhs.isHTTPOnly && lhs.sameSite == rhs.sameSite
    }

    /// Hashes name, domain, path and value.
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
