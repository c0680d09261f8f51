#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// Servers in development, whose certificates are not trusted.
    @Suite(.timeLimit(.minutes(5)), .requires(.nginx, .microsocks)) struct CurlDevelopmentTests {
        private let nginx: NginxServer

        init() async throws { nginx = try await NginxServer(certificate: .otherCA) }

        private func transport(_ hosts: Set<String> = [], _ change: SettingsChange = { _ in }) -> CurlTransport {
            CurlTransport(change) {
                ($0.proxy, $0.developmentServers) = (.none, .selfSigned(hosts: hosts, allowsReleaseBuilds: true))
            }
        }

        private func small(_ url: URL, host: String = "localhost") throws -> URL {
            try NetTransportTests.url("https://\(host):\(url.port ?? 0)/small")
        }

        private func overrides(_ url: URL, _ hosts: String...) -> [TransportConfiguration.ResolveOverride] {
            hosts.map { .init(host: $0, port: url.port ?? 0, addresses: ["127.0.0.1"]) }
        }

        @Test(arguments: [false, true]) func localSelfSignedCertificateIsAcceptedWithNotice(http2: Bool) async throws {
            let (observer, transport) = (NoticeObserver(), transport())
            let url = http2 ? nginx.http2URL : nginx.httpsURL
            for host in ["localhost", "127.0.0.1"] {
                for _ in 0..<3 {
                    #expect(try await transport.fetch(small(url, host: host), context: observer.context).status == 200)
                }
            }
            #expect(observer.notices.count { $0.contains("Do not ship this") } == 1)
            // Once for each connection, as later requests use it again.
            #expect(observer.notices.dropFirst().map { $0.contains("127.0.0.1") } == [false, true])
            #expect(observer.notices.dropFirst().allSatisfy { $0.contains("was accepted without verification") })
        }

        @Test(arguments: [false, true]) func selfSignedCertificateIsAcceptedOfNamedHostsOnly(http2: Bool) async throws {
            let url = http2 ? nginx.http2URL : nginx.httpsURL
            let transport = transport(["dev.test"]) { $0.resolveOverrides = overrides(url, "dev.test", "other.test") }
            // The same handles serve all, and neither their options nor their connections may be mixed up.
            for _ in 0..<3 {
                #expect(try await transport.fetch(small(url, host: "dev.test")).status == 200)
                try await transport.expectFailure(.certificateUntrusted, of: small(url, host: "other.test"))
            }
        }

        @Test func expiredAndWrongHostCertificatesAreAccepted() async throws {
            for certificate in [NginxServer.Certificate.expired, .wrongHost] {
                let server = try await NginxServer(certificate: certificate)
                #expect(try await transport().fetch(small(server.httpsURL)).status == 200)
            }
        }

        @Test func trustPolicyIsStillAsked() async throws {
            let policy = LeafPolicy()
            let transport = transport { $0.trustPolicy = policy }
            for url in [nginx.httpsURL, nginx.http2URL] {
                for _ in 0..<2 { #expect(try await transport.fetch(small(url)).status == 200) }
            }
            let leaf = try await TestCertificates.shared.otherServer.certificate.der
            #expect(policy.leaves == [leaf, leaf])
            let refusing = self.transport { $0.trustPolicy = LeafPolicy { _ in true } }
            let error = try await failure { try await refusing.fetch(small(nginx.httpsURL)) }
            #expect(error.cause == .pinningFailed(host: "localhost"))
        }

        @Test func minimumTLSVersionStillHolds() async throws {
            let old = try await NginxServer(certificate: .otherCA, tlsVersions: [.v1_2])
            let transport = transport { $0.minimumTLSVersion = .v1_3 }
            try await transport.expectFailure(.tlsHandshakeFailed, of: small(old.httpsURL))
        }

        /// Behind a proxy, `localhost` is another machine, and names are what the caller named.
        @Test func localhostBehindAProxyIsVerified() async throws {
            let socks = try await SocksServer()
            let proxy = TransportConfiguration.Proxy.socks5(host: "127.0.0.1", port: socks.port)
            try await transport { $0.proxy = proxy }.expectFailure(.certificateUntrusted, of: small(nginx.httpsURL))
            #expect(try await transport(["localhost"]) { $0.proxy = proxy }.fetch(small(nginx.httpsURL)).status == 200)
        }

        @Test func redirectToAnotherHostIsVerified() async throws {
            let target = try small(nginx.httpsURL, host: "other.test")
            let certificate = try await Tool.openssl.needed(by: MockCertificate.self).make(names: ["dev.test"])
            for version in [MockHTTPVersions.http1Only, .http2Only] {
                let server = try MockServer(certificate: certificate, httpVersions: version) { _ in
                    .redirect(to: target.absoluteString)
                }
                let addresses = overrides(server.url, "dev.test") + overrides(nginx.httpsURL, "other.test")
                let client = NetworkClient(transport: transport(["dev.test"]) { $0.resolveOverrides = addresses })
                let url = try small(server.url, host: "dev.test")
                let error = try await failure { try await client.data(for: URLRequest(url: url)) }
                #expect(error.transportError?.code == .certificateUntrusted && server.requests.count == 1)
            }
            #expect(nginx.accessLog.isEmpty)
        }

        @Test func wildcardHostIsRefused() async throws {
            #expect(isUnsupported(try await transport(["*.test"]).failure(small(nginx.httpsURL))))
        }
    }
#endif
