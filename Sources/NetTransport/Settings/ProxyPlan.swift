import NetCore

/// Which requests go through a proxy, by the configuration or the environment. It decides for libcurl, whose own rules differ between its
/// versions: address ranges since 7.86 only, and never ports.
struct ProxyPlan: Sendable {
    /// A proxy, as errors name it.
    struct Server: Sendable {
        /// Kind, host and port, without credentials.
        let name: String
        /// Whether the proxy itself is reached over TLS.
        let isTLS: Bool
        /// Whether the proxy looks up the names of servers.
        let resolvesNames: Bool
        /// Nil if the proxy asks for none.
        let credentials: Credentials?

        /// The user name and the password for a proxy, which `dump` does not show.
        struct Credentials: RedactedReflectable {
            let username, password: String
            var shownFields: KeyValuePairs<String, Any?> { [:] }
            /// The value of `Proxy-Authorization` (RFC 7617).
            var basic: String { "Basic \(Data("\(username):\(password)".utf8).base64EncodedString())" }
        }

        /// - Parameter url: kind, user information, host and port; the kind is `http` if it is missing.
        init(_ url: String, _ server: TransportConfiguration.Proxy.Server? = nil) {
            let mark = url.range(of: "://")
            let kind = mark.map { String(url[..<$0.lowerBound]).asciiLowercased } ?? "http"
            let authority = url[(mark?.upperBound ?? url.startIndex)...].prefix { $0 != "/" }
            // The credentials of a variable end at the last `@`.
            let end = authority.lastIndex(of: "@")
            name = "\(kind)://\(end.map { authority[authority.index(after: $0)...] } ?? authority)"
            isTLS = kind == "https"
            resolvesNames = kind != "socks5" && kind != "socks4"
            var pair = (server?.username, server?.password)
            if server == nil, let end {
                let parts = authority[..<end].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                    .map { $0.removingPercentEncoding ?? String($0) }
                pair = (parts.first, parts.dropFirst().first)
            }
            let isAbsent = pair.0 == nil && pair.1 == nil
            credentials = isAbsent ? nil : Credentials(username: pair.0 ?? "", password: pair.1 ?? "")
        }
    }

    private let plain, secure: Server?
    private let exceptions: [ProxyException]

    /// The variables that name a proxy, as libcurl reads them. There is no `HTTP_PROXY`: a web server sets it from a request's `Proxy` field.
    static let variables = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

    /// Nil if no request goes through a proxy.
    ///
    /// - Parameter environment: the variables for ``TransportConfiguration/Proxy/system``.
    /// - Throws: ``NetworkError/unsupported(_:)`` for a malformed exception of the configuration. Those of the environment are ignored.
    init?(_ proxy: TransportConfiguration.Proxy, environment: [String: String]) throws {
        switch proxy {
        case .none: return nil
        case .http, .https, .socks5:
            plain = Server(proxy.description, proxy.server)
            secure = plain
            exceptions = try (proxy.server?.exceptions ?? []).map(ProxyException.init(checking:))
        case .system:
            func server(_ names: some Sequence<String>) -> Server? {
                names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }.map { Server($0) }
            }
            plain = server(Self.variables[...0] + Self.variables[3...])
            secure = server(Self.variables[1...])
            guard plain != nil || secure != nil else { return nil }
            let list = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
            exceptions = list.split { $0 == "," || $0 == " " }.compactMap { ProxyException(String($0)) }
        }
    }

    /// The proxy for a URL; nil if the server is connected to directly, as by a Unix-domain socket.
    func server(for url: URL?) -> Server? {
        guard url?.hasUnixSocketScheme == false else { return nil }
        return url?.origin.flatMap { server(host: $0.host, port: $0.port, isSecure: $0.scheme == "https") }
    }

    func server(host: String, port: Int, isSecure: Bool) -> Server? {
        guard let server = isSecure ? secure : plain else { return nil }
        // Most lists are empty.
        guard !exceptions.isEmpty else { return server }
        let name = HostName.normalized(host)
        let address = IPAddress(name)
        return exceptions.contains { $0.matches(name, address, port) } ? nil : server
    }
}

/// Hosts that bypass a proxy: see ``TransportConfiguration/Proxy``.
struct ProxyException: Sendable {
    private enum Hosts {
        case all
        case range(AddressRange)
        case domain(String)
        case subdomains(String)
    }

    private let hosts: Hosts
    private let port: Int?
    /// The name or the address, if the text has nothing else: what every platform understands.
    let plainHost: String?

    /// Nil if the text is malformed.
    init?(_ text: String) {
        var host = text
        var port: Int?
        if AddressRange(text) == nil, let colon = text.lastIndex(of: ":") {
            guard let number = UInt16(text[text.index(after: colon)...]) else { return nil }
            port = Int(number)
            host = String(text[..<colon])
        }
        self.port = port
        var name: String?
        if host == "*" {
            hosts = .all
        } else if let range = AddressRange(host) {
            hosts = .range(range)
            name = IPAddress(host)?.description
        } else {
            let isWildcard = host.hasPrefix("*.")
            let domain = HostName.normalized(String(host.dropFirst(isWildcard ? 2 : host.hasPrefix(".") ? 1 : 0)))
            guard !domain.isEmpty, !domain.contains(where: { "*/:,@ ".contains($0) }) else { return nil }
            hosts = isWildcard ? .subdomains("." + domain) : .domain(domain)
            if !isWildcard { name = domain }
        }
        plainHost = port == nil ? name : nil
    }

    init(checking text: String) throws {
        guard let entry = Self(text) else {
            throw NetworkError.unsupported(
                "The proxy's exception '\(text.prefix(64).description.onOneLine)' is not a host, an address, a range such as 10.0.0.0/8, "
                    + "or one of these with a port.")
        }
        self = entry
    }

    func matches(_ name: String, _ address: IPAddress?, _ port: Int) -> Bool {
        guard self.port == nil || self.port == port else { return false }
        switch hosts {
        case .all: return true
        case .range(let range): return address.map(range.contains) ?? false
        case .domain(let domain): return name == domain || address == nil && name.hasSuffix("." + domain)
        case .subdomains(let suffix): return address == nil && name.hasSuffix(suffix)
        }
    }
}
