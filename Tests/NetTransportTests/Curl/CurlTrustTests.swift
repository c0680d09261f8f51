#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    @testable import NetTransport

    @Suite(.timeLimit(.minutes(5)), .requires(.nginx)) struct CurlTrustTests {
        private let nginx: NginxServer

        init() async throws { nginx = try await NginxServer() }

        @Test(arguments: [false, true]) func trustPolicyIsAskedOncePerConnection(http2: Bool) async throws {
            let policy = LeafPolicy()
            let transport = try await CurlTransport.trusting {
                ($0.trustPolicy, $0.limits.connectionsPerHost) = (policy, 1)
            }
            let url = small(http2 ? nginx.http2URL : nginx.httpsURL)
            try await transport.fetchAtOnce(Array(repeating: url, count: 40))
            #expect(policy.hosts == ["localhost"])
            #expect(policy.leaves == [try await TestCertificates.shared.server.certificate.der])
        }

        @Test(arguments: [false, true]) func refusedServerGetsNoRequest(http2: Bool) async throws {
            let transport = try await CurlTransport.trusting { $0.trustPolicy = LeafPolicy { _ in true } }
            let url = small(http2 ? nginx.http2URL : nginx.httpsURL)
            _ = try await atOnce(10) { index in
                let failure = await #expect(throws: NetworkFailure.self) {
                    let body = index.isMultiple(of: 2) ? HTTPBody("x") : nil
                    _ = try await transport.fetch(url, body == nil ? "GET" : "POST", body: body)
                }
                #expect(failure?.cause == .pinningFailed(host: "localhost"))
                #expect(failure?.underlyingError is LeafPolicy.Refusal)
            }
            #expect(nginx.accessLog.isEmpty)
        }

        @Test func plainHTTPDoesNotAskTheTrustPolicy() async throws {
            let policy = LeafPolicy { _ in true }
            let transport = try await CurlTransport.trusting { $0.trustPolicy = policy }
            #expect(try await transport.fetch(small(nginx.httpURL)).status == 200 && policy.hosts.isEmpty)
        }
    }

    /// The system's certificate authorities, and which certificates that a server sent prove its own. `NetSecurityTests/TLSLab` does the latter
    /// over real connections.
    @Suite(.serialized, .timeLimit(.minutes(2)), .requires(.openssl)) struct CurlCertificateTests {
        @Test(.ownProcess) func sslCertFileReplacesTheSystemsAuthorities() async throws {
            await #expect(processExitsWith: .success) {
                let (certificate, folder) = (try await MockCertificate.make(), try TemporaryDirectory())
                try certificate.authority.write(to: folder.file("authority.pem"))
                setenv("SSL_CERT_FILE", folder.file("authority.pem").path, 1)
                let server = try MockServer(certificate: certificate) { _ in .ok }
                #expect(try await CurlTransport().fetch(server.url("/")).status == 200)
            }
        }

        @Test(.ownProcess) func missingAuthoritiesFileIsNamedInTheError() async throws {
            await #expect(processExitsWith: .success) {
                setenv("SSL_CERT_FILE", "/none/authorities.pem", 1)
                let certificate = try await MockCertificate.make()
                let server = try MockServer(certificate: certificate) { _ in .ok }
                let error = try await failure { try await NetworkClient().data(for: URLRequest(url: server.url("/"))) }
                #expect(error.transportError?.code == .certificateAuthoritiesUnreadable)
                #expect(error.errorType == "certificate_authorities_unreadable")
                for text in ["Install ca-certificates", "/none/authorities.pem"] { #expect("\(error)".contains(text)) }
            }
        }

        @Test func chainKeepsOnlyCertificatesThatProveTheLeaf() async throws {
            let all = try await PinningCertificates.shared
            let (leaf, intermediate, root) = (all.server.certificate.der, all.intermediate.der, all.root.der)
            let rest = [all.impostor.der, all.sibling.certificate.der, all.upstart.der, all.selfSigned.certificate.der]
            #expect(TLSContext.proving([]) == [] && TLSContext.proving([leaf]) == [leaf])
            #expect(TLSContext.proving([leaf, intermediate, root]) == [leaf, intermediate, root])
            #expect(TLSContext.proving([leaf, root, intermediate]) == [leaf, root, intermediate])
            #expect(TLSContext.proving([leaf] + rest + [intermediate]) == [leaf, intermediate])
            #expect(TLSContext.proving([leaf, leaf]) == [leaf])
            // Nothing leads to the root.
            #expect(TLSContext.proving([leaf, root]) == [leaf])
            for stranger in [all.forged, all.usurped, all.expired, all.notYetValid, all.selfSigned] {
                let der = stranger.certificate.der
                #expect(TLSContext.proving([der, all.sibling.certificate.der, intermediate, root]) == [der])
            }
        }

        @Test func malformedCertificatesAreDropped() async throws {
            let all = try await PinningCertificates.shared
            let (leaf, intermediate) = (all.server.certificate.der, all.intermediate.der)
            for garbage in [Data(), Data([0x30]), Data(count: 1000), leaf.dropLast()] {
                #expect(TLSContext.proving([leaf, garbage, intermediate]) == [leaf])
                #expect(TLSContext.proving([garbage, intermediate]) == [garbage])
            }
            // More than anybody sends.
            #expect(TLSContext.proving([leaf] + Array(repeating: intermediate, count: 20)) == [leaf])
        }
    }

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
