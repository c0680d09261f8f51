#if os(Linux)
    import NetClient
    import NetCore
    import NetTesting
    import TestLab
    import Testing

    @testable import NetTransport

    @Suite(.timeLimit(.minutes(2)))
    struct CurlLookUpTests {
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

        private func transport(
            _ registry: Registry, _ change: (inout TransportConfiguration) -> Void = { _ in }
        ) -> CurlTransport {
            CurlTransport {
                $0.resolver = registry.resolver
                $0.proxy = .none
                change(&$0)
            }
        }

        private func url(_ host: String, _ server: MockServer) throws -> URL {
            try #require(URL(string: "\(server.url.scheme ?? "")://\(host):\(server.port)/"))
        }

        @Test func isAskedForNewConnectionsOnly() async throws {
            let server = try MockServer { _ in .text("x") }
            let registry = Registry()
            let transport = transport(registry)
            for _ in 0..<5 { #expect(try await transport.fetch(url("Shop.invalid", server)).status == 200) }
            #expect(registry.questions.withLock { $0 } == ["shop.invalid:\(server.port)"])
            server.closeConnections()
            try await server.waitForOpenConnections()
            #expect(try await transport.fetch(url("shop.invalid", server), "POST", body: HTTPBody("x")).status == 200)
            #expect(try await transport.fetch(url("other.invalid", server)).status == 200)
            #expect(registry.questions.withLock(\.count) == 3)
            #expect(server.requests.last?.headers["Host"] == "other.invalid:\(server.port)")
            await server.stop()
        }

        @Test func eachNewConnectionGetsTheAddressesOfItsTime() async throws {
            let (first, second) = (try MockServer { _ in .text("1") }, Locked("127.0.0.1"))
            let registry = Registry { _ in [second.withLock { $0 }] }
            let transport = transport(registry) { $0.limits.idleConnections = 0 }
            #expect(try await transport.fetch(url("a.invalid", first)).status == 200)
            second.withLock { $0 = "127.0.0.9" }
            // The server listens on 127.0.0.1 only.
            let error = try await transport.failure(url("a.invalid", first)) as? TransportError
            #expect(error?.code == .connectionRefused)
            await first.stop()
        }

        @Test func manyAtOnce() async throws {
            let server = try MockServer { _ in MockResponse.text("x").delayed(by: 0.01) }
            let registry = Registry { _ in
                await Task.yield()
                return ["127.0.0.1"]
            }
            let transport = transport(registry) { $0.limits.connectionsPerHost = 8 }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<200 {
                    group.addTask { try await transport.fetch(url("h\(index % 3).invalid", server)).status }
                }
                for try await status in group { #expect(status == 200) }
            }
            #expect(registry.questions.withLock(\.count) == server.connectionCount)
            await server.stop()
        }

        @Test func oneQuestionForAnHTTP2Connection() async throws {
            let certificate = try await Tool.openssl.needed(by: MockCertificate.self).make(names: ["shop.invalid"])
            let server = try MockServer(certificate: certificate, httpVersions: .http2Only) { _ in .text("x") }
            let registry = Registry()
            let transport = transport(registry) { $0.certificateAuthorities = .only(pem: certificate.authority) }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 { group.addTask { try await transport.fetch(url("shop.invalid", server)).status } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(server.connectionCount == 1 && registry.questions.withLock(\.count) == 1)
            await server.stop()
        }

        @Test func addressesAndOverridesAreNotLookedUp() async throws {
            let server = try MockServer { _ in .text("x") }
            let registry = Registry { _ in throw Refusal() }
            let transport = transport(registry) {
                $0.resolveOverrides = [
                    TransportConfiguration.ResolveOverride(
                        host: "set.invalid", port: server.port, addresses: ["127.0.0.1"])
                ]
            }
            #expect(try await transport.fetch(server.url).status == 200)
            #expect(try await transport.fetch(url("set.invalid", server)).status == 200)
            #expect(registry.questions.withLock(\.isEmpty))
            await server.stop()
        }

        @Test func errorsAreKept() async throws {
            let transport = transport(Registry { _ in throw Refusal() })
            let url = try #require(URL(string: "http://a.invalid/"))
            let error = try #require(try await transport.failure(url) as? TransportError)
            #expect(error.code == .nameNotResolved && error.phase == .resolving && error.isUnprocessed)
            #expect(error.resolverError is Refusal && error.url == url.absoluteString)
            let failure = await #expect(throws: NetworkFailure.self) {
                try await NetworkClient(transport: transport).response(for: URLRequest(url: url))
            }
            #expect(failure?.transportError?.resolverError is Refusal)
        }

        @Test(arguments: [[], ["localhost"], ["127.0.0.1,10.0.0.1"], ["[::1]"], ["127.0.0.1", "::1\n"], ["127.1"]])
        func whatIsNoAddressIsRefused(addresses: [String]) async throws {
            let server = try MockServer { _ in .text("x") }
            let error = try await transport(Registry { _ in addresses }).failure(url("a.invalid", server))
            #expect((error as? TransportError)?.code == .nameNotResolved)
            #expect(server.connectionCount == 0)
            await server.stop()
        }

        @Test func theAddressPolicyJudgesTheAnswer() async throws {
            let server = try MockServer { _ in .text("x") }
            let transport = transport(Registry()) { $0.addressPolicy = .publicOnly }
            let error = try await transport.failure(url("public.example", server)) as? TransportError
            #expect(error?.code == .addressNotAllowed && server.connectionCount == 0)
            await server.stop()
        }

        @Test func countsTowardsTheTimeToConnect() async throws {
            let hanging = Registry { _ in
                try await Task.sleep(nanoseconds: 1 << 60)
                return []
            }
            let transport = transport(hanging) { $0.timeouts.connect = 0.05 }
            let url = try #require(URL(string: "http://a.invalid/"))
            let error = try await transport.failure(url) as? TransportError
            #expect(error?.code == .connectTimeout && error?.phase == .resolving)
        }

        @Test func cancellationReachesTheResolver() async throws {
            let (hasBegun, hasEnded) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
            let registry = Registry { _ in
                hasBegun.continuation.finish()
                defer { hasEnded.continuation.finish() }
                try await Task.sleep(nanoseconds: 1 << 60)
                return []
            }
            let transport = transport(registry)
            let url = try #require(URL(string: "http://a.invalid/"))
            let task = Task { try await transport.fetch(url).status }
            for await _ in hasBegun.stream {}
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            for await _ in hasEnded.stream {}
        }

        @Test func aShutdownEndsAQuestion() async throws {
            let hasBegun = AsyncStream<Void>.makeStream()
            let registry = Registry { _ in
                hasBegun.continuation.finish()
                try await Task.sleep(nanoseconds: 1 << 60)
                return []
            }
            let transport = transport(registry)
            let url = try #require(URL(string: "http://a.invalid/"))
            async let failure = transport.failure(url)
            for await _ in hasBegun.stream {}
            await transport.shutdown()
            #expect((try await failure as? TransportError)?.code == .shutDown)
        }

        @Test func whatHidesNamesIsRefused() async throws {
            let registry = Registry()
            let changes: [@Sendable (inout TransportConfiguration) -> Void] = [
                { $0.proxy = .http(host: "127.0.0.1", port: 1) }, { $0.unixSocketPath = "/tmp/none" },
                { $0.dnsOverHTTPS = URL(string: "https://127.0.0.1/dns-query") },
            ]
            let url = try #require(URL(string: "http://a.invalid/"))
            for change in changes {
                #expect(isUnsupported(try await transport(registry, change).failure(url)))
            }
            #expect(registry.questions.withLock(\.isEmpty))
        }
    }
#endif
