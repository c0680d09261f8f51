import NetClient
import NetTesting
import TestLab
import Testing

@testable import NetSecurity

/// The authorization code flow with PKCE and the other grants, revocation and discovery, against Authlib's server.
@Suite("OAuth with Authlib's server", .timeLimit(.minutes(5)), .requires(.pythonPackages)) struct AuthlibTests {
    let server: AuthorizationServer
    init() async throws { server = try await AuthorizationServer() }

    @Test func signInReturnsTokens() async throws {
        let tokens = try await server.client().signIn(using: browser())
        #expect(try await server.me(tokens.accessToken) == "ada")
        #expect(tokens.refreshToken != nil && tokens.scopes == ["profile"])
        #expect(tokens.idToken == nil && tokens.subject == nil)
        let left = try #require(tokens.expiration).timeIntervalSinceNow
        #expect(left > 3000 && left <= 3600)
        let redeemed = try #require(try await server.requests(to: "/token").first)
        #expect((redeemed.form["client_id"], redeemed.form["code_verifier"]?.count) == ("app", 43))
        #expect(redeemed.authorization == nil)
    }

    @Test func subjectOfTheIDTokenIsTheUserID() async throws {
        let sessions = InMemorySessionProvider()
        let oauth = try await server.client(scopes: ["openid", "profile"])
        let session = try await oauth.signIn(using: browser(adding: "&login_hint=bob"), into: sessions)
        #expect(try (session.userID, sessions.storedSession(for: "bob")) == ("bob", session))
        #expect(try await server.me(session.accessToken) == "bob")
    }

    @Test func signInIntoSessionsNeedsAUserID() async throws {
        let (oauth, sessions) = try await (server.client(), InMemorySessionProvider())
        #expect(await oauthError { try await oauth.signIn(using: browser(), into: sessions) } == .unsupported(""))
        let session = try await oauth.signIn(using: browser(), into: sessions, userID: "42")
        #expect(sessions.getSession(for: "42") == session)
    }

    @Test func failureOfTheSessionStorageIsThrown() async throws {
        let storage = MoodyStorage()
        storage.mood = .unavailable("locked")
        let failure = await oauthError {
            try await server.client().signIn(using: browser(), into: SessionProvider(storage: storage), userID: "42")
        }
        #expect(failure == .storage(.unavailable("locked")))
    }

    @Test func clientSecretIsSentInTheHeaderOrTheForm() async throws {
        let basic = try await server.client("basic client", authentication: .basic(secret: "se:cret +/%"))
        #expect(try await server.me(basic.signIn(using: browser()).accessToken) == "ada")
        let post = try await server.client("post", authentication: .post(secret: "s3cret"))
        #expect(try await server.me(post.signIn(using: browser()).accessToken) == "ada")
        let wrong = try await server.client("post", authentication: .post(secret: "guess"))
        #expect(await oauthError { try await wrong.signIn(using: browser()) }?.code == "invalid_client")
    }

    @Test func deniedSignInIsAccessDenied() async throws {
        let oauth = try await server.client()
        let failure = await oauthError { try await oauth.signIn(using: browser(adding: "&deny=1")) }
        guard case .server(let response) = failure else { throw LabError("\(String(describing: failure))") }
        #expect(response.code == "access_denied" && response.statusCode == nil)
    }

    @Test func callbackWithAnotherStateOrIssuerIsRefused() async throws {
        let oauth = try await server.client()
        #expect(oauth.server.namesIssuerInAnswers)
        for (part, change, error) in [
            ("state=", "state=x", OAuthError.stateMismatch), ("state=", "stale=", .stateMismatch),
            ("iss=http", "iss=https", .issuerMismatch), ("iss=", "was=", .issuerMismatch),
        ] {
            let step = OAuthClient.WebStep { page in
                let callback = try await browser().callback(page).absoluteString
                return try #require(URL(string: callback.replacingOccurrences(of: part, with: change)))
            }
            #expect(await oauthError { try await oauth.signIn(using: step) } == error, "\(change)")
        }
        #expect(try await server.requests(to: "/token").isEmpty, "the code was not redeemed")
    }

    @Test func authorizationCodeIsRedeemedOnce() async throws {
        let oauth = try await server.client()
        let attempt = try SignInAttempt(client: oauth, additionalParameters: [:])
        let code = try attempt.code(in: try await browser().callback(attempt.authorizationURL))
        _ = try await oauth.redeem(code, of: attempt)
        #expect(await oauthError { try await oauth.redeem(code, of: attempt) }?.endsSession == true)
    }

    @Test func authorizationCodeNeedsItsVerifier() async throws {
        let oauth = try await server.client()
        let attempt = try SignInAttempt(client: oauth, additionalParameters: [:])
        let callback = try await browser().callback(attempt.authorizationURL)
        let thief = try SignInAttempt(client: oauth, additionalParameters: [:])
        _ = try thief.authorizationURL(try #require(attempt.redirectURI))
        let failure = await oauthError { try await oauth.redeem(try attempt.code(in: callback), of: thief) }
        #expect(failure?.endsSession == true)
    }

    @Test func idTokenWithAnotherNonceIsRefused() async throws {
        let oauth = try await server.client(scopes: ["openid"])
        let attempt = try SignInAttempt(client: oauth, additionalParameters: [:])
        let callback = try await browser().callback { redirectURI in
            let page = try attempt.authorizationURL(redirectURI)
            let nonce = try #require(page.queryValue("nonce"))
            return try #require(URL(string: page.absoluteString.replacingOccurrences(of: nonce, with: "other")))
        }
        let failure = await oauthError { try await oauth.redeem(try attempt.code(in: callback), of: attempt) }
        #expect(failure == .invalidIDToken(""))
    }

    @Test func refreshRotatesTheTokenAndReuseOfTheOldOneRevokesBoth() async throws {
        let oauth = try await server.client()
        let first = try await oauth.signIn(using: browser())
        let second = try await oauth.refresh(try #require(first.refreshToken))
        #expect(second.refreshToken != first.refreshToken)
        #expect(try await (server.me(second.accessToken), server.me(first.accessToken)) == ("ada", "status 401"))
        #expect(await oauthError { try await oauth.refresh(first.refreshToken ?? "") }?.code == "invalid_grant")
        #expect(try await server.me(second.accessToken) == "status 401")
        #expect(await oauthError { try await oauth.refresh(second.refreshToken ?? "") }?.code == "invalid_grant")
    }

    @Test func clientRefreshesItsSessionAndSignsOutIfRevoked() async throws {
        let (sessions, http) = (InMemorySessionProvider(), NetworkClient())
        let oauth = try await server.client(scopes: ["openid"], using: http)
        let session = try await oauth.signIn(using: browser(), into: sessions)
        let signedOut = Locked<[String]>([])
        let authenticator = SessionAuthenticator(
            userID: session.userID, sessions: sessions, hosts: ["127.0.0.1"],
            onSignOut: { user in signedOut.withLock { $0.append(user) } }, refresh: oauth.refresh)
        let client = NetworkClient(authenticationProvider: authenticator)
        let me = URLRequest(url: try server.url("/me"))
        try await server.expireAccessTokens()
        #expect(try await atOnce(20) { _ in try await client.send(me).status } == Array(repeating: 200, count: 20))
        #expect(try await server.requests(to: "/token").filter { $0.form["grant_type"] == "refresh_token" }.count == 1)
        let renewed = try #require(try sessions.storedSession(for: "ada"))
        #expect(renewed.refreshToken != session.refreshToken)
        // The server is in trouble: the user stays.
        try await server.expireAccessTokens()
        try await server.set(["token_status": 503])
        #expect(try await failure { try await client.send(me) }.cause == .requestFailed(statusCode: 503, data: nil))
        #expect(try sessions.storedSession(for: "ada") == renewed)
        // The session was ended: the user goes.
        try await oauth.revoke(try #require(renewed.refreshToken))
        #expect(try await failure { try await client.send(me) }.statusCode == 401)
        #expect(try sessions.storedSession(for: "ada") == nil && signedOut.withLock { $0 } == ["ada"])
    }

    @Test func clientCredentialsGrant() async throws {
        let oauth = try await server.client("basic client", authentication: .basic(secret: "se:cret +/%"))
        let tokens = try await oauth.clientCredentials()
        #expect(tokens.refreshToken == nil && tokens.scopes == ["profile"])
        let asked = try #require(try await server.requests(to: "/token").first)
        #expect(asked.form["client_secret"] == nil && asked.form["client_id"] == nil)
        let app = try await server.client()
        let refused = await oauthError { try await app.clientCredentials() }?.code
        #expect(refused == "invalid_client" || refused == "unauthorized_client")
    }

    @Test func deviceGrantPollsUntilApproved() async throws {
        let clock = TestClock(now: Date())
        let oauth = try await server.client(clock: clock)
        try await server.set(["slow_downs": 1])
        let device = try await oauth.deviceAuthorization()
        #expect((device.interval, device.verificationURI.absoluteString) == (2, server.issuer + "/device"))
        #expect(device.verificationURIComplete?.queryValue("user_code") == device.userCode)
        let task = Task { try await oauth.tokens(for: device) }
        for round in 1...3 {
            try await clock.waitForSleepers()
            #expect(try await server.requests(to: "/token").count == round - 1)
            if round == 3 { try await server.decide(device, isApproved: true) }
            await clock.advanceToNextSleeper()
        }
        let tokens = try await task.value
        #expect(try await server.me(tokens.accessToken) == "ada" && tokens.refreshToken != nil)
        #expect(clock.sleeps.filter { $0 < 60 } == [2, 7, 7], "slow_down adds five seconds, for all that follow")
    }

    @Test(arguments: ["access_denied", "expired_token", "timed_out"])
    func devicePollingEndsWithAnError(code: String) async throws {
        let clock = TestClock(now: Date(), autoAdvance: true)
        let oauth = try await server.client(clock: clock)
        if code == "expired_token" { try await server.set(["device_expired": true]) }
        if code == "timed_out" { try await server.set(["slow_downs": 1000]) }
        let device = try await oauth.deviceAuthorization()
        if code == "access_denied" { try await server.decide(device, isApproved: false) }
        #expect(await oauthError { try await oauth.tokens(for: device) }?.code == code)
        #expect(clock.uptime < 600)
    }

    @Test func devicePollingContinuesAfterA503() async throws {
        let clock = TestClock(now: Date(), autoAdvance: true)
        let oauth = try await server.client(clock: clock)
        let device = try await oauth.deviceAuthorization()
        try await server.set(["token_status": 503])
        try await server.decide(device, isApproved: true)
        _ = try await oauth.tokens(for: device)
        #expect(clock.sleeps.filter { $0 < 60 } == [2, 4])
    }

    @Test func cancellingEndsDevicePolling() async throws {
        let clock = TestClock(now: Date())
        let oauth = try await server.client(clock: clock)
        let device = try await oauth.deviceAuthorization()
        let task = Task { try await oauth.tokens(for: device) }
        try await clock.waitForSleepers()
        task.cancel()
        #expect(await oauthError { try await task.value }?.code == "cancelled")
    }

    @Test func revokedTokenIsRefused() async throws {
        let oauth = try await server.client()
        let tokens = try await oauth.signIn(using: browser())
        try await oauth.revoke(try #require(tokens.refreshToken))
        #expect(try await server.me(tokens.accessToken) == "status 401")
        #expect(await oauthError { try await oauth.refresh(tokens.refreshToken ?? "") }?.code == "invalid_grant")
        try await oauth.revoke("never seen", hint: nil)
    }

    @Test func discoveryReadsTheServersMetadata() async throws {
        let found = try await OAuthClient.Server.discover(issuer: server.issuer, using: NetworkClient())
        #expect(found.issuer == server.issuer && found.namesIssuerInAnswers)
        #expect(found.tokenEndpoint == (try server.url("/token")))
        #expect(found.codeChallengeMethods == ["S256"])
        try await server.set(["oidc_only": true])
        #expect(try await OAuthClient.Server.discover(issuer: server.issuer, using: NetworkClient()) == found)
    }
}
