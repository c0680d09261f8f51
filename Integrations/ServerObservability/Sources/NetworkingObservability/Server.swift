import NetCore

/// Scheme, host and port of a URL, as labels.
struct Server: Hashable, Sendable {
    /// `http` or `https`.
    var scheme: String
    /// The host in lower case, without the brackets of IPv6, or ``other``.
    var address: String
    /// Nil for ``other``.
    var port: Int?

    /// The value of what has no value of its own, by OpenTelemetry's convention for `http.request.method`.
    static let other = "_OTHER"

    /// The longest name in the DNS (RFC 1035, section 2.3.4). A longer host gets the value ``other``.
    private static let longestHost = 255

    /// Reads `https://example.com:8443`, in any case. Without a host, the address is ``other``.
    init(origin text: String) {
        let text = text.lowercased()
        let isSecure = text.hasPrefix("https://")
        scheme = isSecure ? "https" : "http"
        var number = isSecure ? 443 : 80
        var host = text.hasPrefix("\(scheme)://") ? text.dropFirst(scheme.count + 3) : ""
        // A colon in brackets belongs to an IPv6 address.
        if let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") {
            number = UInt16(host[host.index(after: colon)...]).map(Int.init) ?? number
            host = host[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        let isUsable = !host.isEmpty && host.utf8.count <= Self.longestHost
        address = isUsable ? String(host) : Self.other
        port = isUsable ? number : nil
    }

    /// The server of a URL.
    init(_ url: URL) {
        self.init(origin: Self.origin(of: url.absoluteString))
    }

    /// The labels of metrics.
    var labels: [(String, String)] {
        [(Attribute.serverAddress, address)] + (port.map { [(Attribute.serverPort, "\($0)")] } ?? [])
            + [(Attribute.scheme, scheme)]
    }

    /// The value of servers beyond the limit.
    init(otherWith scheme: String) {
        self.scheme = scheme
        address = Self.other
    }

    /// Scheme and authority of a URL as written, without user information: `https://example.com:8443`. Foundation's parser takes
    /// microseconds for it on Linux.
    static func origin(of url: String) -> String {
        var url = url
        return url.withUTF8 { bytes in
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
                return ""
            }
            let start = colon + 3
            var (end, host) = (start, start)
            while end < bytes.count, !isEndOfAuthority(bytes[end]) {
                if bytes[end] == UInt8(ascii: "@") { host = end + 1 }
                end += 1
            }
            guard host > start else { return String(decoding: bytes[..<end], as: UTF8.self) }
            return String(decoding: bytes[..<start], as: UTF8.self) + String(decoding: bytes[host..<end], as: UTF8.self)
        }
    }

    private static func isEndOfAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
}
