/// The parts of a URL that decide about cookies. `ws` counts as `http` and `wss` as `https`.
struct CookieTarget: Sendable {
    /// Lower case; an IPv6 address has its brackets.
    let host: String
    /// As in the URL, percent-encoded; `/` if the URL has none.
    let path: String
    let isSecure: Bool
    /// Whether the host is an address: brackets, or a last label that is a number, as in the URL standard.
    let isAddress: Bool

    /// Nil if the URL has another scheme or no host.
    init?(_ url: URL) {
        guard let origin = url.origin else { return nil }
        switch origin.scheme {
        case "https", "wss": isSecure = true
        case "http", "ws": isSecure = false
        default: return nil
        }
        host = origin.host.utf8.contains(UInt8(ascii: ":")) ? "[\(origin.host)]" : origin.host
        isAddress = host.isAddressLike
        // The URL as bytes: scheme, two slashes, authority, path.
        let text = url.absoluteString
        let bytes = text.utf8.dropFirst(origin.scheme.utf8.count + 3)
        let end = bytes.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let path = bytes[(end ?? bytes.endIndex)...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        self.path = path.isEmpty ? "/" : String(Substring(path))
    }

    /// The default path of a cookie (RFC 6265bis, section 5.1.4): the request's path up to its last slash.
    var defaultPath: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}

extension String {
    /// Whether a host in this form is an address: brackets, or a last label that is a number, as in the URL standard.
    var isAddressLike: Bool {
        if utf8.first == UInt8(ascii: "[") { return true }
        var host = utf8[...]
        if host.last == UInt8(ascii: ".") { host = host.dropLast() }
        let last = host[(host.lastIndex(of: UInt8(ascii: ".")).map { host.index(after: $0) } ?? host.startIndex)...]
        guard last.first?.isDigit == true else { return false }
        return last.allSatisfy(\.isDigit) || IPAddress(String(Substring(last))) != nil
    }
}

extension Cookie {
    /// Whether a request carries the cookie (RFC 6265bis, section 5.8.3). It is cross-site if its call started at another site.
    func matches(_ target: CookieTarget, method: HTTPMethod, isCrossSite: Bool) -> Bool {
        let isForHost = target.host == domain || !isHostOnly && !target.isAddress && target.host.hasDomainSuffix(domain)
        guard isForHost, !isSecure || target.isSecure, target.path.pathMatches(path) else { return false }
        guard isCrossSite else { return true }
        return switch sameSite {
        case .none: true
        case .lax, .unspecified: method.isSafe
        case .strict: false
        }
    }

    /// Whether the cookie has the attributes that the prefix of its name requires (RFC 6265bis, section 4.1.3).
    var keepsPrefix: Bool {
        let name = name.asciiLowercased.utf8
        if name.starts(with: "__host-".utf8) { return isSecure && isHostOnly && path == "/" }
        return isSecure || !name.starts(with: "__secure-".utf8)
    }

    /// Whether a cookie from an insecure URL would replace this secure one (RFC 6265bis, section 5.7, "leave secure cookies alone").
    func isShadowed(by other: Cookie) -> Bool {
        isSecure && name == other.name && other.path.pathMatches(path)
            && (domain.domainMatches(other.domain) || other.domain.domainMatches(domain))
    }
}

extension String {
    /// Whether this host is the domain or one of its subdomains (RFC 6265bis, section 5.1.3). Both are in lower case.
    func domainMatches(_ domain: String) -> Bool { self == domain || hasDomainSuffix(domain) && !isAddressLike }

    fileprivate func hasDomainSuffix(_ domain: String) -> Bool {
        let host = utf8
        let suffix = domain.utf8
        guard host.count > suffix.count, !suffix.isEmpty else { return false }
        let start = host.index(host.endIndex, offsetBy: -suffix.count)
        return host[host.index(before: start)] == UInt8(ascii: ".") && host[start...].elementsEqual(suffix)
    }

    /// Whether this path of a request is the cookie's or below it (RFC 6265bis, section 5.1.4).
    func pathMatches(_ path: String) -> Bool {
        let request = utf8
        let cookie = path.utf8
        guard request.starts(with: cookie) else { return false }
        return request.count == cookie.count || cookie.last == UInt8(ascii: "/")
            || request[request.index(request.startIndex, offsetBy: cookie.count)] == UInt8(ascii: "/")
    }
}

extension Cookie {
    /// Whether name, value, domain and path are valid in a field, and not too long.
    var isWellFormed: Bool {
        name.utf8.count + value.utf8.count <= SetCookieField.maximumSize && !name.isEmpty
            && name.utf8.allSatisfy { !$0.isForbiddenInCookie && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "=") }
            && value.utf8.allSatisfy { !$0.isForbiddenInCookie && $0 != UInt8(ascii: ";") }
            && name.utf8.count == name.trimmingHTTPWhitespace.utf8.count
            && value.utf8.count == value.trimmingHTTPWhitespace.utf8.count
            && (1...SetCookieField.maximumAttributeSize).contains(domain.utf8.count)
            && domain.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 == $0.asciiLowercased }
            && path.utf8.first == UInt8(ascii: "/") && path.utf8.count <= SetCookieField.maximumAttributeSize
            && path.utf8.allSatisfy { !$0.isForbiddenInCookie && $0 != UInt8(ascii: ";") }
    }
}
