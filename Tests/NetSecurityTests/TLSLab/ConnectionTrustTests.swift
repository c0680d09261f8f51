#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    @testable import NetSecurity

    /// Every connection is checked, whatever kind of connection it is.
    @Suite(.timeLimit(.minutes(5)), .requires(.nginx, .tinyproxy)) struct ConnectionTrustTests {
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

        private func pins(
            expires: Date? = nil, clock: any NetworkClock = .system, right: Bool = true,
            report: PinningPolicy.ReportHandler? = nil
        ) async throws -> PinningPolicy {
            let all = try await PinningCertificates.shared
            let pin = try TrustCase.key(right ? all.server.certificate : all.sibling.certificate)
            return try PinningPolicy(
                [PinningPolicy.Host("localhost", pins: [pin, TrustCase.unused], expires: expires)], clock: clock,
                report: report)
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

        @Test func expiredPinsOnlyReport() async throws {
            let (server, clock) = try await (TrustLab.shared.server(.good), TestClock())
            let reports = Locked<[PinningPolicy.Mismatch]>([])
            let policy = try await pins(
                expires: clock.now.addingTimeInterval(60), clock: clock, right: false,
                report: { mismatch in reports.withLock { $0.append(mismatch) } })
            let transport = try await transport(policy) { $0.limits.idleConnections = 0 }
            await #expect(throws: NetworkFailure.self) { try await echo(transport, server.httpsURL) }
            await clock.advance(by: 60)
            #expect(try await echo(transport, server.httpsURL)["method"] == "GET")
            let seen = reports.withLock { $0 }
            #expect(seen.map(\.isEnforced) == [true, false])
            let all = try await PinningCertificates.shared
            let presented = try [all.server.certificate, all.intermediate].map { try TrustCase.key($0) }
            #expect((seen.first?.presentedPins, seen.first?.subjects) == (presented, ["CN=server", "CN=intermediate"]))
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
#endif
