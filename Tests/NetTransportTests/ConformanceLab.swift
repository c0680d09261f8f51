import NetTesting
import TestLab

/// The servers that the conformance suite cannot start by itself: nginx with TLS, and a proxy. Started once for all tests of
/// this process, and ended with it.
enum ConformanceLab {
    static var servers: ConformanceServers { get async throws { try await starting.value.servers } }

    private static let starting = Task { try await start() }

    /// - Returns: the servers, and what keeps them running.
    private static func start() async throws -> (servers: ConformanceServers, running: [any Sendable]) {
        let (certificates, nginx) = (try await TestCertificates.shared, try await NginxServer())
        let (legacy, proxy) = (try await NginxServer(tlsVersions: [.v1_2]), try await ProxyServer())
        let (tlsProxy, socks) = (try await TLSProxyServer(identity: certificates.server), try await SocksServer())
        var servers = ConformanceServers()
        servers.tls = nginx.httpsURL
        servers.http2 = nginx.http2URL
        servers.mutualTLS = nginx.mutualTLSURL
        servers.legacyTLS = legacy.httpsURL
        servers.authority = try certificates.ca.pem
        servers.otherAuthority = try certificates.otherCA.pem
        servers.serverCertificate = certificates.server.certificate.der
        servers.clientCertificate = .pem(
            certificate: try certificates.client.certificate.pem, key: try certificates.client.keyPEM, password: nil)
        servers.proxy = (proxy.url.host ?? "127.0.0.1", proxy.url.port ?? 0)
        servers.tlsProxy = ("localhost", tlsProxy.port)
        servers.socksProxy = ("127.0.0.1", socks.port)
        servers.requestCount = { text in nginx.accessLog.filter { $0.contains(text) }.count }
        return (servers, [nginx, legacy, proxy, tlsProxy, socks])
    }
}
