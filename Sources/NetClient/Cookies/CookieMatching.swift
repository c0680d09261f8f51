import NetCore

extension Cookie {
    /// Whether a request carries the cookie (RFC 6265bis, section 5.8.3).
    ///
    /// - Parameter isCrossSite: Whether the call started at another site.
    func matches(_ target: CookieTarget, method: HTTPMethod, isCrossSite: Bool) -> Bool {
        guard !isSecure || target.isSecure, target.hasDomain(of: self),
            target.path.pathMatches(path)
        else { return false }
        guard isCrossSite else { return true }
        return switch sameSite {
        case .none: true
        case .lax, .unspecified: method.isSafe
        case .strict: false
        }
    }

    /// Whether the cookie has the attributes that the prefix of its name promises (RFC 6265bis, section 4.1.3).
    var keepsPrefix: Bool {
        if name.hasASCIIPrefix("__host-") { return isSecure && isHostOnly && path == "/" }
        return isSecure || !name.hasASCIIPrefix("__secure-")
    }

    /// Whether a cookie from an insecure URL would stand in for this secure one (RFC 6265bis, section 5.7, "leave secure
    /// cookies alone").
    func isShadowed(by other: Cookie) -> Bool {
        isSecure && name == other.name && other.path.pathMatches(path)
            && (domain.domainMatches(other.domain) || other.domain.domainMatches(domain))
    }
}

extension CookieTarget {
    /// Whether the host is the cookie's, or in the cookie's domain.
    fileprivate func hasDomain(of cookie: Cookie) -> Bool {
        if host == cookie.domain { return true }
        return !cookie.isHostOnly && !isAddress && host.hasDomainSuffix(cookie.domain)
    }
}

extension String {
    /// Whether this host is the domain or one of its subdomains (RFC 6265bis, section 5.1.3). Both are in lower case.
    func domainMatches(_ domain: String) -> Bool {
        self == domain || hasDomainSuffix(domain) && !isAddressLike
    }

    /// Whether this host ends with a dot and the domain.
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

    /// - Parameter prefix: In lower case.
    fileprivate func hasASCIIPrefix(_ prefix: String) -> Bool {
        utf8.count >= prefix.utf8.count && zip(utf8, prefix.utf8).allSatisfy { $0.asciiLowercased == $1 }
    }
}
