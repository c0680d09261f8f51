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
        var text = url.absoluteString
        guard let target = text.withUTF8({ CookieTarget($0) }) else { return nil }
        self = target
    }

    private init?(_ url: UnsafeBufferPointer<UInt8>) {
        guard let colon = url.prefix(8).firstIndex(of: UInt8(ascii: ":")),
            let isSecure = Self.isSecure(scheme: url[..<colon]), let bounds = Self.hostBounds(url, after: colon)
        else { return nil }
        self.isSecure = isSecure
        let host = url[bounds.host]
        let text = String(decoding: host, as: UTF8.self)
        if host.contains(UInt8(ascii: "%")) {
            self.host = (text.removingPercentEncoding ?? text).asciiLowercased
        } else {
            self.host = host.contains { $0 != $0.asciiLowercased } ? text.asciiLowercased : text
        }
        isAddress = self.host.isAddressLike
        let path = url[bounds.authorityEnd...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        self.path = path.first == UInt8(ascii: "/") ? String(decoding: path, as: UTF8.self) : "/"
    }

    /// The default path of a cookie (RFC 6265bis, section 5.1.4): the request's path up to its last slash.
    var defaultPath: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Nil for a scheme without cookies.
    private static func isSecure(scheme: Slice<UnsafeBufferPointer<UInt8>>) -> Bool? {
        func matches(_ name: StaticString) -> Bool {
            scheme.count == name.utf8CodeUnitCount
                && zip(scheme, UnsafeBufferPointer(start: name.utf8Start, count: scheme.count))
                    .allSatisfy { $0.asciiLowercased == $1 }
        }
        if matches("https") || matches("wss") { return true }
        return matches("http") || matches("ws") ? false : nil
    }

    private static func hostBounds(
        _ url: UnsafeBufferPointer<UInt8>, after colon: Int
    ) -> (host: Range<Int>, authorityEnd: Int)? {
        var start = colon + 3
        guard url.count > start, url[colon + 1] == slash, url[colon + 2] == slash else { return nil }
        var end = start
        while end < url.count, !url[end].endsAuthority { end += 1 }
        let authorityEnd = end
        if let at = url[start..<end].lastIndex(of: UInt8(ascii: "@")) { start = at + 1 }
        guard start < end else { return nil }
        if url[start] == UInt8(ascii: "[") {
            guard let bracket = url[start..<end].firstIndex(of: UInt8(ascii: "]")) else { return nil }
            end = bracket + 1
        } else if let port = url[start..<end].firstIndex(of: UInt8(ascii: ":")) {
            end = port
        }
        return start < end ? (start..<end, authorityEnd) : nil
    }
}

extension CookieTarget {
    /// A hash of the last two labels of a URL's host, which all hosts of a site share. Makes no string. Nil if the host needs decoding.
    static func filterKey(of url: URL) -> UInt64? {
        var text = url.absoluteString
        return text.withUTF8 { url in
            guard let colon = url.prefix(8).firstIndex(of: UInt8(ascii: ":")),
                let bounds = hostBounds(url, after: colon)
            else { return nil }
            return filterKey(of: UnsafeBufferPointer(rebasing: url[bounds.host]))
        }
    }

    /// The ``filterKey(of:)`` of a host or a site.
    static func filterKey(ofHost host: String) -> UInt64? {
        var host = host
        return host.withUTF8 { filterKey(of: $0) }
    }

    private static func filterKey(of host: UnsafeBufferPointer<UInt8>) -> UInt64? {
        var index = host.count
        if index > 1, host[index - 1] == UInt8(ascii: ".") { index -= 1 }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var dots = 0
        while index > 0 {
            index -= 1
            let byte = host[index]
            if byte == UInt8(ascii: ".") {
                dots += 1
                if dots == 2 { break }
            }
            guard byte < 0x80, byte != UInt8(ascii: "%"), byte != UInt8(ascii: "]") else { return nil }
            hash = (hash ^ UInt64(byte.asciiLowercased)) &* 0x0000_0100_0000_01B3
        }
        return hash
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

private let slash = UInt8(ascii: "/")

extension UInt8 {
    fileprivate var endsAuthority: Bool {
        self == slash || self == UInt8(ascii: "?") || self == UInt8(ascii: "#") || self == UInt8(ascii: "\\")
    }
}

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

    /// Whether the cookie has the attributes that the prefix of its name requires (RFC 6265bis, section 4.1.3).
    var keepsPrefix: Bool {
        if name.hasASCIIPrefix("__host-") { return isSecure && isHostOnly && path == "/" }
        return isSecure || !name.hasASCIIPrefix("__secure-")
    }

    /// Whether a cookie from an insecure URL would replace this secure one (RFC 6265bis, section 5.7, "leave secure cookies alone").
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
