#if os(Linux)
    import NetTesting
    import NetWebSocket
    import TestLab
    import Testing

    /// TLS, pins, proxies and addresses: what a transport's settings promise holds for WebSockets too, before any byte is sent.
    @Suite(.timeLimit(.minutes(5)), .requires(.nginx, .tinyproxy, .stunnel, .microsocks, .pythonPackages))
    struct WebSocketSecurityTests {
        /// Remembers what it was asked, and refuses if it is to.
        final class Policy: ServerTrustPolicy {
            struct Refusal: Error {}
            let asked = Locked<[(String, Data?)]>([])
            let refuses: Bool

            init(refuses: Bool = false) { self.refuses = refuses }

            func evaluate(_ chain: CertificateChain, host: String) throws {
                asked.withLock { $0.append((host, chain.leaf)) }
                if refuses { throw Refusal() }
            }
        }

        private typealias Change = (inout TransportConfiguration) -> Void

        private func echo(_ url: URL, over client: NetworkClient) async throws {
            let socket = try await client.webSocket(to: url, options: .longCloseTimeout)
            try await socket.expectEcho(.binary(pattern(2_000_000)))
            await socket.close()
            #expect(socket.closeCode == .normalClosure)
        }

        private func echo(_ server: PythonWebSocketServer, _ change: Change = { _ in }) async throws {
            try await echo(server.url("echo"), over: .trusting(change))
        }

        private func failure(
            _ server: PythonWebSocketServer, _ change: Change = { _ in }
        ) async throws -> NetworkFailure? {
            let client = try await NetworkClient.trusting(change)
            return await webSocketFailure { try await client.webSocket(to: server.url("echo")) }
        }

        private func secure(clientAuthority: TestCertificate? = nil) async throws -> PythonWebSocketServer {
            try await PythonWebSocketServer(identity: TestCertificates.shared.server, clientAuthority: clientAuthority)
        }

        @Test func speaksTLSAndAsksThePolicy() async throws {
            let (server, policy) = try await (secure(), Policy())
            let client = try await NetworkClient.trusting { $0.trustPolicy = policy }
            for _ in 0..<2 { try await echo(server.url("echo"), over: client) }
            let asked = policy.asked.withLock { $0 }
            let leaf = try await TestCertificates.shared.server.certificate.der
            #expect(asked.map(\.0) == ["localhost", "localhost"] && asked.allSatisfy { $0.1 == leaf })
        }

        @Test func refusingTrustPolicySendsNothing() async throws {
            let server = try await secure()
            let failure = try await failure(server) { $0.trustPolicy = Policy(refuses: true) }
            #expect(failure?.cause == .pinningFailed(host: "localhost") && failure?.underlyingError is Policy.Refusal)
            // The next one is served, so the first would have shown.
            try await echo(server)
            #expect(server.requests.count == 1)
        }

        @Test func untrustedCertificateIsRefused() async throws {
            let server = try await PythonWebSocketServer(identity: TestCertificates.shared.otherServer)
            #expect(try await (failure(server)?.transportError?.code, server.requests) == (.certificateUntrusted, []))
        }

        @Test func clientCertificateIsShown() async throws {
            let certificates = try await TestCertificates.shared
            let server = try await secure(clientAuthority: certificates.ca)
            let (pem, key) = try (certificates.client.certificate.pem, certificates.client.keyPEM)
            try await echo(server) { $0.clientCertificate = .pem(certificate: pem, key: key, password: nil) }
            let failure = try await failure(server)
            // In TLS 1.3 a server refuses after the handshake, and Python's closes without the alert that would say why.
            let codes: [TransportError.Code] = [.clientCertificateRejected, .connectionLost, .connectionReset]
            #expect(codes.contains(try #require(failure?.transportError?.code)) && server.requests.count == 1)
        }

        @Test(arguments: [false, true]) func tunnelsThroughAProxy(_ isSecure: Bool) async throws {
            let (proxy, policy) = try await (ProxyServer(), Policy())
            let server = isSecure ? try await secure() : try await PythonWebSocketServer()
            try await echo(server) {
                ($0.proxy, $0.trustPolicy) = (.http(host: "127.0.0.1", port: proxy.url.port ?? 0), policy)
            }
            #expect(proxy.requests.allSatisfy { $0.hasPrefix("CONNECT localhost:\(server.port)") })
            #expect((proxy.requests.count, policy.asked.withLock(\.count)) == (1, isSecure ? 1 : 0))
        }

        @Test(arguments: [false, true]) func goesThroughSOCKSAndProxiesOverTLS(_ isSecure: Bool) async throws {
            let server = isSecure ? try await secure() : try await PythonWebSocketServer()
            let (certificates, policy) = try await (TestCertificates.shared, Policy())
            let proxy = try await TLSProxyServer(identity: certificates.otherServer)
            let authority = try certificates.otherCA.pem
            try await echo(server) {
                $0.proxy = .https(host: "localhost", port: proxy.port, certificateAuthorities: .only(pem: authority))
                $0.trustPolicy = policy
            }
            #expect(proxy.proxy.requests == ["CONNECT localhost:\(server.port) HTTP/1.1"])
            #expect(policy.asked.withLock { $0.map(\.1) } == (isSecure ? [certificates.server.certificate.der] : []))
            let socks = try await SocksServer()
            try await echo(server) { $0.proxy = .socks5(host: "127.0.0.1", port: socks.port) }
            #expect(socks.destinations == ["localhost:\(server.port)"])
        }

        @Test func acceptsDevelopmentServersOnDemand() async throws {
            let server = try await PythonWebSocketServer(identity: TestCertificates.shared.otherServer)
            try await echo(server) {
                ($0.proxy, $0.developmentServers) = (.none, .selfSigned(allowsReleaseBuilds: true))
            }
        }

        @Test func addressPolicyIsRespected() async throws {
            let server = try await PythonWebSocketServer()
            let failure = try await failure(server) { ($0.addressPolicy, $0.proxy) = (.publicOnly, .none) }
            #expect((failure?.transportError?.code, server.requests) == (.addressNotAllowed, []))
        }

        @Test func followsResolveOverrides() async throws {
            let server = try await PythonWebSocketServer()
            let client = try await NetworkClient.trusting {
                $0.resolveOverrides = [.init(host: "chat.example", port: Int(server.port), addresses: ["127.0.0.1"])]
            }
            try await echo(try #require(URL(string: "ws://chat.example:\(server.port)/echo")), over: client)
        }

        /// Each WebSocket has a connection of its own, and so a question of its own.
        @Test func asksTheResolver() async throws {
            let server = try await PythonWebSocketServer()
            let questions = Locked<[String]>([])
            let client = try await NetworkClient.trusting {
                $0.proxy = .none
                $0.resolver = .init(name: "test") { host, port in
                    questions.withLock { $0.append("\(host):\(port)") }
                    return ["127.0.0.1"]
                }
            }
            let host = "chat.example:\(server.port)"
            let url = try #require(URL(string: "ws://\(host)/echo"))
            for _ in 0..<2 { try await echo(url, over: client) }
            #expect(questions.withLock { $0 } == [host, host])
        }

        @Test(arguments: [TransportConfiguration.HTTPVersions.http2PriorKnowledge, .http3Only])
        func webSocketWithoutHTTP1IsUnsupported(versions: TransportConfiguration.HTTPVersions) async throws {
            let client = try await NetworkClient.trusting { $0.httpVersions = versions }
            let url = try #require(URL(string: "ws://127.0.0.1:1/"))
            #expect(await webSocketFailure { try await client.webSocket(to: url) }?.code == "unsupported")
        }

        @Test func minimumTLSVersionIsRespected() async throws {
            let nginx = try await NginxServer()
            let client = try await NetworkClient.trusting { $0.minimumTLSVersion = .v1_3 }
            // nginx answers 404, which is enough to see that the connection came about with HTTP/1.1 though HTTP/2 was to be had.
            let url = try #require(
                URL(string: "wss" + nginx.http2URL.appendingPathComponent("small").absoluteString.dropFirst(5)))
            let failure = await webSocketFailure { try await client.webSocket(to: url) }
            #expect(failure?.statusCode == 200 || failure?.statusCode == 404, "\(String(describing: failure))")
        }

        /// Open WebSockets take no places from requests, nor from each other.
        @Test func openWebSocketsTakeNoConnectionSlots() async throws {
            let http = try MockServer { _ in .text("free") }
            let server = try await PythonWebSocketServer()
            let client = try await NetworkClient.trusting {
                ($0.limits.connectionsPerHost, $0.limits.idleConnections) = (1, 0)
            }
            var sockets: [WebSocket] = []
            for _ in 0..<20 { sockets.append(try await client.webSocket(to: server.url("echo"))) }
            for (index, socket) in sockets.enumerated() { try await socket.send(.text(String(index))) }
            for (index, socket) in sockets.enumerated() { #expect(try await socket.receive() == .text(String(index))) }
            let text = try await client.data(for: URLRequest(url: http.url)).data
            #expect(String(decoding: text, as: UTF8.self) == "free")
            for socket in sockets { await socket.close() }
        }
    }
#endif
