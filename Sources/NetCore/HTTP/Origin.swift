/// Scheme, host and port (RFC 6454): what credentials belong to. Circuits, limits and cookies of other origins are others.
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    package let scheme: String
    package let host: String
    package let port: Int

    package var description: String { "\(scheme)://\(host):\(port)" }
}

extension URL {
    /// The origin, with the scheme's own port if none is given; nil if the URL has no host.
    package var origin: Origin? { Origin(plain: absoluteString) ?? parsedOrigin }

    /// By Foundation's parser, which knows every spelling and costs microseconds on Linux.
    private var parsedOrigin: Origin? {
        guard let scheme = scheme?.lowercased(), let host = host?.lowercased(), !host.isEmpty else { return nil }
        return Origin(scheme: scheme, host: host, port: port ?? (scheme == "https" ? 443 : 80))
    }

    /// Whether the host is this machine itself: reachable without any network.
    package var isLoopback: Bool {
        guard var host = host?.lowercased() else { return false }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

extension Origin {
    /// Reads the usual kind of URL: `http` or `https`, a host of letters, digits, dots, hyphens and underscores, perhaps a port.
    /// Nil for anything else (user information, IPv6, percent-encoding), of which this does not say that it has no origin.
    fileprivate init?(plain url: String) {
        var url = url
        guard let origin = url.withUTF8({ Origin(plain: $0) }) else { return nil }
        self = origin
    }

    private init?(plain url: UnsafeBufferPointer<UInt8>) {
        guard url.count > 8, url.starts(with: "http".utf8, by: { $0.asciiLowercased == $1 }) else { return nil }
        let isSecure = url[4].asciiLowercased == UInt8(ascii: "s")
        let start = isSecure ? 8 : 7
        guard url[start - 3] == UInt8(ascii: ":"), url[start - 2] == slash, url[start - 1] == slash else { return nil }
        var end = start
        var isLowercase = true
        while end < url.count, url[end].isPlainInHost {
            if url[end] != url[end].asciiLowercased { isLowercase = false }
            end += 1
        }
        guard end > start else { return nil }
        var port = 0
        var rest = end
        if rest < url.count, url[rest] == UInt8(ascii: ":") {
            rest += 1
            while rest < url.count, url[rest].isDigit, port <= 65_535 {
                port = port * 10 + Int(url[rest] - UInt8(ascii: "0"))
                rest += 1
            }
            guard rest > end + 1, port <= 65_535 else { return nil }
        } else {
            port = isSecure ? 443 : 80
        }
        guard
            rest == url.count || url[rest] == slash || url[rest] == UInt8(ascii: "?") || url[rest] == UInt8(ascii: "#")
        else { return nil }
        let host = String(decoding: url[start..<end], as: UTF8.self)
        self.init(scheme: isSecure ? "https" : "http", host: isLowercase ? host : host.asciiLowercased, port: port)
    }
}

private let slash = UInt8(ascii: "/")

extension UInt8 {
    fileprivate var isPlainInHost: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// Compares hosts: pins, address policies and client certificates ask for the one spelling of a host.
package enum HostName {
    /// The host in lower case, decoded, without the dot of the root and the brackets of IPv6. An address gets its canonical form:
    /// `127.1`, `0x7f000001` and `[::ffff:127.0.0.1]` are `127.0.0.1`, and a zone (`%25eth0`) is left out.
    package static func normalized(_ host: String) -> String {
        if let address = IPAddress(host) { return address.description }
        // Transports decode the names of a URL, but no address in brackets.
        let name = (host.utf8.contains(colon) ? host : host.removingPercentEncoding ?? host).asciiLowercased
        if let address = IPAddress(name) { return address.description }
        return name.utf8.last == UInt8(ascii: ".") ? String(name.dropLast()) : name
    }

    private static let colon = UInt8(ascii: ":")
}

extension URLRequest {
    /// The value of the `Host` field that is sent with the request (RFC 9110, section 7.2): the caller's, else the URL's; nil if there is
    /// neither.
    package var hostField: String? {
        value(forHTTPHeaderField: "Host")?.withoutHTTPWhitespace ?? url?.hostField
    }
}

extension URL {
    /// Host as written and, unless it is the scheme's own, port: an IPv6 address in brackets and without its zone (RFC 6874, section 1), a name
    /// beyond ASCII as in the DNS (RFC 5890). Nil if there is no host.
    package var hostField: String? {
        let text = absoluteString
        guard let start = text.range(of: "://")?.upperBound else { return nil }
        var authority = text[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        var host = authority
        var port = authority[authority.endIndex...]
        if let colon = authority.lastIndex(of: ":"), colon > authority.lastIndex(of: "]") ?? authority.startIndex {
            host = authority[..<colon]
            port = authority[authority.index(after: colon)...]
        }
        guard let name = Self.hostText(host), !name.isEmpty else { return nil }
        let isSecure = ["https", "wss"].contains(text[..<start].dropLast(3).lowercased())
        guard !port.isEmpty else { return name }
        guard let number = UInt16(port) else { return nil }
        return number == (isSecure ? 443 : 80) ? name : "\(name):\(number)"
    }

    private static func hostText(_ host: Substring) -> String? {
        guard let percent = host.firstIndex(of: "%") else { return String(host) }
        if host.first == "[" { return "\(host[..<percent])]" }
        guard let decoded = host.removingPercentEncoding, !decoded.contains("%") else { return nil }
        if decoded.utf8.allSatisfy({ $0 < 0x80 }) { return decoded.hasControlCharacter ? nil : decoded }
        // Foundation writes it as the DNS does.
        guard let name = URL(string: "http://\(decoded)/")?.absoluteString.dropFirst(7).dropLast(),
            name.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") })
        else { return nil }
        return String(name)
    }
}
