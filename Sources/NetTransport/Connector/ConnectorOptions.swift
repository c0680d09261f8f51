#if os(Linux)
    import CLibcurl
    import NetCore

    /// What libcurl is told about the connections of a connector, and the names that it has looked up. Only the connecting thread uses it.
    final class ConnectorOptions {
        /// Retained, so that its identity is not another's.
        private let connector: Connector
        private let configuration: TransportConfiguration
        /// Overrides as libcurl takes them, and their hosts and ports.
        private let overrides: [String]
        let overridden: Set<String>
        /// libcurl's cache of addresses.
        private let names: OpaquePointer
        /// The local address as libcurl takes it.
        private let localAddress: String?
        /// The entry of libcurl's cache that the last resolver's answer has left there.
        private var lastEntry: String?

        init(_ connector: Connector) throws {
            self.connector = connector
            configuration = connector.configuration
            overrides = configuration.resolveOverrides.map { Self.entry($0.host, $0.port, $0.addresses) }
            overridden = Set(configuration.resolveOverrides.map { "\($0.host.lowercased()):\($0.port)" })
            localAddress = try configuration.localAddress.map(Self.checkedLocalAddress)
            guard let names = nc_names_make() else { throw Self.outOfMemory }
            self.names = names
        }

        deinit { nc_names_free(names) }

        static let outOfMemory = TransportError(
            .other, phase: .preparing, message: "libcurl has no memory for a handle.")

        private static func checkedLocalAddress(_ local: String) throws -> String {
            // The prefix keeps libcurl from looking up the name of an interface that does not exist.
            let isAddress = IPAddress(local) != nil
            guard isAddress || (1...15).contains(local.utf8.count),
                local.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else {
                throw NetworkError.unsupported(
                    "localAddress is neither an address nor the name of a network interface.")
            }
            return (isAddress ? "host!" : "if!") + local
        }

        // MARK: One connection

        /// - Parameter addresses: those of the target's name; nil to have libcurl look it up.
        /// - Throws: ``NetworkError``, and ``TransportError`` for a target that cannot be connected to.
        func apply(
            to opening: UnsafeMutablePointer<nc_opening>, _ target: ConnectTarget, _ addresses: [String]?,
            milliseconds: Int
        ) throws {
            let easy = opening.pointee.easy
            nc_set_pointer(easy, NC_OPT_SHARE, UnsafeRawPointer(names))
            func set(_ option: nc_option, _ text: String) throws {
                try check(option, nc_set_pointer(easy, option, text))
            }
            func set(_ option: nc_option, _ number: Int) throws { try check(option, nc_set_long(easy, option, number)) }
            func check(_ option: nc_option, _ result: Int32) throws {
                guard result != 0 else { return }
                throw NetworkError.unsupported(
                    "\(String(cString: nc_version())) does not support \(String(cString: nc_option_name(option))). "
                        + "Install a newer libcurl, or leave the setting out.")
            }
            // Since 7.87: a name server that does not answer must not block the thread when the attempt is cancelled.
            nc_set_long(easy, NC_OPT_QUICK_EXIT, 1)
            if let path = target.socketPath ?? configuration.unixSocketPath { try set(NC_OPT_UNIX_SOCKET_PATH, path) }
            if let localAddress { try set(NC_OPT_INTERFACE, localAddress) }
            let (family, resolves) =
                switch target.socketPath == nil ? configuration.addressFamily : .any {
                case .any: (Int32(0), 0)
                case .ipv4Only: (AF_INET, NC_IPRESOLVE_V4)
                case .ipv6Only: (AF_INET6, NC_IPRESOLVE_V6)
                }
            opening.pointee.family = family
            try set(NC_OPT_IPRESOLVE, Int(resolves))
            try set(NC_OPT_CONNECTTIMEOUT_MS, milliseconds)
            let (host, port, proxy) = try way(to: target)
            try set(NC_OPT_URL, "http://\(host):\(port)/")
            // Without a proxy, the empty option keeps libcurl from searching the environment. With one, `ProxyPlan` has decided about
            // exceptions, and the empty list overrides the variable `no_proxy`.
            try set(NC_OPT_PROXY, proxy?.name ?? "")
            if let proxy {
                try set(NC_OPT_NOPROXY, "")
                if let credentials = proxy.credentials {
                    try set(NC_OPT_PROXYUSERNAME, credentials.username)
                    try set(NC_OPT_PROXYPASSWORD, credentials.password)
                }
                // A SOCKS proxy must not ask for the user's Kerberos ticket.
                try set(NC_OPT_SOCKS5_AUTH, Int(NC_AUTH_BASIC))
                try set(NC_OPT_SUPPRESS_CONNECT_HEADERS, 1)
                if configuration.wantsTunnel(target) { try set(NC_OPT_HTTPPROXYTUNNEL, 1) }
            }
            var entries = overrides
            if let addresses {
                // libcurl takes the addresses at once, and would keep them in its cache forever. So each answer removes the last one.
                lastEntry.map { entries.append("-\($0)") }
                lastEntry = "\(host):\(port)"
                entries.append(Self.entry(host, port, addresses))
            }
            let list = entries.reduce(nil) { nc_list_append($0, $1) ?? $0 }
            // libcurl looks up a local address as a name, too.
            let forbidsLookUp = addresses != nil && configuration.localAddress.flatMap { IPAddress($0) } == nil
            if let list { nc_opening_resolve(opening, list, forbidsLookUp ? 1 : 0) }
        }

        /// What libcurl connects to, and by which proxy: the host as in a URL.
        private func way(to target: ConnectTarget) throws -> (host: String, port: Int, proxy: ProxyPlan.Server?) {
            var (host, port, proxy) = (target.host, target.port, target.proxy)
            if let tlsProxy = proxy, tlsProxy.isTLS {
                guard let url = URL(string: tlsProxy.name), let name = url.host else {
                    throw TransportError(
                        .proxyFailed, phase: .preparing, message: "The proxy \(tlsProxy.name) has no host.",
                        url: target.url)
                }
                (host, port, proxy) = (name, url.port ?? 443, nil)
            }
            // A name in a SOCKS request has at most 255 bytes (RFC 1928, section 5). libcurl looks up longer ones itself, or overflows
            // (CVE-2023-38545).
            guard proxy?.name.hasPrefix("socks") != true || host.utf8.count <= 255 else {
                throw TransportError(
                    .nameNotResolved, phase: .preparing, message: "The host has more than 255 bytes.", url: target.url)
            }
            if let proxy, proxy.name.hasPrefix("socks"), let credentials = proxy.credentials,
                max(credentials.username.utf8.count, credentials.password.utf8.count) > 255
            {
                throw TransportError(
                    .proxyFailed, phase: .connecting,
                    message:
                        "The proxy \(proxy.name) takes a user name and a password of at most 255 bytes (RFC 1929).",
                    url: target.url)
            }
            let isLiteral = host.utf8.contains(UInt8(ascii: ":"))
            if isLiteral, host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
            // libcurl must read no other host out of the URL than this one.
            guard !host.isEmpty, (0...65535).contains(port),
                !isLiteral || host.prefix(while: { $0 != "%" }).contains(":"),
                !isLiteral || IPAddress.isLiteral(host.prefix { $0 != "%" }),
                host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !"/?#@\\[]".utf8.contains($0) })
            else { throw NetworkError.invalidURL }
            return (isLiteral ? "[\(host.replacingOccurrences(of: "%", with: "%25"))]" : host, port, proxy)
        }

        /// An entry for `CURLOPT_RESOLVE`.
        private static func entry(_ host: String, _ port: Int, _ addresses: [String]) -> String {
            "\(host):\(port):" + addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
        }
    }

    extension TransportConfiguration {
        /// The other end of an open connection to the target.
        func peer(for target: ConnectTarget) -> OpenedConnection.Peer {
            guard let proxy = target.proxy else { return .server }
            if proxy.isTLS { return .tlsProxy }
            return proxy.name.hasPrefix("http:") && !wantsTunnel(target) ? .httpProxy : .server
        }

        /// A proxy for plain requests does not speak HTTP/2.
        fileprivate func wantsTunnel(_ target: ConnectTarget) -> Bool {
            target.needsTunnel || httpVersions == .http2PriorKnowledge
        }
    }
#endif
