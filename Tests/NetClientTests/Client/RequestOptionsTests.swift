/// Settings of one call in place of its client's. `SeamTests` has them at each front door.
@Suite struct RequestOptionsTests {
    private let notes = Locked<[String]>([])

    private func noting(_ name: String) -> Before { Before { [notes] _, _ in notes.withLock { $0.append(name) } } }

    @Test func interceptorsOfTheCallRunInsideTheClients() async throws {
        let client = NetworkClient(
            interceptors: [noting("client")], transport: StubTransport { _, _, _ in answer() },
            callInterceptors: [noting("client, once")])
        let context = RequestContext.with {
            $0.options.interceptors = [noting("call")]
            $0.options.callInterceptors = [noting("call, once")]
        }
        _ = try await client.data(for: request(), context: context)
        #expect(notes.withLock { $0 } == ["client, once", "call, once", "client", "call"])
        notes.withLock { $0 = [] }
        _ = try await client.data(for: request())
        #expect(notes.withLock { $0 } == ["client, once", "client"])
    }

    /// In each attempt, and from decoded options.
    @Test func connectTimeoutReachesTheTransport() async throws {
        let transport = StubTransport { _, _, context in answer(context.attempt == 0 ? 503 : 200) }
        let client = NetworkClient(retryPolicy: RetryPolicy(maxRetries: 1, delay: .immediate), transport: transport)
        var options = RequestOptions()
        options.connectTimeout = 0.5
        var context = RequestContext()
        context.options = try JSONDecoder().decode(RequestOptions.self, from: JSONEncoder().encode(options))
        _ = try await client.data(for: request(), context: context)
        #expect(transport.exchanges.map(\.context.options.connectTimeout) == [0.5, 0.5])
        context.options.connectTimeout = nil
        _ = try await client.data(for: request(), context: context)
        #expect(transport.exchanges.last?.context.options.connectTimeout == nil)
    }

    @Test func onRequestAndOnResponseAreCalledForEachAttempt() async throws {
        let transport = StubTransport { _, _, context in answer(context.attempt < 2 ? 503 : 200) }
        let client = NetworkClient(retryPolicy: RetryPolicy(maxRetries: 3, delay: .immediate), transport: transport)
        let (attempts, statuses) = (Locked<UInt64>(0), Locked<[Int]>([]))
        _ = try await client.builder(for: Request<EmptyResponse>(absoluteURL: try url()))
            .options { $0.onRequest = { $0.setValue("\(attempts.next())", forHTTPHeaderField: "X-Attempt") } }
            .options { $0.onResponse = { response in statuses.withLock { $0.append(response.status) } } }
            .stream()
        #expect(transport.sent("X-Attempt") == ["1", "2", "3"] && statuses.withLock { $0 } == [503, 503, 200])
        let context = RequestContext.with { $0.options.onResponse = { _ in throw NetworkError.noData } }
        #expect(try await failure { try await client.data(for: request(), context: context) }.cause == .noData)
    }

    @Test func redirectPolicyOfACall() async throws {
        let server = try MockServer { $0.path == "/to" ? .text("there") : .redirect(to: "/to") }
        let client = NetworkClient()
        let context = RequestContext.with { $0.options.redirectPolicy = .doNotFollow }
        #expect(try await client.send(URLRequest(url: server.url("/from")), context: context).status == 302)
        #expect(try await client.send(URLRequest(url: server.url("/from"))).status == 200)
        await server.stop()
    }

    @Test func usesCookiesOfACall() async throws {
        let server = try MockServer { _ in MockResponse.text("x").header("Set-Cookie", "a=1") }
        var configuration = NetworkClient.Configuration(baseURL: server.url)
        configuration.cookies = CookieStore()
        let client = NetworkClient(configuration: configuration)
        let plain = Request<EmptyResponse>(path: "/x")
        var without = plain
        without.options.usesCookies = false
        _ = try await client.builder(for: without).stream()
        #expect(client.cookies?.cookies.isEmpty == true)
        for request in [plain, without, plain] { _ = try await client.builder(for: request).stream() }
        #expect(server.requests.map { $0.headers["Cookie"] } == [nil, nil, nil, "a=1"])
        let storeless = client.with {
            $0.cookies = nil
            $0.transportConfiguration.cookies = .off
        }
        var asking = without
        asking.options.usesCookies = true
        #expect(try await failure { try await storeless.builder(for: asking).stream() }.code == "unsupported")
        await server.stop()
    }

    private struct Refusing: ServerTrustPolicy {
        struct Refusal: Error {}
        let asked: Locked<Int>
        var refuses = false
        func evaluate(_ chain: CertificateChain, host: String) throws {
            asked.withLock { $0 += 1 }
            if refuses { throw Refusal() }
        }
    }

    @Test("The trust of a call has its own connections, which its copies share, and no cache")
    func trustOfACall() async throws {
        let certificate = try await Tool.openssl.needed(by: MockCertificate.self).make()
        let server = try MockServer(certificate: certificate) { _ in
            MockResponse.text("x").header("Cache-Control", "max-age=600")
        }
        let authority = TransportConfiguration.CertificateAuthorities.only(pem: certificate.authority)
        var configuration = NetworkClient.Configuration()
        configuration.transportConfiguration.certificateAuthorities = authority
        let client = NetworkClient(configuration: configuration)
        let url = server.url("/x").absoluteString
        _ = try await client.data(for: request(url))
        let asked = Locked(0)
        var context = RequestContext()
        context.options.trust = RequestOptions.Trust(certificateAuthorities: authority, policy: Refusing(asked: asked))
        for _ in 0..<3 { _ = try await client.data(for: request(url), context: context) }
        #expect(asked.withLock { $0 } == 1, "one connection for three calls")
        #expect(server.connectionCount == 2)
        context.options.trust = RequestOptions.Trust(
            certificateAuthorities: authority, policy: Refusing(asked: asked, refuses: true))
        let failure = try await failure { try await client.data(for: request(url), context: context) }
        #expect(failure.code == "pinning_failed")
        _ = try await client.data(for: request(url))
        #expect(server.connectionCount == 3, "the client's own connection is still used")
        // The system's authorities do not know the server.
        context.options.trust = RequestOptions.Trust()
        await #expect(throws: NetworkFailure.self) { try await client.data(for: request(url), context: context) }
        await server.stop()
    }

    @Test func trustWithACustomTransportIsUnsupported() async throws {
        let client = NetworkClient(transport: StubTransport { _, _, _ in answer() })
        let context = RequestContext.with { $0.options.trust = RequestOptions.Trust() }
        #expect(try await failure { try await client.data(for: request(), context: context) }.code == "unsupported")
    }

    @Test(arguments: [RequestOptions.Compression(.zstd, minimumSize: 7, level: 3), .off])
    func encodingRefusesRedirectPoliciesAndKeepsTheRest(compression: RequestOptions.Compression) throws {
        var config = RequestConfig(url: try url())
        config.options.usesCookies = false
        config.options.requestCompression = compression
        let copy = try JSONDecoder().decode(RequestConfig.self, from: JSONEncoder().encode(config)).options
        #expect(copy.usesCookies == false && copy.requestCompression == compression)
        config.options.redirectPolicy = .doNotFollow
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(config) }
    }
}
