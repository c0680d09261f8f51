#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    @testable import NetSecurity

    /// Every connection is checked, whatever kind of connection it is.
    @Suite(.timeLimit(.minutes(5)), .requires(.nginx)) struct ConnectionTrustTests {
        private func transport(
            _ policy: any ServerTrustPolicy, _ change: (inout TransportConfiguration) -> Void = { _ in }
        ) async throws -> CurlTransport {
            var configuration = TransportConfiguration()
            configuration.proxy = .none
            configuration.certificateAuthorities = .only(pem: try await PinningCertificates.shared.root.pem)
            configuration.trustPolicy = policy
            change(&configuration)
            return CurlTransport(configuration: configuration)
        }

        private func pins(right: Bool = true) async throws -> PinningPolicy {
            let all = try await PinningCertificates.shared
            let pin = try TrustCase.key(right ? all.server.certificate : all.sibling.certificate)
            return try PinningPolicy([PinningPolicy.Host("localhost", pins: [pin, TrustCase.unused])])
        }

        private func echo(_ transport: CurlTransport, _ url: URL) async throws -> [String: String] {
            let response = try await transport.send(
                URLRequest(url: url.appendingPathComponent("echo")), body: nil, context: RequestContext())
            return NginxServer.echoed(try await response.body.collect(upTo: 1 << 16))
        }

        /// Pins that come into force between two connections hold for a session that was begun before.
        @Test func resumedTLSSessionIsCheckedAgain() async throws {
            let (server, isWrong) = try await (TrustLab.shared.server(.good), Locked(false))
            let (right, wrong) = (try await pins(), try await pins(right: false))
            let policy = Judge { try (isWrong.withLock { $0 } ? wrong : right).evaluate($0, host: $1) }
            let transport = try await transport(policy) { $0.limits.idleConnections = 0 }
            _ = try await echo(transport, server.httpsURL)
            #expect(try await echo(transport, server.httpsURL)["tls-session-reused"] == "r")
            isWrong.withLock { $0 = true }
            await #expect(throws: NetworkFailure.self) { try await echo(transport, server.httpsURL) }
        }

        private struct Judge: ServerTrustPolicy {
            let judge: @Sendable (CertificateChain, String) throws -> Void
            func evaluate(_ chain: CertificateChain, host: String) throws { try judge(chain, host) }
        }

        /// `https://localhost.:443/` is the same host.
        @Test func otherSpellingsOfTheHostArePinned() async throws {
            let server = try await TrustLab.shared.server(.good)
            let port = try #require(server.httpsURL.port)
            let transport = try await transport(try await pins(right: false)) {
                $0.resolveOverrides = [.init(host: "localhost.", port: port, addresses: ["127.0.0.1"])]
            }
            for host in ["localhost.", "LOCALHOST", "%6Cocalhost"] {
                let url = try #require(URL(string: "https://\(host):\(port)"))
                #expect(try await failure { try await echo(transport, url) }.code == "pinning_failed", "\(host)")
            }
        }

        @Test func chainHoldsOnlyCertificatesThatProveTheLeaf() async throws {
            let (all, seen) = try await (PinningCertificates.shared, Locked<[CertificateChain]>([]))
            // In the wrong order, with one that is superfluous, and twice.
            let server = try await NginxServer(
                all.server,
                chain: [all.root, all.impostor, all.intermediate, all.intermediate, all.sibling.certificate])
            let transport = try await transport(Judge { chain, _ in seen.withLock { $0.append(chain) } })
            _ = try await echo(transport, server.httpsURL)
            let proof = [all.server.certificate, all.root, all.intermediate, all.intermediate].map(\.der)
            #expect(seen.withLock { $0.first?.certificates } == proof)
        }
    }

    /// A client certificate belongs to the hosts that are named, or to the origin of the base URL or of the call.
    @Suite(.timeLimit(.minutes(5)), .requires(.nginx)) struct ClientCertificateScopeTests {
        private let server: NginxServer
        private let configuration: TransportConfiguration
        /// Redirects to the server that asks for the certificate, from another origin.
        private let start: MockServer
        private let target: URL

        init() async throws {
            server = try await NginxServer()
            target = server.mutualTLSURL.appendingPathComponent("small")
            start = try MockServer { [target] _ in .redirect(to: target.absoluteString) }
            let certificates = try await TestCertificates.shared
            var configuration = TransportConfiguration()
            configuration.certificateAuthorities = .only(pem: try certificates.ca.pem)
            configuration.clientCertificate = .pem(
                certificate: try certificates.client.certificate.pem, key: try certificates.client.keyPEM, password: nil
            )
            self.configuration = configuration
        }

        /// nginx answers 400 where no certificate is shown.
        private func status(
            _ url: URL, hosts: Set<String>? = nil, base: URL? = nil, client given: NetworkClient? = nil
        ) async throws -> Int {
            var configuration = configuration
            configuration.clientCertificateHosts = hosts
            let client = NetworkClient(transport: .platform(configuration)).with { $0.baseURL = base }
            return try await (given ?? client).send(URLRequest(url: url)).status
        }

        @Test func certificateBelongsToTheBaseURL() async throws {
            #expect(try await (status(target, base: target), status(start.url("/"), base: target)) == (200, 200))
            let other = try #require(URL(string: "https://api.example.com"))
            #expect(try await status(target, base: other) == 400)
        }

        @Test func certificateIsShownToTheNamedHosts() async throws {
            let host = try #require(target.host)
            let withPort = "\(host.uppercased()):\(try #require(target.port))"
            #expect(try await status(target, hosts: [host]) == 200)
            #expect(try await status(start.url("/"), hosts: [withPort]) == 200, "after a redirect")
            #expect(try await status(start.url("/"), hosts: [host]) == 400, "the port is another than the usual one")
            #expect(try await status(target, hosts: [withPort]) == 200)
            for others in [[], ["other.example"], ["\(host):1"], ["a.\(host)"]] as [Set<String>] {
                #expect(try await status(target, hosts: others) == 400, "\(others)")
            }
        }

        /// A connection on which it was shown serves no request that may not show it, as after a redirect to another origin.
        @Test func certificateBelongsToTheOriginOfTheCall() async throws {
            let client = NetworkClient(transport: .platform(configuration))
            for _ in 0..<3 {
                #expect(try await status(target, client: client) == 200)
                #expect(try await status(start.url("/"), client: client) == 400)
            }
        }
    }
#endif
