import NetSecurity

/// Credentials are sent only to their origin.
@Suite struct CredentialOriginTests {
    private func follow(
        from start: String = "https://a.example/", to target: String, hosts: Set<String> = [], status: Int = 200
    ) async throws -> (sent: [String?], refreshes: Int) {
        let tokens = NumberedTokens()
        var auth = AuthInterceptor(provider: tokens)
        auth.additionalHosts = hosts
        let transport = StubTransport { request, _, _ in
            request.url?.absoluteString == start ? answer(302, headers: ["Location": target]) : answer(status)
        }
        _ = try await NetworkClient(interceptors: [auth], transport: transport).response(for: request(start))
        return (transport.sent("Authorization"), tokens.refreshes)
    }

    @Test(arguments: [
        ("/other", "Bearer 0"), ("https://A.example:443/b", "Bearer 0"), ("https://b.example/", nil),
        ("https://a.example:8443/", nil), ("https://sub.a.example/", nil), ("https://a.example.evil.test/", nil),
        ("https://a.example@b.example/", nil),
    ]) func redirectToAnotherOriginDropsCredentials(target: String, second: String?) async throws {
        #expect(try await follow(to: target).sent == ["Bearer 0", second])
    }

    @Test func anotherSchemeOrA401OfAnotherOriginGetsNoCredentials() async throws {
        #expect(try await follow(from: "http://a.example/", to: "https://a.example/").sent == ["Bearer 0", nil])
        let refused = try await follow(to: "https://b.example/", status: 401)
        #expect(refused.sent == ["Bearer 0", nil] && refused.refreshes == 0)
    }

    @Test func additionalHostsGetCredentials() async throws {
        #expect(try await follow(to: "https://cdn.example/", hosts: ["CDN.example"]).sent == ["Bearer 0", "Bearer 0"])
        #expect(try await follow(to: "https://x.cdn.example/", hosts: ["cdn.example"]).sent == ["Bearer 0", nil])
        let refused = try await follow(to: "https://cdn.example/", hosts: ["cdn.example"], status: 401)
        #expect(refused.sent.count == 3 && refused.refreshes == 1)
    }

    @Test func additionalHostOverPlainHTTPGetsNoCredentials() async throws {
        var auth = AuthInterceptor.bearer("t")
        auth.additionalHosts = ["cdn.example"]
        let (origin, transport) = (try url(), StubTransport { _, _, _ in answer() })
        let next = Next(context: .with { $0.origin = origin }) { try await transport.send($0, body: $1, context: $2) }
        for url in ["http://cdn.example/", "https://cdn.example/"] {
            _ = try await auth.intercept(request(url), next: next)
        }
        #expect(transport.sent("Authorization") == [nil, "Bearer t"])
    }

    @Test func urlsThatTheProviderDoesNotCoverGetNoCredentials() async throws {
        let tokens = NumberedTokens(prefix: "https://a.example/mine")
        let transport = StubTransport { _, _, _ in answer(401) }
        let client = NetworkClient(interceptors: [AuthInterceptor(provider: tokens)], transport: transport)
        _ = try? await client.response(for: request("https://a.example/other"))
        #expect(transport.sent("Authorization") == [nil] && tokens.refreshes == 0)
        _ = try? await client.response(for: request("https://a.example/mine"))
        #expect(transport.exchanges.count == 3 && tokens.refreshes == 1)
    }
}

/// Fields that interceptors add belong to the origin of the call, as the caller's fields do.
@Suite struct InterceptorOriginTests {
    /// Adds a field, and a key to the query, in `intercept(_:next:)`.
    private struct Adding: HTTPInterceptor {
        var field = "X-Tenant"
        var query: String?
        func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
            try await next(added(to: request))
        }
        func added(to request: URLRequest) -> URLRequest {
            var request = request
            request.setValue("secret", forHTTPHeaderField: field)
            if let query, let url = request.url { request.url = URL(string: "\(url)?\(query)") }
            return request
        }
    }

    private struct Owned: HTTPInterceptor, CredentialOwner {
        let hosts: Set<String>
        var base = Adding()
        func owner(for url: URL) -> String? { hosts.contains(url.host ?? "") ? "ann" : nil }
        func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
            try await base.intercept(request, next: next)
        }
    }

    private struct Signer: RequestSigner {
        func sign(_ request: URLRequest, body: HTTPBody?, at date: Date) async throws -> URLRequest {
            Adding(field: "Authorization").added(to: request)
        }
    }

    /// Calls an interceptor that is not in the client's list.
    struct Around: HTTPInterceptor {
        let inner: any HTTPInterceptor
        func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
            var request = request
            request.setValue("around", forHTTPHeaderField: "X-Around")
            return try await inner.intercept(request, next: next)
        }
    }

    private let transport = StubTransport { _, _, _ in answer() }
    private let authenticating = Around(inner: AuthInterceptor.bearer("t"))

    /// Redirects from a.example to b.example and back.
    private func exchanges(
        through interceptors: [any HTTPInterceptor], policy: RedirectPolicy = .default, observer: NoticeObserver? = nil
    ) async throws -> [StubTransport.Exchange] {
        let transport = StubTransport { request, _, _ in
            switch request.url?.path {
            case "/": answer(307, headers: ["Location": "https://b.example/other"])
            case "/other": answer(307, headers: ["Location": "https://a.example/home"])
            default: answer()
            }
        }
        let client = NetworkClient(interceptors: interceptors, transport: transport, redirectPolicy: policy)
        _ = try await client.response(for: request(), context: observer?.context)
        return transport.exchanges
    }

    private func sent(
        _ field: String = "X-Tenant", through interceptors: any HTTPInterceptor..., policy: RedirectPolicy = .default
    ) async throws -> [String?] {
        try await exchanges(through: interceptors, policy: policy).map { $0.request.value(forHTTPHeaderField: field) }
    }

    @Test(arguments: ["Authorization", "X-API-Key", "X-Tenant", "Cookie", "Proxy-Authorization", "X-Request-ID"])
    func redirectToAnotherOriginDropsAddedFields(_ field: String) async throws {
        let second = field == "X-Request-ID" ? "secret" : nil
        #expect(try await sent(field, through: Adding(field: field)) == ["secret", second, "secret"])
    }

    @Test func redirectToAnotherOriginDropsAddedQueryItems() async throws {
        let urls = try await exchanges(through: [Adding(query: "k=1")]).map { $0.request.url?.absoluteString }
        #expect(urls == ["https://a.example/?k=1", "https://b.example/other", "https://a.example/home?k=1"])
    }

    @Test func credentialOwnerAllowsAnOrigin() async throws {
        #expect(try await sent(through: Owned(hosts: ["a.example"])) == ["secret", nil, "secret"])
        #expect(try await sent(through: Owned(hosts: ["a.example", "b.example"])) == ["secret", "secret", "secret"])
    }

    @Test func crossOriginFieldsOfThePolicyAreKept() async throws {
        var policy = RedirectPolicy()
        policy.crossOriginFields = ["X-Tenant"]
        let hook = Hook { $0.setValue("secret", forHTTPHeaderField: "X-Tenant") }
        for interceptor in [Adding(), hook] as [any HTTPInterceptor] {
            #expect(try await sent(through: interceptor, policy: policy) == ["secret", "secret", "secret"])
        }
    }

    @Test(arguments: [("b.example", "secret"), ("c.example", nil)])
    func signersSignForTheirHosts(_ host: String, second: String?) async throws {
        let signing = SigningInterceptor(Signer(), hosts: ["a.example", host])
        #expect(try await sent("Authorization", through: signing, Adding()) == ["secret", second, "secret"])
    }

    @Test func noticeNamesDroppedFieldsOnce() async throws {
        let observer = NoticeObserver()
        let retried = Hook(retrying: { _, _, count in count < 2 ? .retry : .doNotRetry })
        let transport = StubTransport { request, _, _ in
            request.url?.path == "/" ? answer(302, headers: ["Location": "https://b.example/x"]) : answer(503)
        }
        let client = NetworkClient(interceptors: [Adding(), Adding(field: "X-Group"), retried], transport: transport)
        _ = try? await client.response(for: request(), context: observer.context)
        #expect(transport.exchanges.count == 4)
        #expect(
            observer.notices == [
                "The request to b.example leaves out X-Group, X-Tenant, which an interceptor added. Conform it to "
                    + "CredentialOwner, and name an owner for the URLs that may get them."
            ])
    }

    @Test func addedFieldsAreSentToAnyOriginWithoutARedirect() async throws {
        let client = NetworkClient(interceptors: [Adding()], transport: transport)
        _ = try await client.response(for: request("https://b.example/"))
        #expect(transport.sent("X-Tenant") == ["secret"])
    }

    // MARK: Interceptors inside interceptors

    @Test func hookInsideAnInterceptorAdapts() async throws {
        let inner = Around(inner: Hook { $0.setValue("inner", forHTTPHeaderField: "X-Inner") })
        #expect(try await sent("X-Inner", through: inner) == ["inner", nil, "inner"])
        // Another hook of its type is in the list.
        let listed = Hook { $0.setValue("listed", forHTTPHeaderField: "X-Listed") }
        #expect(try await sent("X-Inner", through: listed, inner) == ["inner", nil, "inner"])
        #expect(try await sent("X-Listed", through: listed, inner) == ["listed", nil, "listed"])
    }

    @Test func eachHookIsCalledOnce() async throws {
        let count = Locked(0)
        let hook = Hook { _ in count.withLock { $0 += 1 } }
        let lists: [([any HTTPInterceptor], Int)] = [
            ([hook], 1), ([Around(inner: hook)], 2), ([hook, Around(inner: hook)], 4),
        ]
        for (list, total) in lists {
            _ = try await NetworkClient(interceptors: list, transport: transport).response(for: request())
            #expect(count.withLock { $0 } == total)
        }
    }

    @Test func authenticationInsideAnInterceptorReplacesTheListedOne() async throws {
        let expected = ["Bearer t", nil, "Bearer t"]
        #expect(try await sent("Authorization", through: authenticating) == expected)
        #expect(try await sent("Authorization", through: AuthInterceptor.bearer("listed"), authenticating) == expected)
        #expect(try await sent("X-Around", through: authenticating) == ["around", nil, "around"])
    }

    @Test func authenticationInsideAnInterceptorRefreshes() async throws {
        let (tokens, server) = (NumberedTokens(), TokenServer())
        let around = Around(inner: AuthInterceptor(provider: tokens))
        let client = NetworkClient(interceptors: [around], transport: server.transport)
        #expect(try await client.response(for: request()).status == 200)
        #expect(tokens.refreshes == 1 && server.refusals == 1)
    }

    @Test func authenticationInsideAnInterceptorIsForTheBaseURL() async throws {
        let client = NetworkClient(environment: try lab(), interceptors: [authenticating], transport: transport)
        for url in ["https://a.example/", "https://b.example/"] { _ = try await client.response(for: request(url)) }
        #expect(transport.sent("Authorization") == ["Bearer t", nil])
        #expect(transport.sent("X-Around") == ["around", "around"])
    }

    @Test func authenticationInsideAnInterceptorDoesNotMultiplyRetries() async throws {
        let clock = TestClock(autoAdvance: true)
        let transport = StubTransport { _, _, _ in answer(503) }
        let client = NetworkClient(interceptors: [authenticating], transport: transport, clock: clock)
        var context = RequestContext(clock: clock)
        context[RetryCountKey.self] = 3
        #expect(try await client.response(for: request(), context: context).status == 503)
        #expect(transport.exchanges.count == 4)
    }

    @Test func retryInsideTheCallsAuthenticationIsPreparedByTheClient() async throws {
        let transport = StubTransport(.success(answer(503)), .success(answer()))
        let client = NetworkClient(
            interceptors: [Hook { $0.setValue("hook", forHTTPHeaderField: "X-Hook") }], retryPolicy: .default,
            transport: transport, callInterceptors: [authenticating], clock: TestClock(autoAdvance: true))
        #expect(try await client.response(for: request()).status == 200)
        #expect(transport.sent("X-Hook") == ["hook", "hook"])
        #expect(transport.sent("Authorization") == ["Bearer t", "Bearer t"])
        #expect(transport.sent("User-Agent").compactMap { $0 }.count == 2)
    }
}
