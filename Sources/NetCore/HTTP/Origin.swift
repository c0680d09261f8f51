/// Scheme, host and port (RFC 6454): the scope of credentials, circuits, limits and cookies.
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    package let scheme: String
    package let host: String
    package let port: Int
    package var description: String { "\(scheme)://\(host):\(port)" }

    /// Hashes the host and the port only. Origins rarely differ in the scheme alone.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(host)
        hasher.combine(port)
    }
}

extension URL {
    /// The origin, with the scheme's default port if the URL has none, or nil if the URL has no host.
    package var origin: Origin? {
        var text = absoluteString
        return text.withUTF8(Origin.init(plain:)) ?? parsedOrigin
    }

    /// The origin according to Foundation's parser, which knows every spelling and takes microseconds on Linux.
    private var parsedOrigin: Origin? {
        // The path of a socket stands for the host. Its case matters.
        if hasUnixSocketScheme {
            return unixSocketPath.map { Origin(scheme: "http+unix", host: PercentEncoding.encode($0), port: 0) }
        }
        guard let scheme = scheme?.lowercased(), let host = host?.lowercased(), !host.isEmpty else { return nil }
        return Origin(scheme: scheme, host: host, port: port ?? (scheme == "https" ? 443 : 80))
    }

    /// Whether the host is this machine, which is reachable without a network.
    package var isLoopback: Bool {
        if unixSocketPath != nil { return true }
        guard var host = host?.lowercased() else { return false }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        return HostName.isLoopback(host)
    }
}

extension Origin {
    /// Reads the usual kind of URL: `http` or `https`, a host of letters, digits, dots, hyphens and underscores, and an optional port.
    /// Nil for anything else (user information, IPv6, percent-encoding), which may have an origin all the same.
    fileprivate init?(plain url: UnsafeBufferPointer<UInt8>) {
        guard url.hasHTTPScheme, let authority = url.authority else { return nil }
        let isSecure = url[4].asciiLowercased == UInt8(ascii: "s")
        let name = authority.prefix { $0.isAlphanumeric || $0.isOne(of: ".-_") }
        let rest = authority[name.endIndex...]
        guard !name.isEmpty else { return nil }
        var port: UInt16 = isSecure ? 443 : 80
        if !rest.isEmpty {
            let digits = rest.dropFirst()
            guard rest.first == UInt8(ascii: ":"), digits.allSatisfy(\.isDigit),
                let number = UInt16(String(decoding: digits, as: UTF8.self))
            else { return nil }
            port = number
        }
        let host = String(decoding: name, as: UTF8.self)
        self.init(
            scheme: isSecure ? "https" : "http", host: name.contains(where: \.isUpper) ? host.asciiLowercased : host,
            port: Int(port))
    }
}

/// The canonical spelling of hosts, by which pins, address policies and client certificates compare them.
package enum HostName {
    /// Returns the host in lower case, decoded, without the root's trailing dot and the brackets of IPv6. An address gets its canonical form:
    /// `127.1`, `0x7f000001` and `[::ffff:127.0.0.1]` become `127.0.0.1`. A zone (`%25eth0`) is removed.
    package static func normalized(_ host: String) -> String {
        if let address = IPAddress(host) { return address.description }
        // Transports decode the names of a URL, but not an address in brackets.
        let name = (host.utf8.contains(UInt8(ascii: ":")) ? host : host.removingPercentEncoding ?? host).asciiLowercased
        if let address = IPAddress(name) { return address.description }
        return name.utf8.last == UInt8(ascii: ".") ? String(name.dropLast()) : name
    }

    /// Whether a host in lower case and without brackets is this machine (RFC 6761, section 6.3).
    package static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

extension URLRequest {
    /// The value of the `Host` field sent with the request (RFC 9110, section 7.2): the caller's, else the URL's, or nil if there is neither.
    package var hostField: String? { value(forHTTPHeaderField: "Host")?.withoutHTTPWhitespace ?? url?.hostField }
}

extension URL {
    /// The host as written, with the port unless it is the scheme's default. An IPv6 address is in brackets and without its zone (RFC 6874,
    /// section 1); a name beyond ASCII is as in the DNS (RFC 5890). Nil if there is no host. `localhost` for a Unix-domain socket.
    package var hostField: String? {
        if hasUnixSocketScheme { return unixSocketPath.map { _ in "localhost" } }
        guard let authority = absoluteString.authority else { return nil }
        var host = authority[...]
        var port = authority[authority.endIndex...]
        if let colon = authority.lastIndex(of: ":"), colon > authority.lastIndex(of: "]") ?? authority.startIndex {
            host = authority[..<colon]
            port = authority[authority.index(after: colon)...]
        }
        guard let name = Self.hostText(host), !name.isEmpty else { return nil }
        guard !port.isEmpty else { return name }
        guard let number = UInt16(port) else { return nil }
        let isSecure = ["https", "wss"].contains(scheme?.asciiLowercased)
        return number == (isSecure ? 443 : 80) ? name : "\(name):\(number)"
    }

    private static func hostText(_ host: Substring) -> String? {
        guard let percent = host.firstIndex(of: "%") else { return String(host) }
        if host.first == "[" { return "\(host[..<percent])]" }
        guard let decoded = host.removingPercentEncoding, !decoded.contains("%") else { return nil }
        if decoded.utf8.allSatisfy({ $0 < 0x80 }) { return decoded.hasControlCharacter ? nil : decoded }
        // Foundation converts the name to its DNS form.
        guard let name = URL(string: "http://\(decoded)/")?.absoluteString.dropFirst(7).dropLast(),
            name.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") })
        else { return nil }
        return String(name)
    }
}
