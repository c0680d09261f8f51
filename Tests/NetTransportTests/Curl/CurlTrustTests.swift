#if os(Linux)
    import NetTransport
    import TestLab
    import Testing

    @Suite(.timeLimit(.minutes(5)), .requires(.nginx)) struct CurlTrustTests {
        private let nginx: NginxServer
        private let authority: Data

        init() async throws {
            nginx = try await NginxServer()
            authority = try await TestCertificates.shared.ca.pem
        }

        private func transport(_ policy: LeafPolicy, _ change: SettingsChange = { _ in }) -> CurlTransport {
            CurlTransport(change) { ($0.certificateAuthorities, $0.trustPolicy) = (.only(pem: authority), policy) }
        }

        @Test(arguments: [false, true]) func trustPolicyIsAskedOncePerConnection(http2: Bool) async throws {
            let policy = LeafPolicy()
            let transport = transport(policy) { $0.limits.connectionsPerHost = 1 }
            let url = small(http2 ? nginx.http2URL : nginx.httpsURL)
            try await transport.fetchAtOnce(Array(repeating: url, count: 40))
            #expect(policy.hosts == ["localhost"])
            #expect(policy.leaves == [try await TestCertificates.shared.server.certificate.der])
        }

        /// New connections of the same transport resume the TLS session; the chain is there all the same.
        @Test func trustPolicyIsAskedForAResumedTLSSession() async throws {
            let policy = LeafPolicy()
            let transport = transport(policy) { $0.limits.idleConnections = 0 }
            for resumed in [".", "r", "r"] {
                let echo = try await transport.fetch(nginx.httpsURL.appendingPathComponent("echo")).body
                #expect(NginxServer.echoed(echo)["tls-session-reused"] == resumed)
            }
            #expect(policy.hosts.count == 3 && Set(policy.leaves).count == 1)
        }

        @Test(arguments: [false, true]) func refusedServerGetsNoRequest(http2: Bool) async throws {
            let transport = transport(LeafPolicy { _ in true })
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
            #expect(try await transport(policy).fetch(small(nginx.httpURL)).status == 200 && policy.hosts.isEmpty)
        }
    }
#endif
