import NetClient
import NetTesting
import TestLab
import Testing

@testable import NetSecurity

/// The authorization code flow with PKCE, against Authlib's server.
@Suite("OAuth: sign-in", .timeLimit(.minutes(5)), .requires(.pythonPackages)) struct SignInTests {
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

    // MARK: Attacks

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
        let callback = try await browser().callback { try attempt.authorizationURL($0).replacing(nonce: "other") }
        let failure = await oauthError { try await oauth.redeem(try attempt.code(in: callback), of: attempt) }
        #expect(failure == .invalidIDToken(""))
    }

    @Test func noSecretShowsInErrorsAndDumps() async throws {
        let oauth = try await server.client("post", authentication: .post(secret: "S3CR3T"))
        let failure = await oauthError { try await oauth.refresh("T0KEN") }
        var text = "\(String(describing: failure)) \(failure?.localizedDescription ?? "")"
        dump(oauth, to: &text)
        let tokens = try await server.client().signIn(using: browser())
        dump(tokens, to: &text)
        text += "\(tokens)"
        for secret in ["S3CR3T", "T0KEN", tokens.accessToken, tokens.refreshToken ?? "T0KEN"] {
            #expect(!text.contains(secret))
        }
    }
}

extension URL {
    fileprivate func replacing(nonce: String) throws -> URL {
        let text = absoluteString.replacingOccurrences(of: "nonce=\(queryValue("nonce") ?? "")", with: "nonce=\(nonce)")
        return try #require(URL(string: text))
    }
}
