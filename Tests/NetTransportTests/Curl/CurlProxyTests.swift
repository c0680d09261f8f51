#if os(Linux)
    import NetTransport
    import TestLab
    import Testing

    /// SOCKS proxies, and HTTP proxies over TLS.
    @Suite(.timeLimit(.minutes(5)), .requires(.nginx, .tinyproxy, .stunnel, .microsocks)) struct CurlProxyTests {
        private let nginx: NginxServer
        private let authority: TransportConfiguration.CertificateAuthorities
        private static let login = ProxyServer.Credentials(user: "leia", password: "alderaan")

        init() async throws {
            nginx = try await NginxServer()
            authority = .only(pem: try await TestCertificates.shared.ca.pem)
        }

        private func transport(_ proxy: Proxy, _ change: SettingsChange = { _ in }) -> CurlTransport {
            CurlTransport(change) { ($0.certificateAuthorities, $0.proxy) = (authority, proxy) }
        }

        private func through(_ socks: SocksServer, isLocal: Bool = false) -> Proxy {
            .socks5(host: "127.0.0.1", port: socks.port, resolvesNamesLocally: isLocal)
        }

        private func expectFailure(
            _ code: TransportError.Code, _ proxy: String, of url: URL, over transport: CurlTransport
        ) async throws {
            let error = try #require(await transport.expectFailure(code, phase: .connecting, of: url))
            #expect(error.isUnprocessed && error.message.contains(proxy), "\(error)")
            for secret in ["leia", "alderaan", "wrong"] { #expect(!"\(error)".contains(secret)) }
        }

        // MARK: SOCKS

        @Test(arguments: [false, true]) func socksProxyResolvesNames(isLocal: Bool) async throws {
            let socks = try await SocksServer()
            let transport = transport(through(socks, isLocal: isLocal))
            for url in [nginx.httpURL, nginx.httpsURL, nginx.http2URL] {
                #expect(try await transport.fetch(small(url)).status == 200)
            }
            let names = socks.destinations.map { $0.prefix { $0 != ":" } }
            // `localhost` has an IPv6 address too, which nginx may have as well.
            #expect(names.count == 3 && names.allSatisfy { ($0 == "localhost") == !isLocal }, "\(socks.destinations)")
        }

        /// The name has no address, so the answer can only be the proxy's.
        @Test func unknownHostBehindSOCKSIsProxyFailed() async throws {
            let (socks, url) = (try await SocksServer(), try url("http://no-such-host.invalid/"))
            let name = "socks5h://127.0.0.1:\(socks.port)"
            try await expectFailure(.proxyFailed, name, of: url, over: transport(through(socks)))
            try await transport(through(socks, isLocal: true)).expectFailure(.nameNotResolved, of: url)
        }

        @Test func refusalNamesProxyOrServer() async throws {
            let socks = try await SocksServer()
            let (proxy, closed) = (through(socks), try url("https://localhost:\(freePort())/"))
            try await expectFailure(
                .connectionRefused, "(through the proxy socks5h://127.0.0.1:\(socks.port))", of: closed,
                over: transport(proxy))
            socks.stop()
            let file = small(nginx.httpsURL)
            try await expectFailure(.proxyFailed, "The proxy \(proxy) failed", of: file, over: transport(proxy))
        }

        @Test func socksCredentialsAreSent() async throws {
            let socks = try await SocksServer(credentials: Self.login)
            func proxy(_ user: String?, _ password: String?) -> Proxy {
                .socks5(host: "127.0.0.1", port: socks.port, username: user, password: password)
            }
            #expect(try await transport(proxy("leia", "alderaan")).fetch(small(nginx.httpsURL)).status == 200)
            for (user, password) in [("leia", "wrong"), (nil, nil), (String(repeating: "leia", count: 100), "x")] {
                try await expectFailure(
                    .proxyFailed, "\(proxy(nil, nil))", of: small(nginx.httpsURL),
                    over: transport(proxy(user, password)))
            }
            #expect(nginx.accessLog.count == 1)
        }

        /// libcurl would look up a name that is too long for SOCKS itself, or overflow.
        @Test func overlongNameIsNotResolvedLocally() async throws {
            let (socks, label) = (try await SocksServer(), String(repeating: "a", count: 60))
            let url = try url("http://\(Array(repeating: label, count: 5).joined(separator: "."))/")
            try await transport(through(socks)).expectFailure(.nameNotResolved, phase: .preparing, of: url)
        }

        @Test func proxyExceptionsConnectDirectly() async throws {
            let (socks, port) = (try await SocksServer(), try #require(nginx.httpURL.port))
            let transport = transport(
                .socks5(host: "127.0.0.1", port: socks.port, exceptions: ["localhost:\(port)", "10.0.0.0/8"]))
            // The same handles serve both, so no option of one may stay for the other.
            for _ in 0..<3 {
                #expect(try await transport.fetch(small(nginx.httpURL)).status == 200)
                #expect(try await transport.fetch(small(nginx.httpsURL)).status == 200)
            }
            #expect(socks.destinations == ["localhost:\(nginx.httpsURL.port ?? 0)"])
        }

        @Test func trustPolicyChecksTheServerBehindAProxy() async throws {
            let (socks, http) = (try await SocksServer(), try await ProxyServer())
            let leaf = try await TestCertificates.shared.server.certificate.der
            for proxy in [through(socks), .http(host: "127.0.0.1", port: http.url.port ?? 0)] {
                let policy = LeafPolicy()
                let pinned = transport(proxy) { $0.trustPolicy = policy }
                for url in [nginx.httpsURL, nginx.http2URL] {
                    for _ in 0..<2 { #expect(try await pinned.fetch(small(url)).status == 200) }
                }
                #expect(policy.leaves == [leaf, leaf])
                let strange = transport(proxy) { $0.certificateAuthorities = .system }
                let error = try await strange.expectFailure(
                    .certificateUntrusted, phase: .securing, of: small(nginx.httpsURL))
                #expect(error?.isUnprocessed == true)
            }
        }

        // MARK: Proxies over TLS

        private func secure(
            _ proxy: TLSProxyServer, _ user: String? = nil, _ password: String? = nil,
            authorities: TransportConfiguration.CertificateAuthorities? = nil
        ) -> Proxy {
            .https(
                host: "localhost", port: proxy.port, username: user, password: password,
                certificateAuthorities: authorities ?? authority)
        }

        /// In the tunnel the server may choose HTTP/2; the proxy is offered HTTP/1.1 only.
        @Test(arguments: [false, true]) func tlsProxyForwardsHTTPAndTunnelsHTTPS(hasOtherAuthority: Bool) async throws {
            let all = try await TestCertificates.shared
            let proxy = try await TLSProxyServer(identity: hasOtherAuthority ? all.otherServer : all.server)
            let trusted = secure(proxy, authorities: .only(pem: try (hasOtherAuthority ? all.otherCA : all.ca).pem))
            let policy = LeafPolicy()
            let transport = transport(trusted) { $0.trustPolicy = policy }
            let plain = try await transport.fetch(nginx.httpURL.appendingPathComponent("echo"))
            #expect(NginxServer.echoed(plain.body)["via"]?.contains("tinyproxy") == true)
            for _ in 0..<2 {
                #expect(try await transport.fetch(small(nginx.httpsURL)).status == 200)
                let second = try await transport.fetch(nginx.http2URL.appendingPathComponent("echo"))
                #expect(NginxServer.echoed(second.body)["protocol"] == "HTTP/2.0")
            }
            #expect(proxy.proxy.requests.filter { $0.hasPrefix("CONNECT") }.count == 2)
            // The policy was asked about the servers only, and not about the proxy.
            #expect(policy.leaves == Array(repeating: all.server.certificate.der, count: 2))
        }

        @Test func untrustedTLSProxyIsProxyFailed() async throws {
            let certificates = try await TestCertificates.shared
            let local = TransportConfiguration.DevelopmentServers.selfSigned(allowsReleaseBuilds: true)
            for identity in [certificates.otherServer, certificates.expiredServer, certificates.wrongHostServer] {
                let proxy = try await TLSProxyServer(identity: identity)
                let text = "The proxy https://localhost:\(proxy.port) failed"
                for url in [nginx.httpURL, nginx.httpsURL] {
                    let own = transport(secure(proxy)) { $0.developmentServers = local }
                    try await expectFailure(.proxyFailed, text, of: small(url), over: own)
                }
                #expect(proxy.proxy.requests.isEmpty)
            }
        }

        @Test func untrustedServerBehindTLSProxyIsNotProxyFailed() async throws {
            let proxy = try await TLSProxyServer(identity: TestCertificates.shared.server)
            let other = try await NginxServer(certificate: .otherCA)
            // libcurl 7.88 loses the reason of a handshake within TLS.
            try await transport(secure(proxy)).expectFailure(
                .certificateUntrusted, .tlsHandshakeFailed, phase: .securing, of: small(other.httpsURL))
            #expect(other.accessLog.isEmpty)
        }

        @Test func tlsProxyCredentialsAreSent() async throws {
            let proxy = try await TLSProxyServer(identity: TestCertificates.shared.server, credentials: Self.login)
            #expect(try await transport(secure(proxy, "leia", "alderaan")).fetch(small(nginx.httpsURL)).status == 200)
            for (user, password) in [("leia", "wrong"), (nil, nil)] {
                try await expectFailure(
                    .proxyFailed, "https://localhost:\(proxy.port)", of: small(nginx.httpsURL),
                    over: transport(secure(proxy, user, password)))
            }
            // A plain request gets the proxy's response.
            #expect(try await transport(secure(proxy)).fetch(small(nginx.httpURL)).status == 407)
        }
    }
#endif
