public import NetCore

/// A cookie as a server sets it (RFC 6265, section 4.1). Nothing of it is checked, so that a test can send a bad one.
public struct MockCookie: Hashable, Sendable {
    /// What `SameSite` says.
    public enum SameSite: String, Sendable, CaseIterable {
        /// On requests of the same site.
        case strict = "Strict"
        /// And when a user follows a link.
        case lax = "Lax"
        /// Always.
        case none = "None"
    }

    /// Its name.
    public var name: String
    /// Its value, as it stands in the field.
    public var value: String
    /// The paths that get it; nil for those beside the one that set it.
    public var path: String?
    /// The hosts that get it; nil for the one that set it.
    public var domain: String?
    /// Seconds that it lives; zero and below removes it; nil for as long as the client likes.
    public var maxAge: Int?
    /// When it ends. `Max-Age` counts for more.
    public var expires: Date?
    /// Whether it goes over TLS only.
    public var isSecure = false
    /// Whether scripts cannot see it.
    public var isHTTPOnly = false
    /// Which requests get it; nil for what the client does by default.
    public var sameSite: SameSite?

    /// A cookie.
    public init(_ name: String, _ value: String, path: String? = nil, domain: String? = nil, maxAge: Int? = nil) {
        self.name = name
        self.value = value
        self.path = path
        self.domain = domain
        self.maxAge = maxAge
    }

    /// The value of `Set-Cookie`.
    public var headerValue: String {
        let attributes: [String?] = [
            "\(name)=\(value)", path.map { "Path=\($0)" }, domain.map { "Domain=\($0)" },
            maxAge.map { "Max-Age=\($0)" },
            expires.map { "Expires=\(HTTPDate.string(from: $0))" }, isSecure ? "Secure" : nil,
            isHTTPOnly ? "HttpOnly" : nil, sameSite.map { "SameSite=\($0.rawValue)" },
        ]
        return attributes.compactMap { $0 }.joined(separator: "; ")
    }
}

extension MockResponse {
    /// Sets a cookie, besides others.
    public func setting(_ cookie: MockCookie) -> MockResponse {
        addingHeader("Set-Cookie", cookie.headerValue)
    }
}

extension RecordedRequest {
    /// The cookies that came along, in order; of one without `=`, the value is empty.
    public var cookies: [(name: String, value: String)] {
        headers.values(for: "Cookie").flatMap { $0.split(separator: ";") }.map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0]).withoutHTTPWhitespace
            return (name, parts.count > 1 ? String(parts[1]).withoutHTTPWhitespace : "")
        }
    }

    /// The value of the first cookie of that name.
    public func cookie(_ name: String) -> String? { cookies.first { $0.name == name }?.value }
}
