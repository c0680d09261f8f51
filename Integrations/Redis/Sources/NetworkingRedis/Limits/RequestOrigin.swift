internal import NetCore

/// The scheme, host and port of a URL (RFC 6454), in lower case.
struct RequestOrigin {
    let text: String
    let host: String

    /// Nil for a URL without a scheme or a host.
    init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased(), !host.isEmpty else {
            return nil
        }
        self.host = host
        text = "\(scheme)://\(host):\(url.port ?? (scheme == "https" ? 443 : 80))"
    }
}
