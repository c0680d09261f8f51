public import NetCore

extension Cookie {
    /// A cookie from Foundation's. Its version, ports and comment are left out.
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

    /// The cookie as Foundation's, or nil if Foundation does not take it. `SameSite=None` is left out, and on Linux every
    /// `SameSite`: Foundation has no word for it.
    public var httpCookie: HTTPCookie? {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: value, .path: path, .domain: isHostOnly ? domain : "." + domain,
        ]
        if let expires {
            properties[.expires] = expires
        } else {
            properties[.discard] = "TRUE"
        }
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
