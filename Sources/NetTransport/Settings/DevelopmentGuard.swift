import NetCore

/// Decides by ``TransportConfiguration/DevelopmentServers`` which servers may have a certificate that is not trusted.
struct DevelopmentGuard: Sendable {
    private let hosts: Set<String>
    private let proxies: ProxyPlan?
    private let announced = OnceFlag()

    /// Nil if no server may.
    ///
    /// - Parameters:
    ///   - proxies: `localhost` behind a proxy is another machine.
    ///   - isDebugBuild: whether the module was compiled with `DEBUG`, as SwiftPM and Xcode do in their debug configurations.
    /// - Throws: ``NetworkError/unsupported(_:)`` in a release build without the permission, and for a host that is not a name.
    init?(
        _ servers: TransportConfiguration.DevelopmentServers, proxies: ProxyPlan?,
        isDebugBuild: Bool = Self.isDebugBuild
    ) throws {
        guard case .selfSigned(let hosts, let allowsReleaseBuilds) = servers else { return nil }
        guard isDebugBuild || allowsReleaseBuilds else {
            throw NetworkError.unsupported(
                "developmentServers accepts certificates without verification, which this release build refuses. Remove the setting, set "
                    + "certificateAuthorities to the authority of these servers, or pass allowsReleaseBuilds: true.")
        }
        self.proxies = proxies
        self.hosts = Set(
            try hosts.map { host in
                let name = HostName.normalized(host)
                guard !name.isEmpty, IPAddress(name) != nil || !name.contains(where: { "*/:?#@, ".contains($0) }) else {
                    throw NetworkError.unsupported(
                        "developmentServers: '\(host.prefix(64).description.onOneLine)' is not a host. Name each host in full, without "
                            + "scheme, port and wildcard.")
                }
                return name
            })
    }

    #if DEBUG
        static let isDebugBuild = true
    #else
        static let isDebugBuild = false
    #endif

    /// Whether a server over TLS may have any certificate.
    func accepts(host: String, port: Int) -> Bool {
        let name = HostName.normalized(host)
        if hosts.contains(name) { return true }
        return HostName.isLoopback(name) && proxies?.server(host: host, port: port, isSecure: true) == nil
    }

    func accepts(_ url: URL?) -> Bool {
        guard let origin = url?.origin, origin.scheme == "https" else { return false }
        return accepts(host: origin.host, port: origin.port)
    }

    /// Tells the observers of the first call that has any.
    func announce(in context: RequestContext) {
        guard !context.observers.isEmpty, announced.take() else { return }
        let named = hosts.isEmpty ? "" : " and of \(hosts.sorted().joined(separator: ", "))"
        context.notify(
            .notice(
                "developmentServers is set: certificates of this machine\(named) are accepted without verification. Do not ship this."
            ), of: .transport)
    }

    static func notice(acceptingCertificateOf host: String) -> NetworkEvent.Kind {
        .notice("The certificate of \(host) was accepted without verification, because of developmentServers.")
    }
}
