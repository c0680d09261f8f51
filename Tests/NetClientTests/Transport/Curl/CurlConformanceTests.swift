#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    @Suite(.serialized) struct CurlConformanceTests {
        @Test(arguments: TransportConformance.checks)
        func conforms(_ check: TransportConformance.Check) async throws {
            let lab = try await Lab.shared.value
            let suite = TransportConformance(servers: lab.servers) { CurlTransport(configuration: $0) }
            let outcome = try await suite.run(check)
            #expect(outcome == .passed)
        }

        /// The servers, started once for all checks.
        private struct Lab {
            static let shared = Task { try await Lab() }

            let nginx: NginxServer
            let legacy: NginxServer
            let proxy: ProxyServer
            let servers: ConformanceServers

            init() async throws {
                let certificates = try await TestCertificates.shared
                let nginx = try await NginxServer()
                legacy = try await NginxServer(tlsVersions: [.v1_1])
                proxy = try await ProxyServer()
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
                servers.proxy = ("127.0.0.1", proxy.url.port ?? 0)
                servers.requestCount = { nginx.accessLog.count }
                self.nginx = nginx
                self.servers = servers
            }
        }
    }
#endif
