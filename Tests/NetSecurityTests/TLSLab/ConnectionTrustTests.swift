#if os(Linux)
    import NetClient
    import NetCore
    import NetTesting
    import TestLab
    import Testing

    @testable import NetSecurity

    /// Every connection is checked, whatever kind of connection it is.
    @Suite(.timeLimit(.minutes(5)), .requires(.nginx, .tinyproxy))
    struct ConnectionTrustTests {
        /// Counts, and passes on to pins.
        private final class Counting: ServerTrustPolicy {
            let pins: PinningPolicy
            let count = Locked(0)

            init(_ pins: PinningPolicy) { self.pins = pins }

            func evaluate(_ chain: CertificateChain, host: String) throws {
                count.withLock { $0 += 1 }
                try pins.evaluate(chain, host: host)
            }
        }

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
            enforcement: PinnedHost.Enforcement = .enforced, report: PinningPolicy.ReportHandler? = nil
        ) async throws -> PinningPolicy {
            let all = try await PinningCertificates.shared
            let pin = try TrustCase.key(right ? all.server.certificate : all.sibling.certificate)
            return try PinningPolicy(
                [
                    PinnedHost(
                        "localhost", pins: [pin, TrustCase.unused], expires: expires, enforcement: enforcement)
                ], clock: clock, report: report)
        }

        private func echo(_ transport: CurlTransport, _ url: URL) async throws -> [String: String] {
            let response = try await transport.send(
                URLRequest(url: url.appendingPathComponent("echo")), body: nil, context: RequestContext())
            return NginxServer.echoed(try await response.body.collect(upTo: 1 << 16))
        }

        @Test func aReusedConnectionIsCheckedOnce() async throws {
            let server = try await TrustLab.shared.server(.good)
            for url in [server.httpsURL, server.http2URL] {
                let policy = Counting(try await pins())
                let transport = try await transport(policy) { $0.limits.connectionsPerHost = 1 }
                let numbers = try await (0..<5).asyncMap { _ in try await echo(transport, url)["connection-number"] }
                #expect(Set(numbers).count == 1)
                #expect(policy.count.withLock { $0 } == 1)
            }
        }

        @Test func aResumedSessionIsCheckedAgain() async throws {
            let server = try await TrustLab.shared.server(.good)
            let policy = Counting(try await pins())
            let transport = try await transport(policy) { $0.limits.idleConnections = 0 }
            let resumed = try await (0..<3).asyncMap { _ in
                try await echo(transport, server.httpsURL)["tls-session-reused"]
            }
            #expect(resumed == [".", "r", "r"])
            #expect(policy.count.withLock { $0 } == 3)
        }

        /// Pins that come into force between two connections hold for a session that was begun before.
        @Test func aResumedSessionIsRefused() async throws {
            let server = try await TrustLab.shared.server(.good)
            let isWrong = Locked(false)
            let (right, wrong) = (try await pins(), try await pins(right: false))
            let policy = Choosing { isWrong.withLock { $0 } ? wrong : right }
            let transport = try await transport(policy) { $0.limits.idleConnections = 0 }
            _ = try await echo(transport, server.httpsURL)
            #expect(try await echo(transport, server.httpsURL)["tls-session-reused"] == "r")
            isWrong.withLock { $0 = true }
            await #expect(throws: NetworkFailure.self) { try await echo(transport, server.httpsURL) }
        }

        private struct Choosing: ServerTrustPolicy {
            let choice: @Sendable () -> PinningPolicy

            func evaluate(_ chain: CertificateChain, host: String) throws { try choice().evaluate(chain, host: host) }
        }

        @Test func manyAtOnceOverHTTP2AreAllRefused() async throws {
            let server = try await TrustLab.shared.server(.good)
            let transport = try await transport(try await pins(right: false)) { $0.limits.connectionsPerHost = 1 }
            let mark = UUID().uuidString
            let url = try #require(URL(string: "\(server.http2URL)/small?\(mark)"))
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        await #expect(
                            performing: {
                                try await transport.send(URLRequest(url: url), body: nil, context: RequestContext())
                            }, throws: { ($0 as? NetworkFailure)?.cause == .pinningFailed(host: "localhost") })
                    }
                }
            }
            #expect(try await !server.hasSeen(mark))
        }

        @Test func expiredPinsOnlyReport() async throws {
            let server = try await TrustLab.shared.server(.good)
            let clock = TestClock()
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
            #expect(
                seen.first?.presentedPins == [
                    try TrustCase.key(all.server.certificate), try TrustCase.key(all.intermediate),
                ])
            #expect(seen.first?.subjects == ["CN=server", "CN=intermediate"])
        }

        @Test func reportOnlyPinsLetPass() async throws {
            let server = try await TrustLab.shared.server(.good)
            let reports = Locked(0)
            let policy = try await pins(
                right: false, enforcement: .reportOnly, report: { _ in reports.withLock { $0 += 1 } })
            #expect(try await echo(try await transport(policy), server.http2URL)["protocol"] == "HTTP/2.0")
            #expect(reports.withLock { $0 } == 1)
        }

        /// `https://localhost.:443/` is the same host.
        @Test func theDotOfTheRootIsNoWayAround() async throws {
            let server = try await TrustLab.shared.server(.good)
            let port = try #require(server.httpsURL.port)
            let transport = try await transport(try await pins(right: false)) {
                $0.resolveOverrides = [
                    TransportConfiguration.ResolveOverride(host: "localhost.", port: port, addresses: ["127.0.0.1"])
                ]
            }
            for host in ["localhost.", "LOCALHOST", "%6Cocalhost"] {
                let url = try #require(URL(string: "https://\(host):\(port)"))
                await #expect(
                    performing: { try await echo(transport, url) },
                    throws: {
                        if case .pinningFailed? = ($0 as? NetworkFailure)?.cause { true } else { false }
                    })
            }
        }

        @Test func aChainIsWhatProvesTheLeaf() async throws {
            let all = try await PinningCertificates.shared
            let leaf = all.server.certificate.der
            let seen = Locked<[CertificateChain]>([])
            struct Noting: ServerTrustPolicy {
                let note: @Sendable (CertificateChain) -> Void
                func evaluate(_ chain: CertificateChain, host: String) throws { note(chain) }
            }
            // In the wrong order, with one that is superfluous, and twice.
            let server = try await NginxServer(
                all.server,
                chain: [all.root, all.impostor, all.intermediate, all.intermediate, all.sibling.certificate])
            let transport = try await transport(Noting { chain in seen.withLock { $0.append(chain) } })
            _ = try await echo(transport, server.httpsURL)
            #expect(
                seen.withLock { $0.first?.certificates }
                    == [leaf, all.root.der, all.intermediate.der, all.intermediate.der])
        }
    }

    extension Sequence {
        fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
            var values: [Value] = []
            for element in self { values.append(try await transform(element)) }
            return values
        }
    }
#endif
