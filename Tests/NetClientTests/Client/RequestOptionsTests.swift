import NetClient
import NetTesting
import TestLab
import Testing

/// Settings of one call in place of its client's. `SeamTests` has them at every front door.
@Suite struct RequestOptionsTests {
    private let notes = Locked<[String]>([])

    private func noting(_ name: String) -> Marking { Marking(name: name, notes: notes) }

    private struct Marking: HTTPInterceptor {
        let name: String
        let notes: Locked<[String]>

        func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
            notes.withLock { $0.append(name) }
            return try await next(request)
        }
    }

    @Test("The call's interceptors stand inside the client's, and other calls have none of them")
    func order() async throws {
        let client = NetworkClient(
            interceptors: [noting("client")], transport: StubTransport { _, _, _ in answer() },
            callInterceptors: [noting("client, once")])
        var context = RequestContext()
        context.options.interceptors = [noting("call")]
        context.options.callInterceptors = [noting("call, once")]
        _ = try await client.data(for: request(), context: context)
        #expect(notes.withLock { $0 } == ["client, once", "call, once", "client", "call"])
        notes.withLock { $0 = [] }
        _ = try await client.data(for: request())
        #expect(notes.withLock { $0 } == ["client, once", "client"])
    }

    /// In every attempt of the call, also from stored options.
    @Test func theTimeToConnectReachesTheTransport() async throws {
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

    @Test("onRequest changes each attempt, onResponse sees each response")
    func hooks() async throws {
        let sent = Locked<[String?]>([])
        let transport = StubTransport { request, _, _ in
            let count = sent.withLock { sent in
                sent.append(request.value(forHTTPHeaderField: "X-Attempt"))
                return sent.count
            }
            return answer(count < 3 ? 503 : 200)
        }
        let client = NetworkClient(retryPolicy: RetryPolicy(maxRetries: 3, delay: .immediate), transport: transport)
        let (attempts, statuses) = (Locked(0), Locked<[Int]>([]))
        let builder = client.builder(for: Request<EmptyResponse>(absoluteURL: try #require(try request().url)))
            .options { options in
                options.onRequest = { request in
                    let attempt = attempts.withLock { attempts in
                        attempts += 1
                        return attempts
                    }
                    request.setValue("\(attempt)", forHTTPHeaderField: "X-Attempt")
                }
            }
            .options { $0.onResponse = { response in statuses.withLock { $0.append(response.status) } } }
        _ = try await builder.stream()
        #expect(sent.withLock { $0 } == ["1", "2", "3"])
        #expect(statuses.withLock { $0 } == [503, 503, 200])

        var context = RequestContext()
        context.options.onResponse = { _ in throw NetworkError.noData }
        let failure = try await failure { try await client.data(for: request(), context: context) }
        #expect(failure.cause == .noData)
    }

    @Test func redirectsOfOneCall() async throws {
        let server = try MockServer { request in
            request.path == "/to" ? .text("there") : MockResponse(status: 302).header("Location", "/to")
        }
        let client = NetworkClient()
        var context = RequestContext()
        context.options.redirectPolicy = .doNotFollow
        #expect(try await client.send(request(server.url("/from").absoluteString), context: context).status == 302)
        #expect(try await client.send(request(server.url("/from").absoluteString)).status == 200)
        await client.shutdown()
        await server.stop()
    }

    @Test func cookiesOfOneCall() async throws {
        let server = try MockServer { _ in MockResponse.text("x").header("Set-Cookie", "a=1") }
        var configuration = NetworkClient.Configuration(baseURL: server.url)
        configuration.cookies = CookieStore()
        let client = NetworkClient(configuration: configuration)
        var without = Request<EmptyResponse>(path: "/x")
        without.options.usesCookies = false
        _ = try await client.builder(for: without).stream()
        #expect(client.cookies?.cookies.isEmpty == true)
        _ = try await client.builder(for: Request<EmptyResponse>(path: "/x")).stream()
        _ = try await client.builder(for: without).stream()
        _ = try await client.builder(for: Request<EmptyResponse>(path: "/x")).stream()
        #expect(server.requests.map { $0.headers["Cookie"] } == [nil, nil, nil, "a=1"])
        let storeless = client.with {
            $0.cookies = nil
            $0.transportConfiguration.cookies = .off
        }
        var asking = without
        asking.options.usesCookies = true
        let failure = await #expect(throws: NetworkFailure.self) { try await storeless.builder(for: asking).stream() }
        #expect(failure?.code == "unsupported")
        await client.shutdown()
        await storeless.shutdown()
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

    @Test("A call's trust has connections of its own, shared by its copies, and no cache")
    func trust() async throws {
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
        await client.shutdown()
        await server.stop()
    }

    @Test func aTransportOfYourOwnCannotChangeItsTrust() async throws {
        let client = NetworkClient(transport: StubTransport { _, _, _ in answer() })
        var context = RequestContext()
        context.options.trust = RequestOptions.Trust()
        let failure = try await failure { try await client.data(for: request(), context: context) }
        #expect(failure.code == "unsupported")
    }

    @Test("Options that cannot be encoded are refused, and others kept")
    func coding() throws {
        var config = RequestConfig(url: try #require(URL(string: "https://a.example/")))
        config.options.usesCookies = false
        let data = try JSONEncoder().encode(config)
        #expect(try JSONDecoder().decode(RequestConfig.self, from: data).options.usesCookies == false)
        config.options.redirectPolicy = .doNotFollow
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(config) }
    }
}
