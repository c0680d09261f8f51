#if os(Linux)
    import NetCore
    import NetTesting
    import TestLab
    import Testing

    @testable import NetTransport

    @Suite(.timeLimit(.minutes(5)), .requires(.nginx, .tinyproxy))
    struct CurlTrustTests {
        private let nginx: NginxServer
        private let authority: Data

        init() async throws {
            nginx = try await NginxServer()
            authority = try await TestCertificates.shared.ca.pem
        }

        private func transport(_ policy: Policy, _ change: (inout TransportConfiguration) -> Void = { _ in })
            -> CurlTransport
        {
            CurlTransport {
                $0.certificateAuthorities = .only(pem: authority)
                $0.trustPolicy = policy
                change(&$0)
            }
        }

        @Test(arguments: [false, true])
        func asksOnceForAConnection(http2: Bool) async throws {
            let policy = Policy()
            let transport = transport(policy) { $0.limits.connectionsPerHost = 1 }
            let url = (http2 ? nginx.http2URL : nginx.httpsURL).appendingPathComponent("small")
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<40 { group.addTask { try await transport.fetch(url).status } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(policy.hosts == ["localhost"])
            #expect(policy.leaves == [try await TestCertificates.shared.server.certificate.der])
        }

        /// New connections of the same transport resume the TLS session; the chain is there all the same.
        @Test func asksAgainForAResumedSession() async throws {
            let policy = Policy()
            let transport = transport(policy) { $0.limits.idleConnections = 0 }
            for _ in 0..<3 {
                #expect(try await transport.fetch(nginx.httpsURL.appendingPathComponent("small")).status == 200)
            }
            #expect(policy.hosts.count == 3)
            #expect(Set(policy.leaves).count == 1)
        }

        @Test(arguments: [false, true])
        func sendsNothingToWhomItDoesNotTrust(http2: Bool) async throws {
            let transport = transport(Policy(refuses: true))
            let url = (http2 ? nginx.http2URL : nginx.httpsURL).appendingPathComponent("small")
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<10 {
                    group.addTask {
                        await #expect {
                            _ = try await transport.fetch(
                                url, index.isMultiple(of: 2) ? "POST" : "GET",
                                body: index.isMultiple(of: 2) ? HTTPBody("x") : nil)
                        } throws: { error in
                            guard let failure = error as? NetworkFailure else { return false }
                            return failure.cause == .pinningFailed(host: "localhost")
                                && failure.underlyingError is Policy.Refusal
                        }
                    }
                }
            }
            #expect(nginx.accessLog.isEmpty)
        }

        @Test func asksThroughAProxyForTheServersCertificate() async throws {
            let proxy = try await ProxyServer()
            let policy = Policy()
            let transport = transport(policy) {
                $0.proxy = .http(host: "127.0.0.1", port: proxy.url.port ?? 0)
            }
            for _ in 0..<2 {
                #expect(try await transport.fetch(nginx.httpsURL.appendingPathComponent("small")).status == 200)
            }
            #expect(policy.leaves == [try await TestCertificates.shared.server.certificate.der])
        }

        @Test func asksNobodyAboutPlainHTTP() async throws {
            let policy = Policy(refuses: true)
            #expect(try await transport(policy).fetch(nginx.httpURL.appendingPathComponent("small")).status == 200)
            #expect(policy.hosts.isEmpty)
        }

        private final class Policy: ServerTrustPolicy {
            struct Refusal: Error {}

            private let refuses: Bool
            private let journal = Locked<[(host: String, leaf: Data?)]>([])

            init(refuses: Bool = false) {
                self.refuses = refuses
            }

            var hosts: [String] { journal.withLock { $0.map(\.host) } }
            var leaves: [Data] { journal.withLock { $0.compactMap(\.leaf) } }

            func evaluate(_ chain: CertificateChain, host: String) throws {
                journal.withLock { $0.append((host, chain.leaf)) }
                if refuses { throw Refusal() }
            }
        }
    }
#endif
