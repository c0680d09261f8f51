/// Scheme, host and port (RFC 6454): what credentials belong to. Circuits, limits and cookies of other origins are others.
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    package let scheme: String
    package let host: String
    package let port: Int

    package var description: String { "\(scheme)://\(host):\(port)" }
}

extension URL {
    /// The origin, with the scheme's own port if none is given; nil if the URL has no host.
    package var origin: Origin? {
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
