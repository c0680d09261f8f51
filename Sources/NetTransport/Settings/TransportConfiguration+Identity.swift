import NetCore

extension TransportConfiguration {
    /// Distinguishes transports that reach different servers, or act as different users, for the same URL: by a Unix-domain socket, a client
    /// certificate, a proxy, certificate authorities, development servers, a way to look up names, or an address family or local address. Nil
    /// for the defaults.
    ///
    /// Settings that only refuse connections (a trust policy, an address policy, versions) are not part of it.
    package var identity: String? {
        var parts: [String] = []
        func add(_ kind: String, _ values: String...) { parts += [kind] + values.map { "\($0.utf8.count):\($0)" } }
        if let unixSocketPath { add("socket", unixSocketPath) }
        switch clientCertificate {
        case nil: break
        case .pem(let certificate, _, _): add("certificate", SHA256.hex(certificate))
        case .pkcs12(let archive, _): add("certificate", SHA256.hex(archive))
        }
        if clientCertificate != nil, let clientCertificateHosts {
            add("certificate hosts", clientCertificateHosts.sorted().joined(separator: ","))
        }
        func addAuthorities(_ kind: String, _ authorities: CertificateAuthorities) {
            switch authorities {
            case .system: break
            case .only(let pem): add(kind, SHA256.hex(pem))
            case .onlyFile(let url): add(kind, url.path)
            }
        }
        addAuthorities("authorities", certificateAuthorities)
        switch proxy {
        case .system, .none: break
        case .http, .https, .socks5:
            let server = proxy.server
            add("proxy", proxy.description, server?.username ?? "", server?.exceptions.joined(separator: ",") ?? "")
        }
        if case .https(_, _, _, _, _, let authorities) = proxy { addAuthorities("proxy authorities", authorities) }
        if case .selfSigned(let hosts, _) = developmentServers {
            add("development servers", hosts.sorted().joined(separator: ","))
        }
        for override in resolveOverrides {
            add("resolve", override.host, String(override.port), override.addresses.joined(separator: ","))
        }
        if let resolver { add("resolver", resolver.name) }
        if let dnsOverHTTPS { add("doh", dnsOverHTTPS.absoluteString) }
        if addressFamily != .any { add("family", addressFamily.rawValue) }
        if let localAddress { add("local", localAddress) }
        return parts.isEmpty ? nil : SHA256.hex(Data(parts.joined(separator: " ").utf8))
    }
}

/// The identity of the connection on which a transport sends a request: ``TransportConfiguration/identity``, without the client
/// certificate where the server does not see it, and with the Unix-domain socket of the URL.
package final class ConnectionIdentity: Sendable {
    private let certificateScope: ClientCertificateScope?
    private let withoutCertificate: String?
    /// The certificate may be replaced.
    private let withCertificate: Locked<String?>

    package init(_ configuration: TransportConfiguration) {
        certificateScope = ClientCertificateScope(configuration)
        var plain = configuration
        plain.clientCertificate = nil
        withoutCertificate = plain.identity
        withCertificate = Locked(configuration.identity)
    }

    /// Takes over the client certificate of a configuration that is the same otherwise.
    func replace(_ configuration: TransportConfiguration) {
        let identity = configuration.identity
        withCertificate.withLock { $0 = identity }
    }

    package func callAsFunction(_ url: URL?, _ context: RequestContext) -> String? {
        let shows = certificateScope?.includes(url, context) ?? false
        let identity = shows ? withCertificate.withLock { $0 } : withoutCertificate
        // Caches compare hosts in lower case, and paths of sockets differ by case.
        guard let path = url?.unixSocketPath else { return identity }
        return SHA256.hex(Data("socket \(path.utf8.count):\(path) \(identity ?? "")".utf8))
    }
}

extension URLRequest {
    /// The longest time without a byte, in seconds: the shorter one of the request's timeout and the transport's.
    ///
    /// Foundation does not tell whether a timeout was set. So the request's default of 60 s counts as none if the transport has a timeout,
    /// which may be longer.
    func idleTimeout(or general: TimeInterval?) -> TimeInterval? {
        guard let general, general > 0 else { return timeoutInterval }
        return timeoutInterval == 60 || !(timeoutInterval > 0) ? general : min(timeoutInterval, general)
    }
}
