import NetClient
import NetSecurity
import NetTesting
import TestLab
import Testing

/// A ``SessionProvider`` behind a client's engine. The API answers `token → status` by a list of tokens that are good.
@Suite(.timeLimit(.minutes(5))) struct SessionAuthenticatorTests {
    private let clock = TestClock()
    private let storage = MoodyStorage()
    private let sessions: SessionProvider
    private let good = Locked<Set<String>>([])
    private let refreshes = Locked(UInt64(0))
    private let signedOut = Locked<[String]>([])
    private let api: StubTransport

    init() {
        sessions = SessionProvider(storage: storage, clock: clock)
        api = StubTransport { [good] request, _, _ in
            let token = request.value(forHTTPHeaderField: "Authorization")?.dropFirst("Bearer ".count)
            let isGood = good.withLock { good in token.map { good.contains(String($0)) } ?? false }
            return TransportResponse(status: isGood ? 200 : 401, url: request.url, body: HTTPBody("{}"))
        }
    }

    private func signIn(
        _ userID: String = "ada", token: String = "a0", endsIn seconds: TimeInterval = 3600,
        accepted tokens: Set<String> = ["a0"]
    ) throws {
        good.withLock { $0 = tokens }
        try sessions.store(
            Session(
                userID: userID, accessToken: token, refreshToken: "r0",
                expiration: clock.now.addingTimeInterval(seconds)))
    }

    /// Gives `a1`, `a2` … for an hour, and lets the API take them.
    private func authenticator(
        _ userID: String = "ada", hosts: Set<String> = ["api.example"],
        failing: @escaping @Sendable () async throws -> Void = {}
    ) -> SessionAuthenticator {
        SessionAuthenticator(
            userID: userID, sessions: sessions, hosts: hosts, clock: clock,
            onSignOut: { [signedOut] user in signedOut.withLock { $0.append(user) } },
            refresh: { [refreshes, good, clock] session in
                let number = refreshes.next()
                try await failing()
                let token = session.userID == "ada" ? "a\(number)" : "\(session.userID)-new"
                good.withLock { _ = $0.insert(token) }
                return Session(
                    userID: session.userID, accessToken: token, refreshToken: "r\(number)",
                    expiration: clock.now.addingTimeInterval(3600))
            })
    }

    private func client(
        _ authenticator: SessionAuthenticator, _ transport: (any HTTPTransport)? = nil
    ) -> NetworkClient {
        NetworkClient(transport: transport ?? api, authenticationProvider: authenticator, clock: clock)
    }

    private func get(_ client: NetworkClient, _ url: String = "https://api.example/me") async throws -> Int {
        let url = try #require(URL(string: url))
        return try await client.send(URLRequest(url: url)).status
    }

    private func tokens(_ transport: StubTransport? = nil) -> [String?] {
        (transport ?? api).exchanges.map { $0.request.value(forHTTPHeaderField: "Authorization") }
    }

    @Test func withoutASessionNoTokenIsSent() async throws {
        let failure = await #expect(throws: NetworkFailure.self) { try await get(client(authenticator())) }
        #expect((failure?.statusCode, failure?.underlyingError as? SessionError) == (401, .notSignedIn))
        #expect((tokens(), refreshes.withLock { $0 }) == ([nil], 0))
    }

    @Test func concurrentRefusalsRefreshOnce() async throws {
        try signIn(accepted: [])
        let client = client(authenticator())
        let statuses = try await atOnce(100) { _ in try await get(client) }
        #expect((statuses, refreshes.withLock { $0 }) == (Array(repeating: 200, count: 100), 1))
        #expect(try sessions.storedSession(for: "ada")?.refreshToken == "r1")
    }

    @Test func refreshesFiveMinutesBeforeExpiration() async throws {
        try signIn(endsIn: 301)
        let client = client(authenticator())
        #expect(try await get(client) == 200)
        await clock.advance(by: 1)
        #expect(try await (get(client), tokens()) == (200, ["Bearer a0", "Bearer a1"]))
    }

    @Test func expiredSessionIsRefreshedBeforeSending() async throws {
        try signIn(endsIn: 10)
        await clock.advance(by: 86_400)
        #expect(try await (get(client(authenticator())), tokens()) == (200, ["Bearer a1"]))
    }

    @Test func outageBeforeExpirationKeepsTheToken() async throws {
        try signIn(endsIn: 200)
        let client = client(authenticator { throw NetworkError.networkUnavailable })
        for _ in 0..<5 { #expect(try await get(client) == 200) }
        #expect(refreshes.withLock { $0 } == 1, "not for each request")
        await clock.advance(by: 30)
        #expect(try await (get(client), refreshes.withLock { $0 }) == (200, 2))
        await clock.advance(by: 170)
        let failure = await #expect(throws: NetworkFailure.self) { try await get(client) }
        #expect(try (failure?.cause, sessions.storedSession(for: "ada")?.refreshToken) == (.networkUnavailable, "r0"))
        #expect(signedOut.withLock { $0 } == [])
    }

    @Test(
        arguments: [
            (SessionError.refreshRefused, true), (NetworkError.requestFailed(statusCode: 401, data: nil), true),
            (NetworkFailure(cause: .requestFailed(statusCode: 403, data: nil)), true),
            (OAuthError.server(OAuthError.Response(code: "invalid_grant", statusCode: 400)), true),
            (NetworkError.networkUnavailable, false), (NetworkError.timeout, false),
            (NetworkError.requestFailed(statusCode: 503, data: nil), false),
            (NetworkError.requestFailed(statusCode: 400, data: nil), false), (CancellationError(), false),
            (OAuthError.server(OAuthError.Response(code: "invalid_client", statusCode: 401)), false),
            (OAuthError.network(NetworkFailure(cause: .timeout)), false), (URLError(.notConnectedToInternet), false),
        ] as [(any Error & Sendable, Bool)])
    func onlyARefusedRefreshSignsOut(error: any Error & Sendable, isRefused: Bool) async throws {
        try signIn(accepted: [])
        let failure = try await failure { try await get(client(authenticator { throw error })) }
        #expect(!isRefused || failure.statusCode == 401)
        #expect(try sessions.storedSession(for: "ada")?.refreshToken == (isRefused ? nil : "r0"))
        #expect(signedOut.withLock { $0 } == (isRefused ? ["ada"] : []))
    }

    @Test func lockedStorageDoesNotSignOut() async throws {
        try signIn()
        storage.mood = .unavailable("locked")
        let client = client(authenticator())
        let failure = await #expect(throws: NetworkFailure.self) { try await get(client) }
        #expect(failure?.underlyingError as? SessionStorageError == .unavailable("locked"))
        #expect(failure?.kind != .unauthorized)
        #expect(api.exchanges.isEmpty, "nothing goes without the credentials that it may need")
        storage.mood = nil
        #expect(try await (get(client), signedOut.withLock { $0 }) == (200, []))
    }

    @Test func storageThatLocksDuringTheRefreshKeepsTheSession() async throws {
        try signIn(accepted: [])
        let client = client(authenticator { [storage] in storage.mood = .unavailable("locked") })
        #expect(try await get(client) == 200, "the new session is used")
        #expect(try await get(client) == 200, "and kept")
        #expect(refreshes.withLock { $0 } == 1)
        storage.mood = nil
        #expect(try await (sessions.storedSession(for: "ada")?.refreshToken, get(client)) == ("r0", 200))
        #expect(try sessions.storedSession(for: "ada")?.refreshToken == "r1", "stored as soon as that is possible")
    }

    @Test func signOutDuringTheRefreshWins() async throws {
        try signIn(accepted: [])
        let client = client(authenticator { [sessions] in sessions.removeSession(for: "ada") })
        let failure = await #expect(throws: NetworkFailure.self) { try await get(client) }
        #expect(failure?.underlyingError as? SessionError == .notSignedIn)
        #expect(try sessions.storedSession(for: "ada") == nil)
    }

    /// A sign-in, or another process that has used the refresh token, which is refused then.
    @Test(arguments: [false, true]) func sessionStoredDuringTheRefreshWins(isRefused: Bool) async throws {
        try signIn(accepted: ["new"])
        let new = Session(userID: "ada", accessToken: "new", refreshToken: "r9")
        let client = client(
            authenticator { [sessions] in
                sessions.setSession(new)
                if isRefused { throw SessionError.refreshRefused }
            })
        #expect(try await (get(client), sessions.storedSession(for: "ada")) == (200, new))
        #expect(signedOut.withLock { $0 } == [])
    }

    @Test func sessionRefreshedByAnotherProcessIsUsed() async throws {
        try signIn()
        let client = client(authenticator())
        #expect(try await get(client) == 200)
        good.withLock { $0 = [] }
        let transport = StubTransport { [sessions, good] request, _, _ in
            let isFirst = request.value(forHTTPHeaderField: "Authorization") == "Bearer a0"
            if isFirst {
                sessions.setSession(Session(userID: "ada", accessToken: "theirs", refreshToken: "r9"))
                good.withLock { $0 = ["theirs"] }
            }
            return TransportResponse(status: isFirst ? 401 : 200, url: request.url)
        }
        #expect(try await (get(self.client(authenticator(), transport)), refreshes.withLock { $0 }) == (200, 0))
        #expect(tokens(transport) == ["Bearer a0", "Bearer theirs"])
    }

    @Test func refreshWithoutARefreshTokenKeepsTheOldOne() async throws {
        try signIn(accepted: ["b"])
        let authenticator = SessionAuthenticator(
            userID: "ada", sessions: sessions, hosts: ["api.example"], clock: clock
        ) { _ in Session(userID: "somebody else", accessToken: "b") }
        #expect(try await get(client(authenticator)) == 200)
        let stored = try #require(try sessions.storedSession(for: "ada"))
        #expect((stored.refreshToken, stored.userID) == ("r0", "ada"))
    }

    @Test func usersHaveTheirOwnTokens() async throws {
        try signIn("ada", token: "a0")
        try signIn("bob", token: "b0")
        let (adas, bobs) = (authenticator("ada"), authenticator("bob"))
        #expect(adas.partition != bobs.partition)
        #expect(try await (get(client(adas)), get(client(bobs))) == (200, 200))
        #expect(tokens() == ["Bearer a0", "Bearer b0", "Bearer bob-new"])
        #expect(try sessions.storedSession(for: "ada")?.accessToken == "a0")
    }

    @Test(arguments: ["https://other.example/", "https://sub.api.example/", "https://api.example.evil.test/"])
    func otherHostsGetNoTokenAndTheir401DoesNotRefresh(url: String) async throws {
        try signIn()
        #expect(try await (get(client(authenticator()), url), tokens()) == (401, [nil]))
        #expect(refreshes.withLock { $0 } == 0)
    }

    @Test func hostsAreComparedWithoutCase() async throws {
        try signIn()
        #expect(try await get(client(authenticator(hosts: ["API.example"])), "https://Api.Example:8443/") == 200)
    }

    /// Plain HTTP to another machine, and a token with a line break.
    @Test(arguments: [("a0", "http://api.example/"), ("a\r\nX-Evil: 1", "https://api.example/me")])
    func tokenIsNotSentOverHTTPOrWithALineBreak(token: String, url: String) async throws {
        try signIn(token: token)
        let failure = try await failure { try await get(client(authenticator()), url) }
        #expect(failure.cause == .invalidRequest && api.exchanges.isEmpty)
    }

    @Test func redirectToAnotherOriginDropsAuthorization() async throws {
        try signIn()
        let stranger = try MockServer { _ in .text("stranger") }
        let away = stranger.url("/").absoluteString
        let home = try MockServer { $0.path == "/away" ? .redirect(to: away, status: 307) : .redirect(to: "/away") }
        let client = client(authenticator(hosts: ["127.0.0.1"]), .platform)
        #expect(try await get(client, home.url("/start").absoluteString) == 200)
        #expect(home.requests.map { $0.headers["Authorization"] } == ["Bearer a0", "Bearer a0"])
        #expect(stranger.requests.map { $0.headers["Authorization"] } == [nil])
    }

    @Test func refreshOutageAfterARefusedTokenIsTheCause() async throws {
        try signIn(endsIn: 200)
        good.withLock { $0 = [] }
        let failure = await #expect(throws: NetworkFailure.self) {
            try await get(client(authenticator { throw NetworkError.networkUnavailable }))
        }
        #expect(try (failure?.cause, sessions.storedSession(for: "ada")?.refreshToken) == (.networkUnavailable, "r0"))
        #expect(signedOut.withLock { $0 } == [])
    }
}
