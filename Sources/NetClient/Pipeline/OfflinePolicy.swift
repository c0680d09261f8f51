public import NetCore

/// What becomes of a request while the device is known to be offline.
///
/// ```swift
/// let patient = OfflinePolicy.wait(timeout: 30)
/// let withPrinter = OfflinePolicy(.failImmediately, localHosts: ["printer.lan", "*.local"])
/// ```
public struct OfflinePolicy: Hashable, Sendable {
    /// What to do.
    public enum Behavior: Hashable, Sendable {
        /// The request fails with ``NetworkError/noInternetConnection`` before anything is sent.
        case failImmediately
        /// The request waits to be online again (what `URLSession` calls `waitsForConnectivity`): for that many seconds at
        /// most, nil for no such limit, and never past the call's deadline. Then it fails: with
        /// ``NetworkError/noInternetConnection`` after `timeout`, with ``NetworkError/timeout`` at the deadline.
        case wait(timeout: TimeInterval?)
    }

    /// What to do.
    public var behavior: Behavior

    /// Hosts that are reached without the internet, and so are let through, as loopback addresses always are: names and
    /// addresses without a port, whatever their case. `*.local` stands for all names below `local`.
    public var localHosts: [String]

    /// A policy.
    public init(_ behavior: Behavior = .failImmediately, localHosts: [String] = []) {
        self.behavior = behavior
        self.localHosts = localHosts
    }

    /// Fail at once: the default.
    public static let failImmediately = OfflinePolicy()

    /// Wait to be online again, see ``Behavior/wait(timeout:)``.
    public static func wait(timeout: TimeInterval? = nil, localHosts: [String] = []) -> OfflinePolicy {
        OfflinePolicy(.wait(timeout: timeout), localHosts: localHosts)
    }

    /// Whether that URL is reached without the internet.
    func isLocal(_ url: URL?) -> Bool {
        guard let url else { return false }
        if url.isLoopback { return true }
        guard !localHosts.isEmpty, let host = url.host.map(Self.bare), !host.isEmpty else { return false }
        return localHosts.contains { pattern in
            let pattern = Self.bare(pattern)
            return pattern.hasPrefix("*.") ? host.hasSuffix(pattern.dropFirst()) : host == pattern
        }
    }

    /// In lower case, without the brackets of an address and the final dot of a name.
    private static func bare(_ host: String) -> String {
        var host = Substring(host.asciiLowercased)
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        if host.hasSuffix(".") { host = host.dropLast() }
        return String(host)
    }
}
