#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    @Suite(.timeLimit(.minutes(2))) struct CurlLookUpTests {
        private struct Refusal: Error, Equatable {}

        /// Answers each question by a closure, and counts them.
        private final class Registry: Sendable {
            let questions = Locked<[String]>([])
            private let answer: @Sendable (String) async throws -> [String]

            init(_ answer: @escaping @Sendable (String) async throws -> [String] = { _ in ["127.0.0.1"] }) {
                self.answer = answer
            }

            var resolver: TransportConfiguration.Resolver {
                .init(name: "test") { [self] host, port in
                    questions.withLock { $0.append("\(host):\(port)") }
                    return try await answer(host)
                }
            }
        }

        private func transport(_ registry: Registry, _ change: SettingsChange = { _ in }) -> CurlTransport {
            CurlTransport(change) { ($0.resolver, $0.proxy) = (registry.resolver, .none) }
        }

        @Test func resolverIsAskedForNewConnectionsOnly() async throws {
            let (server, registry) = (try MockServer { _ in .text("x") }, Registry())
            let (transport, steps) = (transport(registry), StepRecorder())
            _ = try await transport.fetch(url("Shop.invalid", server), context: steps.context)
            #expect(steps.kinds.prefix(3) == ["nameLookedUp", "connecting", "connected"])
            for _ in 0..<4 { #expect(try await transport.fetch(url("Shop.invalid", server)).status == 200) }
            #expect(registry.questions.withLock { $0 } == ["shop.invalid:\(server.port)"])
            server.closeConnections()
            try await server.waitForOpenConnections()
            #expect(try await transport.fetch(url("shop.invalid", server), "POST", body: HTTPBody("x")).status == 200)
            #expect(try await transport.fetch(url("other.invalid", server)).status == 200)
            #expect(registry.questions.withLock(\.count) == 3)
            #expect(server.requests.last?.headers["Host"] == "other.invalid:\(server.port)")
        }

        @Test func concurrentConnectionsAskTheResolverOnceEach() async throws {
            let server = try MockServer { _ in MockResponse.text("x").delayed(by: 0.01) }
            let registry = Registry { _ in
                await Task.yield()
                return ["127.0.0.1"]
            }
            let transport = transport(registry) { $0.limits.connectionsPerHost = 8 }
            try await transport.fetchAtOnce((0..<200).map { try url("h\($0 % 3).invalid", server) })
            #expect(registry.questions.withLock(\.count) == server.connectionCount)
        }

        @Test func http2ConnectionAsksTheResolverOnce() async throws {
            let certificate = try await Tool.openssl.needed(by: MockCertificate.self).make(names: ["shop.invalid"])
            let server = try MockServer(certificate: certificate, httpVersions: .http2Only) { _ in .text("x") }
            let registry = Registry()
            let transport = transport(registry) { $0.certificateAuthorities = .only(pem: certificate.authority) }
            try await transport.fetchAtOnce(Array(repeating: url("shop.invalid", server), count: 50))
            #expect(server.connectionCount == 1 && registry.questions.withLock(\.count) == 1)
        }

        @Test func addressLiteralsAndOverridesSkipTheResolver() async throws {
            let (server, registry) = (try MockServer { _ in .text("x") }, Registry { _ in throw Refusal() })
            let transport = transport(registry) {
                $0.resolveOverrides = [.init(host: "set.invalid", port: server.port, addresses: ["127.0.0.1"])]
            }
            #expect(try await transport.fetch(server.url).status == 200)
            #expect(try await transport.fetch(url("set.invalid", server)).status == 200)
            #expect(registry.questions.withLock(\.isEmpty))
        }

        @Test func resolverErrorIsKept() async throws {
            let (transport, url) = (transport(Registry { _ in throw Refusal() }), try url("http://a.invalid/"))
            let error = try await transport.expectFailure(.nameNotResolved, phase: .resolving, of: url)
            #expect(error?.isUnprocessed == true && error?.resolverError is Refusal && error?.url == url.absoluteString)
            #expect(error?.message == "The resolver 'test' failed: Refusal()")
            let client = NetworkClient(transport: transport)
            let failed = try await failure { try await client.response(for: URLRequest(url: url)) }
            #expect(failed.transportError?.resolverError is Refusal)
        }

        @Test(arguments: [[], ["localhost"], ["127.0.0.1,10.0.0.1"], ["[::1]"], ["127.0.0.1", "::1\n"], ["127.1"]])
        func malformedResolverAnswerIsNameNotResolved(addresses: [String]) async throws {
            let (server, transport) = (try MockServer { _ in .text("x") }, transport(Registry { _ in addresses }))
            try await transport.expectFailure(.nameNotResolved, of: url("a.invalid", server))
            #expect(server.connectionCount == 0)
        }

        @Test(arguments: [false, true]) func cancellationAndShutdownCancelTheResolver(isShutdown: Bool) async throws {
            let (hasBegun, hasEnded) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
            let registry = Registry { _ in
                hasBegun.continuation.finish()
                defer { hasEnded.continuation.finish() }
                return try await TransportConfiguration.Resolver.hanging.addresses("", 0)
            }
            let transport = transport(registry)
            let task = Task { try await transport.failure(url("http://a.invalid/")) }
            for await _ in hasBegun.stream {}
            if isShutdown { await transport.shutdown() } else { task.cancel() }
            let error = try await task.value
            #expect(isShutdown ? (error as? TransportError)?.code == .shutDown : error is CancellationError, "\(error)")
            for await _ in hasEnded.stream {}
        }

        @Test func resolverWithProxyUnixSocketOrDoHIsUnsupported() async throws {
            let registry = Registry()
            let changes: [@Sendable (inout TransportConfiguration) -> Void] = [
                { $0.proxy = .http(host: "127.0.0.1", port: 1) }, { $0.unixSocketPath = "/tmp/none" },
                { $0.dnsOverHTTPS = URL(string: "https://127.0.0.1/dns-query") },
            ]
            for change in changes {
                #expect(isUnsupported(try await transport(registry, change).failure(url("http://a.invalid/"))))
            }
            #expect(registry.questions.withLock(\.isEmpty))
        }
    }
#endif
