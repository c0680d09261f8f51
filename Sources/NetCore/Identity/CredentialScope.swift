/// Decides which origins may receive credentials. Redirects, authentication, challenges and signatures all ask it.
package struct CredentialScope: Hashable, Sendable {
    /// Hosts beside the origin at which a call started, in lower case: `cdn.example.com`, or `cdn.example.com:8443`.
    private let hosts: Set<String>

    /// - Parameter hosts: the names of hosts, each perhaps with a port. Subdomains are hosts of their own.
    package init(hosts: some Sequence<String> = []) {
        self.hosts = Set(hosts.map(\.asciiLowercased))
    }

    /// Whether the request goes to another origin (scheme, host, port) than the one at which its call started.
    package static func isCrossOrigin(_ url: URL?, from start: URL?) -> Bool {
        guard let start, let url, url != start else { return false }
        return url.origin != start.origin
    }

    /// Whether a URL is within the scope: it has the origin at which the call started, or one of a named host.
    ///
    /// A named host counts with its scheme's own port, or with the port that it was named with, and never over plain `http` where the
    /// call started with `https`.
    ///
    /// - Parameter start: the URL at which the call started, before redirects; nil if that is not known.
    package func permits(_ url: URL?, from start: URL?) -> Bool {
        Self.isCrossOrigin(url, from: start) ? names(url, from: start) : true
    }

    /// Whether the URL's host is named, and as above where the call started elsewhere.
    package func names(_ url: URL?, from start: URL?) -> Bool {
        guard !hosts.isEmpty, let target = url?.origin else { return false }
        if hosts.contains("\(target.host):\(target.port)") { return target.isAsSecure(as: start?.origin) }
        guard hosts.contains(target.host) else { return false }
        guard Self.isCrossOrigin(url, from: start) else { return true }
        return target.hasUsualPort && target.isAsSecure(as: start?.origin)
    }

    /// Whether no host is named.
    package var isEmpty: Bool { hosts.isEmpty }
}

extension Origin {
    fileprivate var hasUsualPort: Bool { port == (scheme == "https" ? 443 : 80) }

    fileprivate func isAsSecure(as start: Origin?) -> Bool {
        scheme == "https" || start == nil || start?.scheme == scheme
    }
}
