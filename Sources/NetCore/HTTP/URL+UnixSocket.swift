// URLs of a server that listens on a Unix-domain socket: `http+unix://%2Frun%2Fapp.sock/v1`.
extension URL {
    /// The absolute path of the socket that an `http+unix` URL names: its host without percent-encoding. Nil for any other URL, and for a
    /// host that is not an absolute path, or with user information or a port.
    package var unixSocketPath: String? {
        var text = absoluteString
        guard let host = text.withUTF8({ Self.hostOfUnixSocket($0) }), let path = host.removingPercentEncoding,
            path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0)
        else { return nil }
        return path
    }

    /// Whether the scheme is `http+unix`, in any case.
    package var hasUnixSocketScheme: Bool {
        var text = absoluteString
        return text.withUTF8 { Self.isUnixSocket($0) }
    }

    /// Whether a response from this URL may lead to another URL, by a redirect or a link: to http and https, and from a Unix-domain socket to
    /// the same one. No other server may reach a socket of this machine.
    package func mayLead(to target: URL) -> Bool {
        target.isHTTP || target.unixSocketPath != nil && target.origin == origin
    }

    private static let prefix: StaticString = "http+unix://"

    private static func isUnixSocket(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        // The fifth byte tells it from http and https, without a look at the others.
        guard text.count > prefix.utf8CodeUnitCount, text[4] == UInt8(ascii: "+") else { return false }
        return prefix.withUTF8Buffer { prefix in
            zip(prefix, text).allSatisfy { $0 == $1.asciiLowercased }
        }
    }

    private static func hostOfUnixSocket(_ text: UnsafeBufferPointer<UInt8>) -> String? {
        guard isUnixSocket(text) else { return nil }
        let host = text.dropFirst(prefix.utf8CodeUnitCount).prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
        guard !host.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "\\") })
        else { return nil }
        return String(decoding: host, as: UTF8.self)
    }
}
