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
