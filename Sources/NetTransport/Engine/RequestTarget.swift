#if os(Linux)
    import NetCore

    /// The parts of an `http`, `https` or `http+unix` URL that a request needs, as they are written.
    struct RequestTarget: Sendable {
        let isHTTPS: Bool
        /// In lower case, an IPv6 address in brackets.
        let host: String
        let port: Int
        /// The host and, unless it is the scheme's, the port: the value of `Host`.
        let authority: String
        /// The path and the query, which start with `/`.
        let path: String
        /// What stands before the `@`, or nil.
        let user: String?
        /// The path of a Unix-domain socket, whose host is `localhost`; nil for TCP.
        let socketPath: String?

        /// Nil for another scheme, and for an authority about which parsers disagree.
        init?(_ url: URL) {
            let address = url.absoluteString
            guard url.hasUnixSocketScheme else {
                self.init(address)
                return
            }
            guard let path = url.unixSocketPath, let start = address.range(of: "://")?.upperBound else { return nil }
            self.init("http://localhost" + address[start...].drop { !"/?#".contains($0) }, socketPath: path)
        }

        private init?(_ address: String, socketPath: String? = nil) {
            var address = address
            guard let parts = address.withUTF8(Parts.init) else { return nil }
            let utf8 = address.utf8
            func text(_ range: Range<Int>) -> String {
                let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
                return String(decoding: utf8[start..<utf8.index(start, offsetBy: range.count)], as: UTF8.self)
            }
            isHTTPS = parts.isHTTPS
            guard let name = Self.decoded(text(parts.host)) else { return nil }
            host = name.asciiLowercased
            port = parts.port
            // The zone of an address has no meaning for the server (RFC 6874, section 4).
            let isAddress = name.utf8.first == UInt8(ascii: "[")
            let shown = isAddress ? name.prefix { $0 != "%" && $0 != "]" } + "]" : name
            authority = parts.port == (parts.isHTTPS ? 443 : 80) ? shown : "\(shown):\(parts.port)"
            let path = text(parts.path)
            self.path = path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
            user = parts.user.map(text)
            self.socketPath = socketPath
        }

        /// A host without percent-encoding (RFC 3986, section 3.2.2). Nil if that hides a character that no host has.
        private static func decoded(_ host: String) -> String? {
            guard host.utf8.contains(UInt8(ascii: "%")), host.utf8.first != UInt8(ascii: "[") else { return host }
            guard let decoded = host.removingPercentEncoding,
                decoded.utf8.allSatisfy({ $0.isVisible && !"/?#@:[]%\\".utf8.contains($0) })
            else { return nil }
            return decoded
        }

        /// Where the parts stand.
        private struct Parts {
            var isHTTPS = false
            var user: Range<Int>?
            var host = 0..<0
            var port = 0
            var path = 0..<0

            init?(_ text: UnsafeBufferPointer<UInt8>) {
                isHTTPS = text.count > 8 && text.span.equals(0..<8, "https://")
                guard isHTTPS || text.count > 7 && text.span.equals(0..<7, "http://") else { return nil }
                let start = isHTTPS ? 8 : 7
                var end = start
                var hostStart = start
                while end < text.count, !Self.endsAuthority(text[end]) {
                    // Parsers of URLs disagree about the host if there is a backslash.
                    if text[end] == UInt8(ascii: "\\") || text[end] <= UInt8(ascii: " ") { return nil }
                    if text[end] == UInt8(ascii: "@") { hostStart = end + 1 }
                    end += 1
                }
                if hostStart > start { user = start..<hostStart - 1 }
                var hostEnd = hostStart
                if hostEnd < end, text[hostEnd] == UInt8(ascii: "[") {
                    while hostEnd < end, text[hostEnd] != UInt8(ascii: "]") { hostEnd += 1 }
                    if hostEnd == end { return nil }
                    hostEnd += 1
                } else {
                    while hostEnd < end, text[hostEnd] != UInt8(ascii: ":") { hostEnd += 1 }
                }
                guard hostEnd > hostStart else { return nil }
                host = hostStart..<hostEnd
                port = isHTTPS ? 443 : 80
                if hostEnd < end {
                    guard text[hostEnd] == UInt8(ascii: ":") else { return nil }
                    var number = 0
                    for byte in text[(hostEnd + 1)..<end] {
                        guard 0x30...0x39 ~= byte else { return nil }
                        number = number * 10 + Int(byte - 0x30)
                        if number > 65535 { return nil }
                    }
                    if hostEnd + 1 < end { port = number }
                }
                var pathEnd = end
                while pathEnd < text.count, text[pathEnd] != UInt8(ascii: "#") { pathEnd += 1 }
                path = end..<pathEnd
            }

            private static func endsAuthority(_ byte: UInt8) -> Bool {
                byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
            }
        }
    }
#endif
