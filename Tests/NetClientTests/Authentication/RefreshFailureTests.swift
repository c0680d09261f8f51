import NetClient
import NetTesting
import TestLab
import Testing

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
        try await clock.waitForSleepers()
        await clock.advance(by: 20)
        let failure = try await TestLab.failure { try await task.value }
        #expect(failure.cause == .timeout && failure.transportError?.message.contains("20 s") == true)
        gate.open()
        #expect(clock.sleeperCount == 0)
    }
}
