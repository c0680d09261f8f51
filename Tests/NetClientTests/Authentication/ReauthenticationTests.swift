@Suite struct ReauthenticationTests {
    private let tokens = NumberedTokens()
    private let server = TokenServer()

    private func client(_ tokens: NumberedTokens? = nil, _ transport: StubTransport? = nil) -> NetworkClient {
        let auth = AuthInterceptor(provider: tokens ?? self.tokens)
        return NetworkClient(interceptors: [auth], transport: transport ?? server.transport)
    }

    @Test func status401IsRepeatedOnceWithNewCredentials() async throws {
        let transport = server.transport
        let response = try await client(nil, transport).response(for: request())
        #expect(response.status == 200 && response.body.data == Data("welcome".utf8) && tokens.refreshes == 1)
        let retry = try #require(response.retryTrace.retries.first)
        #expect(response.retryTrace.retries.count == 1 && retry.reason == .reauthentication && retry.statusCode == 401)
        #expect(transport.sent("Authorization") == ["Bearer 0", "Bearer 1"])
    }

    @Test(arguments: [HTTPMethod.post, .patch, .delete])
    func anyMethodIsRepeatedWithItsBody(method: HTTPMethod) async throws {
        let transport = server.transport
        let request = try request("https://a.example/", method)
        #expect(try await client(nil, transport).response(for: request, body: HTTPBody("content")).status == 200)
        #expect(transport.exchanges.map(\.body) == [Data("content".utf8), Data("content".utf8)])
    }

    @Test func innerInterceptorCountsOnFromTheClientsAttempt() async throws {
        struct Outer: HTTPInterceptor {
            let inner: AuthInterceptor

            func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
                try await inner.intercept(request, next: next)
            }
        }
        let transport = StubTransport(.success(answer(503)), .success(answer(401)), .success(answer()))
        let client = NetworkClient(
            interceptors: [Outer(inner: AuthInterceptor(provider: tokens))],
            retryPolicy: RetryPolicy(maxRetries: 1, delay: .fixed(0)), transport: transport)
        #expect(try await client.response(for: request()).attempt == 2)
        #expect(transport.exchanges.map(\.context.attempt) == [0, 1, 2])
    }

    @Test func retryTraceOfAFailureHasTheReauthentication() async throws {
        let transport = StubTransport(.success(answer(401)), .failure(lostConnection))
        let failure = try await failure { try await client(nil, transport).response(for: request()) }
        #expect(failure.cause == .networkUnavailable && failure.retryTrace.retries.map(\.reason) == [.reauthentication])
    }

    /// Waiters for the refresh, which is sent to the same host, hold all places.
    @Test(.timeLimit(.minutes(5))) func refreshNeedsNoPlaceOfTheConcurrencyLimit() async throws {
        let holder = Locked<NetworkClient?>(nil)
        let tokens = NumberedTokens {
            let client = try #require(holder.withLock { $0 })
            _ = try await client.response(for: request("https://a.example/token"))
        }
        let limiter = ConcurrencyLimiter(maxConcurrentPerHost: 2)
        let client = NetworkClient(
            interceptors: [limiter, AuthInterceptor(provider: tokens)], transport: server.transport,
            callInterceptors: [RequestCoalescer()])
        holder.withLock { $0 = client }
        defer { holder.withLock { $0 = nil } }
        let all = try await atOnce(20) { try await client.response(for: request("https://a.example/\($0)")).status }
        #expect(try all.allSatisfy { $0 == 200 } && tokens.refreshes == 1 && limiter.activeCount(for: url()) == 0)
    }

    @Test func second401IsReturned() async throws {
        let server = TokenServer(accepting: "none")
        let client = client(nil, server.transport)
        // Each request may refresh once.
        for count in 1...2 {
            #expect(try await client.response(for: request()).status == 401)
            #expect(server.refusals == 2 * count && tokens.refreshes == count)
        }
    }

    @Test func oneShotBodyReturnsThe401() async throws {
        let transport = StubTransport { [server] request, _, _ in
            var response = server.answer(request)
            response.body = oneShot("who are you?")
            return response
        }
        let client = client(nil, transport)
        let response = try await client.send(request("https://a.example/", .post), body: oneShot("once"))
        #expect(response.status == 401 && tokens.refreshes == 1)
        #expect(try await response.body.collect(upTo: 100) == Data("who are you?".utf8))
        #expect(try await client.send(request("https://a.example/", .post), body: oneShot("again")).status == 200)
        #expect(tokens.refreshes == 1)
    }

    @Test func status401WithoutARefreshIsReturned() async throws {
        for (count, auth) in [
            AuthInterceptor { "x" }, .bearer("x"), .apiKey("x"), .apiKey("x", queryItem: "k"), .custom { _ in },
            AuthInterceptor(provider: .none), AuthInterceptor(provider: NoAuthProvider()),
        ].enumerated() {
            let client = NetworkClient(interceptors: [auth], transport: server.transport)
            #expect(try await client.response(for: request()).status == 401 && server.refusals == count + 1)
        }
    }

    private static func renewing(_ statuses: Set<Int>) -> RetryPolicy {
        var policy = RetryPolicy(maxRetries: 0)
        policy.reauthenticationStatuses = statuses
        return policy
    }

    /// The statuses are those of the policy of the call, or of the client.
    @Test(
        arguments: [
            (nil, nil, 401, true), (nil, nil, 403, false), (nil, renewing([401, 403]), 403, true),
            (nil, renewing([]), 401, false),
            (nil, renewing([419]), 419, true), (nil, renewing([302]), 302, true), (.default, nil, 403, true),
            (.default, nil, 401, true),
            (RetryPolicy.none, nil, 403, false), (.connectionFailures, nil, 403, false),
            (renewing([419]), nil, 419, true),
            (renewing([419]), nil, 401, false), (nil, .default, 403, true), (nil, RetryPolicy.none, 401, false),
        ] as [(RetryPolicy?, RetryPolicy?, Int, Bool)])
    func reauthenticationStatuses(
        client policy: RetryPolicy?, call: RetryPolicy?, status: Int, isRepeated: Bool
    ) async throws {
        let transport = StubTransport { _, _, _ in answer(status) }
        let client = client(nil, transport).with { if let policy { $0.retryPolicy = policy } }
        let context = RequestContext.with { $0[RetryPolicyKey.self] = call }
        #expect(try await client.response(for: request(), context: context).status == status)
        #expect(tokens.refreshes == (isRepeated ? 1 : 0) && transport.exchanges.count == (isRepeated ? 2 : 1))
    }

    @Test func late401OfOldCredentialsDoesNotRefresh() async throws {
        let late = Gate()
        let transport = StubTransport { [server] request, _, _ in
            let response = server.answer(request)
            if request.url?.path == "/late", response.status == 401 { await late.pass() }
            return response
        }
        let client = client(nil, transport)
        async let slow = client.response(for: request("https://a.example/late"))
        try await late.waitForArrivals()
        #expect(try await client.response(for: request()).status == 200 && tokens.refreshes == 1)
        late.open()
        #expect(try await slow.status == 200 && tokens.refreshes == 1 && server.refusals == 2)
    }

    @Test func expiredCredentialsAreRefreshedBeforeSending() async throws {
        let clock = TestClock()
        let tokens = NumberedTokens(end: clock.now + 10)
        let server = TokenServer(accepting: "Bearer 0")
        let client = NetworkClient(
            interceptors: [AuthInterceptor(provider: tokens)], transport: server.transport, clock: clock)
        #expect(try await client.response(for: request()).status == 200 && tokens.refreshes == 0)
        await clock.advance(by: 10)
        server.state.withLock { $0.accepted = "Bearer 1" }
        let statuses = try await atOnce(50) { _ in try await client.response(for: request()).status }
        #expect(statuses.allSatisfy { $0 == 200 } && tokens.refreshes == 1 && server.refusals == 0)
    }

    @Test func refreshThroughTheSameClientDoesNotDeadlock() async throws {
        let holder = Locked<NetworkClient?>(nil)
        let tokens = NumberedTokens {
            let client = try #require(holder.withLock { $0 })
            // Also from a task that the refresh starts.
            let task = Task { try await client.response(for: request("https://a.example/token", .post)).status }
            try #require(await task.value == 401)
        }
        let transport = server.transport
        let client = client(tokens, transport)
        holder.withLock { $0 = client }
        defer { holder.withLock { $0 = nil } }
        #expect(try await client.response(for: request()).status == 200 && tokens.refreshes == 1)
        #expect(transport.exchanges.map { $0.request.url?.path } == ["/", "/token", "/"])
        #expect(transport.exchanges[1].request.value(forHTTPHeaderField: "Authorization") == nil)
    }

    @Test func requestsDuringARefreshWaitForIt() async throws {
        let gate = Gate()
        let tokens = NumberedTokens { await gate.pass() }
        let client = client(tokens)
        async let first = client.response(for: request())
        try await gate.waitForArrivals()
        async let second = client.response(for: request())
        for _ in 0..<50 { await Task.yield() }
        #expect(server.refusals == 1)
        gate.open()
        #expect(try await first.status == 200)
        #expect(try await second.status == 200 && server.refusals == 1 && tokens.refreshes == 1)
    }
}
