@Suite struct AuthInterceptorTests {
    private let transport = StubTransport { _, _, _ in answer() }

    private func sent(_ auth: AuthInterceptor, _ request: URLRequest? = nil) async throws -> URLRequest {
        let client = NetworkClient(interceptors: [auth], transport: transport)
        _ = try await client.response(for: try request ?? NetClientTests.request("https://a.example/x?q=1"))
        return try #require(transport.exchanges.last?.request)
    }

    private func refusal(_ auth: AuthInterceptor, _ url: String = "https://a.example/") async throws -> NetworkFailure {
        let client = NetworkClient(interceptors: [auth], transport: transport)
        let failure = try await failure { try await client.response(for: request(url)) }
        #expect(transport.exchanges.isEmpty, "nothing was sent")
        return failure
    }

    private func field(_ name: String = "Authorization", by auth: AuthInterceptor) async throws -> String? {
        try await sent(auth).value(forHTTPHeaderField: name)
    }

    @Test func bearerToken() async throws {
        let request = try await sent(.bearer("abc"))
        #expect(request.ownFields == ["Authorization": "Bearer abc"])
        #expect(try await sent(AuthInterceptor { "abc" }) == request)
        #expect(try await sent(AuthInterceptor(tokenProvider: { "abc" })) == request)
        #expect(try await field(by: AuthInterceptor { nil }) == nil)
        let old = try NetClientTests.request("https://a.example/", headers: ["authorization": "old"])
        #expect(try await sent(.bearer("new"), old).value(forHTTPHeaderField: "Authorization") == "Bearer new")
    }

    /// It must also compile: a closure does not inherit its caller's actor by itself.
    @MainActor @Test func closuresRunOnTheCallersActor() async throws {
        var (token, refreshes) = ("stale", 0)
        let auth = AuthInterceptor(
            tokenProvider: {
                MainActor.assertIsolated()
                return token
            },
            onUnauthorized: {
                refreshes += 1
                token = "fresh"
            })
        let transport = StubTransport { request, _, _ in
            answer(request.value(forHTTPHeaderField: "Authorization") == "Bearer fresh" ? 200 : 401)
        }
        let response = try await NetworkClient(interceptors: [auth], transport: transport).response(for: request())
        #expect(response.status == 200 && refreshes == 1 && transport.exchanges.count == 2)
    }

    @Test func apiKeyInHeader() async throws {
        #expect(try await field("X-API-Key", by: .apiKey("k")) == "k")
        #expect(try await field("X-Key", by: .apiKey("k", header: "X-Key")) == "k")
        let empty = AuthInterceptor(headerName: "X-Key", tokenPrefix: "", tokenProvider: { "k" })
        #expect(try await field("X-Key", by: empty) == "k")
        let signing = AuthInterceptor.custom { $0.setValue($0.url?.path, forHTTPHeaderField: "X-Signature") }
        #expect(try await field("X-Signature", by: signing) == "/x")
    }

    @Test(arguments: [
        ("https://a.example/x", "https://a.example/x?api%20key=a%26b%2Bc"),
        ("https://a.example/x?q=%2B&api%20key=old", "https://a.example/x?q=%2B&api%20key=a%26b%2Bc"),
        ("https://a.example/x?q#part", "https://a.example/x?q&api%20key=a%26b%2Bc#part"),
    ]) func apiKeyInQuery(url: String, expected: String) async throws {
        let request = try await sent(.apiKey("a&b+c", queryItem: "api key"), try request(url))
        #expect(request.url?.absoluteString == expected)
    }

    /// The example of RFC 7617, section 2.1.
    @Test func basicInUTF8() async throws {
        #expect(try await field(by: .basic(username: "test", password: "123\u{A3}")) == "Basic dGVzdDoxMjPCow==")
        #expect(try await field(by: .basic(username: "", password: "a:b")) != nil)
    }

    @Test(arguments: [("a:b", "c"), ("a\u{7F}", "c"), ("a", "b\n"), ("a\0", "b")])
    func ambiguousBasicCredentialsAreRefused(username: String, password: String) async throws {
        let failure = try await refusal(.basic(username: username, password: password))
        #expect(failure.cause == .invalidRequest && "\(failure)".contains("RFC 7617"))
    }

    @Test func tokensAndNamesWithControlCharactersAreRefused() async throws {
        for auth in [AuthInterceptor.bearer("a\r\nX-Admin: 1"), .apiKey("a\0"), .apiKey("a", header: "b c")] {
            #expect(try await refusal(auth).cause == .invalidRequest)
        }
        // Without a client, only the interceptor checks.
        let next = Next { [transport] in try await transport.send($0, body: $1, context: $2) }
        await #expect(throws: (any Error).self) {
            try await AuthInterceptor.bearer("a\r\nX-Admin: 1").intercept(request(), next: next)
        }
        #expect(transport.exchanges.isEmpty)
    }

    @Test func errorsOfTheTokenProvider() async throws {
        struct Failing: TokenProvider {
            let error: any Error
            func validToken() async throws -> String { throw error }
            func refreshToken() async throws -> String { throw error }
        }
        let closure = try await refusal(AuthInterceptor { throw RefreshError() })
        #expect(closure.underlyingError as? RefreshError == RefreshError())
        #expect(!"\(closure) \(closure.localizedDescription)".contains("s3cr3t"))
        let failure = try await refusal(AuthInterceptor(tokenProvider: Failing(error: RefreshError())))
        #expect(failure.cause == .unknown(nil) && failure.cause.embeddedError is RefreshError)
        #expect(failure.underlyingError is RefreshError)
        let signedOut = NetworkError.requestFailed(statusCode: 401, data: nil)
        #expect(try await refusal(AuthInterceptor(tokenProvider: Failing(error: signedOut))).cause == signedOut)
    }

    @Test func requiresTLSRefusesPlainHTTP() async throws {
        var auth = AuthInterceptor.bearer("s3cr3t")
        #expect(auth.requiresTLS == false)
        auth.requiresTLS = true
        let failure = try await refusal(auth, "http://a.example/")
        #expect(failure.cause == .invalidRequest)
        #expect("\(failure)".contains("a.example") && !"\(failure)".contains("s3cr3t"))
        for url in ["https://a.example/", "http://127.0.0.1:8080/", "http://[::1]/", "http://localhost/"] {
            #expect(try await sent(auth, try request(url)).value(forHTTPHeaderField: "Authorization") != nil, "\(url)")
        }
    }

    @Test func identityIsAnonymousWithoutCredentials() async throws {
        let transport = TokenServer().transport
        for auth in [AuthInterceptor.apiKey("k", header: "X-Own"), AuthInterceptor { nil }] {
            _ = try await NetworkClient(interceptors: [auth], transport: transport).response(for: request())
        }
        #expect(transport.exchanges.map(\.context.identity?.isAnonymous) == [false, true])
    }
}

/// The spellings of the seeds, changed only where Swift 6 requires it.
@Suite struct SeedAuthenticationTests {
    actor TokenManager {
        static let shared = TokenManager()
        private(set) var accessToken: String? = "0"

        func refreshToken() async throws { accessToken = "1" }
    }

    /// The numbers of requests and of refusals of two calls.
    private func counts(
        _ interceptor: some HTTPInterceptor, _ server: TokenServer = TokenServer()
    ) async throws -> [Int] {
        let transport = server.transport
        let client = NetworkClient(interceptors: [interceptor], transport: transport)
        for _ in 0..<2 { _ = try await client.response(for: request()) }
        return [transport.exchanges.count, server.refusals]
    }

    /// Seed 003, Authentication.
    @Test func seed003() async throws {
        let authInterceptor = AuthInterceptor(tokenProvider: { await TokenManager.shared.accessToken })
        let apiKeyInterceptor = AuthInterceptor(
            headerName: "X-API-Key", tokenPrefix: nil, tokenProvider: { "your-api-key" })
        let client = NetworkClient(
            interceptors: [authInterceptor, apiKeyInterceptor], transport: TokenServer(accepting: "Bearer 0").transport)
        #expect(try await client.response(for: request()).status == 200)
    }

    /// Seed 003, Token Refresh on 401.
    @Test func seed003Refresh() async throws {
        let manager = TokenManager()
        let authInterceptor = AuthInterceptor(
            tokenProvider: { await manager.accessToken }, onUnauthorized: { try await manager.refreshToken() })
        #expect(try await counts(authInterceptor) == [3, 1])
        let second = AuthInterceptor {
            await manager.accessToken
        } onUnauthorized: {
            try await manager.refreshToken()
        }
        #expect(try await counts(second) == [2, 0])
    }

    /// Counts its refreshes, whose tokens are their numbers, and does not return them as valid tokens.
    private final class Forgetful: TokenProvider {
        let valid = Locked("0")
        let refreshes = Locked<UInt64>(0)
        func validToken() async throws -> String { valid.withLock { $0 } }
        func refreshToken() async throws -> String { "\(refreshes.next())" }
    }

    /// Seed 002, Bearer Token: the token of `refreshToken()` is sent, even if `validToken()` does not return it.
    @Test func seed002() async throws {
        let (tokens, server) = (Forgetful(), TokenServer())
        let auth = AuthInterceptor(tokenProvider: tokens)
        #expect(try await counts(auth, server) == [3, 1])
        server.state.withLock { $0.accepted = "Bearer 2" }
        #expect(try await counts(auth, server) == [3, 2] && tokens.refreshes.withLock { $0 } == 2)
    }

    /// A token that the provider has renewed by itself wins over that of an earlier refresh.
    @Test func changedValidTokenWinsOverARefreshedOne() async throws {
        let (tokens, server) = (Forgetful(), TokenServer())
        let auth = AuthInterceptor(tokenProvider: tokens)
        #expect(try await counts(auth, server) == [3, 1])
        server.state.withLock { $0.accepted = "Bearer 5" }
        tokens.valid.withLock { $0 = "5" }
        #expect(try await counts(auth, server) == [2, 1])
    }
}
