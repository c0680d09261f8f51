@Suite struct RefreshFailureTests {
    private func failure(of error: any Error & Sendable) async throws -> NetworkFailure {
        let server = TokenServer()
        let client = NetworkClient(
            interceptors: [AuthInterceptor(provider: NumberedTokens { throw error })], transport: server.transport)
        let failure = try await TestLab.failure { try await client.response(for: request()) }
        #expect(server.refusals == 1, "nothing is repeated")
        return failure
    }

    @Test func failedRefreshIsTheUnderlyingErrorOfThe401() async throws {
        let failure = try await failure(of: RefreshError())
        #expect(failure.cause == .requestFailed(statusCode: 401, data: nil) && failure.kind == .unauthorized)
        #expect(failure.underlyingError as? RefreshError == RefreshError())
        #expect(failure.response?.bodyPreview == "who are you?")
        #expect(failure.request?.url == URL(string: "https://a.example/"))
        var text = ""
        dump(failure, to: &text)
        #expect(!(text + "\(failure) \(failure.localizedDescription)").contains("s3cr3t"))
        #expect(!(text + "\(failure)").contains("Bearer 0"))
    }

    @Test func refusedRefreshIsUnauthorizedAndUnavailableCredentialsAreNot() async throws {
        struct OutOfReach: CredentialsUnavailable {}
        let refused = try await failure(of: NetworkFailure(cause: .requestFailed(statusCode: 400, data: nil)))
        #expect(refused.kind == .unauthorized && (refused.underlyingError as? NetworkFailure)?.statusCode == 400)
        #expect(try await failure(of: CancellationError()).kind == .unauthorized, "not cancelled")
        let unavailable = try await failure(of: OutOfReach())
        #expect(unavailable.kind != .unauthorized && unavailable.underlyingError is OutOfReach)
    }

    @Test func networkErrorOfTheRefreshIsTheCause() async throws {
        #expect(try await failure(of: refusedConnection).cause == .networkUnavailable)
        #expect(try await failure(of: NetworkError.timeout).cause == .timeout)
        let busy = NetworkFailure(cause: .requestFailed(statusCode: 503, data: nil))
        #expect(try await failure(of: busy).cause == .requestFailed(statusCode: 503, data: nil))
        #expect(try await failure(of: NetworkError.pinningFailed(host: "b")).cause == .pinningFailed(host: "b"))
    }

    @Test func failedRefreshFailsAllWaitersOnce() async throws {
        let count = 1_000
        let gate = Gate(opensAt: count)
        let tokens = NumberedTokens { throw RefreshError() }
        let server = TokenServer()
        let transport = server.transport { await gate.pass() }
        let client = NetworkClient(interceptors: [AuthInterceptor(provider: tokens)], transport: transport)
        let failures = try await atOnce(count) { _ in
            try await TestLab.failure { try await client.response(for: request()) }
        }
        #expect(failures.count == count && tokens.refreshes == 1 && server.refusals == count)
        #expect(failures.allSatisfy { $0 == failures[0] && $0.underlyingError as? RefreshError == RefreshError() })
        await #expect(throws: NetworkFailure.self) { try await client.response(for: request()) }
        #expect(tokens.refreshes == 2, "a request that is made afterwards tries again")
    }

    /// The request that signs in uses the same client. It must not fail because a refresh failed.
    @Test func requestsDuringAFailedRefreshAreSentWithTheOldCredentials() async throws {
        let gate = Gate()
        let tokens = NumberedTokens {
            await gate.pass()
            throw RefreshError()
        }
        let server = TokenServer(accepting: "none")
        let clock = TestClock()
        let client = NetworkClient(
            interceptors: [AuthInterceptor(provider: tokens)],
            transport: StubTransport { request, _, _ in
                request.url?.path == "/login" ? answer(200) : server.answer(request)
            }, resilience: Resilience(totalTimeout: 60), clock: clock)
        let first = Task { try await client.response(for: request()) }
        try await gate.waitForArrivals()
        let login = Task { try await client.response(for: request("https://a.example/login")) }
        let other = Task { try await client.response(for: request("https://a.example/other")) }
        // Each of the three calls sleeps for its total timeout, and once more while it waits for the refresh.
        try await clock.waitForSleepers(count: 6)
        gate.open()
        #expect(try await login.value.status == 200)
        await #expect(throws: NetworkFailure.self) { try await first.value }
        await #expect(throws: NetworkFailure.self) { try await other.value }
        #expect(tokens.refreshes == 1, "the same credentials: the same answer")
    }

    @Test func refreshTimeoutFailsTheRequest() async throws {
        let clock = TestClock()
        let gate = Gate()
        var auth = AuthInterceptor(provider: NumberedTokens { await gate.pass() })
        auth.refreshTimeout = 20
        let client = NetworkClient(interceptors: [auth], transport: TokenServer().transport, clock: clock)
        let task = Task { try await client.response(for: request()) }
        try await gate.waitForArrivals()
        try await clock.advance(by: 20, whenSleeping: 1)
        let failure = try await TestLab.failure { try await task.value }
        #expect(failure.cause == .timeout && failure.transportError?.message.contains("20 s") == true)
        gate.open()
        #expect(clock.sleeperCount == 0)
    }
}

/// Many requests that get a 401 at the same time, in processes of their own: thousands of tasks would delay all tests.
@Suite struct RefreshStormTests {
    private let tokens = NumberedTokens()
    private let server = TokenServer()

    private func storm(_ count: Int, _ send: @escaping @Sendable (Int) async throws -> Int) async throws -> [Int: Int] {
        try await atOnce(count, send).reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        @Test(.ownProcess) func thousandRequestsRefreshOnceOverSockets() async {
            await #expect(processExitsWith: .success) { try await RefreshStormTests().refreshOnceOverSockets() }
        }

        @Test(.ownProcess) func cancellationsDoNotAffectOtherRequests() async {
            await #expect(processExitsWith: .success) { try await RefreshStormTests().cancelAThird() }
        }

        @Test(.ownProcess) func tokensThatChangeOftenReachAllRequests() async {
            await #expect(processExitsWith: .success) { try await RefreshStormTests().changeTokens() }
        }
    #endif

    /// The server counts the refreshes, which the same client sends.
    private func refreshOnceOverSockets() async throws {
        let issued = Locked<UInt64>(0)
        let server = try MockServer { request in
            if request.path == "/token" { return .text("token-\(issued.next())") }
            return request.headers["Authorization"] == "Bearer token-1" ? .text("welcome") : .status(401)
        }
        let holder = Locked<NetworkClient?>(nil)
        let token = Locked("none")
        let url = server.url("/token")
        let auth = AuthInterceptor(
            tokenProvider: { token.withLock { $0 } },
            onUnauthorized: {
                let client = try #require(holder.withLock { $0 })
                let text = String(decoding: try await client.data(for: URLRequest(url: url)).data, as: UTF8.self)
                token.withLock { $0 = text }
            })
        let client = NetworkClient(interceptors: [auth])
        holder.withLock { $0 = client }
        let pages = (0..<10).map { server.url("/page/\($0)") }
        let statuses = try await storm(1_000) { index in
            var request = URLRequest(url: pages[index % 10])
            request.httpMethod = index % 2 == 0 ? "GET" : "POST"
            return try await client.response(for: request, body: index % 2 == 0 ? nil : HTTPBody("x")).status
        }
        #expect(statuses == [200: 1_000] && issued.withLock { $0 } == 1)
        #expect(server.requests.count { $0.path == "/token" } == 1 && server.protocolErrors.isEmpty)
        holder.withLock { $0 = nil }
        await client.shutdown()
        await server.stop()
    }

    private func cancelAThird() async throws {
        let tokens = NumberedTokens { for _ in 0..<20 { await Task.yield() } }
        let transport = server.transport {
            await Task.yield()
            try Task.checkCancellation()
        }
        let client = NetworkClient(interceptors: [AuthInterceptor(provider: tokens)], transport: transport)
        let outcomes = await withTaskGroup(of: String.self) { group in
            for index in 0..<900 {
                let task = Task { try await client.response(for: request()).status }
                if index % 3 == 0 {
                    group.addTask {
                        for _ in 0..<(index % 40) { await Task.yield() }
                        task.cancel()
                        return "canceller"
                    }
                }
                group.addTask {
                    switch await task.result {
                    case .success(let status): return "\(status)"
                    case .failure(let error): return (error as? NetworkFailure)?.code ?? "\(error)"
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(outcomes["200", default: 0] >= 600)
        #expect(outcomes["200", default: 0] + outcomes["cancelled", default: 0] == 900 && tokens.refreshes == 1)
    }

    private func changeTokens() async throws {
        let transport = server.transport { await Task.yield() }
        let client = NetworkClient(interceptors: [AuthInterceptor(provider: tokens)], transport: transport)
        for round in 1...20 {
            server.state.withLock { $0.accepted = "Bearer \(round)" }
            let statuses = try await storm(50) { _ in try await client.response(for: request()).status }
            #expect(statuses == [200: 50] && tokens.refreshes == round)
        }
    }
}
