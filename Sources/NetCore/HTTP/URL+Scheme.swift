// The URLs that a transport can request. They are read as text, which is several times faster than Foundation's parser: this runs for every request.
extension URL {
    /// Whether it has the scheme `http` or `https`, and a host.
    package var isHTTP: Bool {
        var text = absoluteString
        return text.withUTF8 { text in
            guard text.hasHTTPScheme, let authority = text.authority else { return false }
            let host = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] } ?? authority
            return !host.isEmpty && host.first != UInt8(ascii: ":")
        }
    }

    /// The user information of the authority (RFC 3986, section 3.2.1), before the `@`, or nil.
    package var userInformation: String? {
        var text = absoluteString
        return text.withUTF8 { text in
            guard let authority = text.authority, let at = authority.lastIndex(of: UInt8(ascii: "@")) else {
                return nil
            }
            return String(decoding: authority[..<at], as: UTF8.self)
        }
    }

    /// The same URL without ``userInformation``.
    package var withoutUserInformation: URL {
        let text = absoluteString
        guard let information = userInformation, let range = text.range(of: "\(information)@", options: .literal) else {
            return self
        }
        return URL(string: text.replacingCharacters(in: range, with: "")) ?? self
    }

    /// Whether the scheme is `http+unix`, for a server that listens on a Unix-domain socket: `http+unix://%2Frun%2Fapp.sock/v1`.
    package var hasUnixSocketScheme: Bool {
        var text = absoluteString
        return text.withUTF8(\.hasUnixSocketScheme)
    }

    /// The absolute path of the socket that an `http+unix` URL names: its host without percent-encoding. Nil for any other URL, and for a
    /// host that is not an absolute path, or with user information or a port.
    package var unixSocketPath: String? {
        var text = absoluteString
        let host = text.withUTF8 { text -> String? in
            guard text.hasUnixSocketScheme else { return nil }
            let host = text[unixSocketScheme.utf8CodeUnitCount...].prefix { !$0.endsAuthority }
            return host.contains { $0.isOne(of: "@:\\") } ? nil : String(decoding: host, as: UTF8.self)
        }
        guard let path = host?.removingPercentEncoding, path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0)
        else { return nil }
        return path
    }
}

private let unixSocketScheme: StaticString = "http+unix://"

extension UnsafeBufferPointer<UInt8> {
    fileprivate var hasUnixSocketScheme: Bool {
        // The fifth byte tells it from http and https, without a look at the others.
        count > unixSocketScheme.utf8CodeUnitCount && self[4] == UInt8(ascii: "+")
            && hasLowercasePrefix(unixSocketScheme)
    }

    /// Whether the text of a URL has the scheme `http` or `https`.
    var hasHTTPScheme: Bool { hasLowercasePrefix("http://") || hasLowercasePrefix("https://") }

    /// The authority of a URL (RFC 3986, section 3.2), or nil without `://`.
    var authority: Slice<UnsafeBufferPointer<UInt8>>? {
        guard let colon = firstIndex(of: UInt8(ascii: ":")), colon + 2 < count, self[colon + 1] == UInt8(ascii: "/"),
            self[colon + 2] == UInt8(ascii: "/")
        else { return nil }
        return self[(colon + 3)...].prefix { !$0.endsAuthority }
    }

    /// Whether the bytes begin with a text in lower case, regardless of their own case.
    @inline(__always) func hasLowercasePrefix(_ prefix: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count >= prefix.count else { return false }
        for offset in prefix.indices where prefix[offset] != self[offset].asciiLowercased { return false }
        return true
    }

    /// The same for a constant text.
    func hasLowercasePrefix(_ prefix: StaticString) -> Bool { prefix.withUTF8Buffer(hasLowercasePrefix) }
}

extension UInt8 { fileprivate var endsAuthority: Bool { isOne(of: "/?#") } }

extension String {
    /// The host and the port of a URL, without user information. Nil if the text is not a URL with a host.
    var authority: String? {
        guard let start = range(of: "://") else { return nil }
        let rest = self[start.upperBound...].prefix { !"/?#\\".contains($0) }
        let host = rest.split(separator: "@", omittingEmptySubsequences: false).last ?? rest
        return host.isEmpty ? nil : String(host)
    }
}
