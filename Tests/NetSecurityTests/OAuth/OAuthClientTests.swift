import NetClient
import NetTesting
import Testing

@testable import NetSecurity

/// Responses that no honest server sends, and checks before any request.
@Suite struct OAuthClientTests {
    private let clock = TestClock()

    private func oauth(
        issuer: String? = "https://auth.example", scopes: [String] = [], status: Int = 200, _ body: String = "{}"
    ) throws -> (client: OAuthClient, transport: StubTransport) {
        let transport = StubTransport { _, _, _ in TransportResponse(status: status, url: nil, body: HTTPBody(body)) }
        let server = OAuthClient.Server(
            issuer: issuer, authorizationEndpoint: URL(string: "https://auth.example/authorize?tenant=1"),
            tokenEndpoint: try #require(Self.tokenEndpoint))
        let http = NetworkClient(transport: transport)
        return (OAuthClient(server: server, clientID: "app", scopes: scopes, using: http, clock: clock), transport)
    }

    private static let tokenEndpoint = URL(string: "https://auth.example/token")

    /// A client whose server is asked with `http`. All endpoints are the same.
    private func client(
        using http: any HTTPSending, authentication: OAuthClient.Authentication = .none,
        clock: any NetworkClock = .system
    ) throws -> OAuthClient {
        let endpoint = try #require(Self.tokenEndpoint)
        let server = OAuthClient.Server(
            tokenEndpoint: endpoint, deviceAuthorizationEndpoint: endpoint, revocationEndpoint: endpoint)
        return OAuthClient(server: server, clientID: "app", authentication: authentication, using: http, clock: clock)
    }

    private func discoveryError(_ issuer: String, _ transport: StubTransport) async -> OAuthError? {
        let http = NetworkClient(transport: transport)
        return await oauthError { try await OAuthClient.Server.discover(issuer: issuer, using: http) }
    }

    @Test func outageKeepsThePollingInterval() async throws {
        let (clock, endpoint) = try (TestClock(autoAdvance: true), #require(Self.tokenEndpoint))
        let tokens = HTTPBody(#"{"access_token":"t","token_type":"Bearer"}"#)
        let transport = StubTransport(
            .failure(NetworkError.networkUnavailable), .success(TransportResponse(status: 200, url: nil, body: tokens)))
        let client = try client(using: NetworkClient(transport: transport), clock: clock)
        let device = OAuthClient.DeviceAuthorization(
            userCode: "c", verificationURI: endpoint, verificationURIComplete: nil,
            expiration: clock.now.addingTimeInterval(600), interval: 120, deviceCode: "d")
        #expect(try await (client.tokens(for: device).accessToken, clock.sleeps) == ("t", [120, 120]))
    }

    /// RFC 7636, appendix B.
    @Test func codeChallengeOfRFC7636Example() {
        let challenge = SignInAttempt.challenge(of: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func authorizationURLHasEachParameterOnce() async throws {
        let (client, _) = try oauth(scopes: ["openid", "a b"])
        let pages = Locked<[URL]>([])
        let step = cannedStep { page in
            pages.withLock { $0.append(page) }
            throw CancellationError()
        }
        let parameters = ["prompt": "login&x=1", "state": "mine"]
        for _ in 0..<2 {
            let failure = await oauthError { try await client.signIn(using: step, additionalParameters: parameters) }
            #expect(failure == .cancelled)
        }
        let page = try #require(pages.withLock(\.first))
        let items = try #require(URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems)
        #expect(Set(items.map(\.name)).count == items.count)
        for (name, value) in [
            ("tenant", "1"), ("response_type", "code"), ("redirect_uri", "myapp://callback"), ("prompt", "login&x=1"),
            ("scope", "openid a b"), ("code_challenge_method", "S256"),
        ] { #expect(page.queryValue(name) == value) }
        #expect(page.queryValue("state") != "mine")
        // The code of one sign-in cannot be redeemed by another (RFC 7636, section 4.1).
        for name in ["state", "nonce", "code_challenge"] {
            #expect(Set(pages.withLock { $0 }.map { $0.queryValue(name) }).count == 2, "\(name) is a new one each time")
            #expect(page.queryValue(name)?.count == 43)
        }
    }

    @Test(arguments: [
        ("", nil), ("?", nil), ("?code=c", nil), ("?code=c&code=d&state=STATE", nil), ("?state=STATE", nil),
        ("?code=&state=STATE", nil), ("x?code=c&state=STATE", nil),
        ("?error=access_denied&iss=https%3A%2F%2Fevil.example&state=STATE", OAuthError.issuerMismatch),
    ]) func malformedCallbackIsRefused(query: String, error: OAuthError?) async throws {
        let (client, transport) = try oauth()
        let step = cannedStep {
            "myapp://callback" + query.replacingOccurrences(of: "STATE", with: $0.queryValue("state") ?? "")
        }
        let failure = await oauthError { try await client.signIn(using: step) }
        #expect(error == nil ? failure == .invalidCallback || failure == .stateMismatch : failure == error)
        #expect(transport.exchanges.isEmpty)
    }

    @Test func serverWithoutS256IsRefused() async throws {
        var server = try oauth().client.server
        server.codeChallengeMethods = ["plain"]
        let client = OAuthClient(server: server, clientID: "app", using: NetworkClient())
        #expect(await oauthError { try await client.signIn(using: cannedStep { _ in "" }) } == .unsupported(""))
    }

    @Test func plainHTTPIsRefused() async throws {
        let transport = StubTransport { _, _, _ in throw URLError(.badURL) }
        let server = OAuthClient.Server(
            authorizationEndpoint: URL(string: "http://auth.example/"),
            tokenEndpoint: try #require(URL(string: "http://auth.example/token")),
            revocationEndpoint: URL(string: "http://auth.example/revoke"))
        let client = OAuthClient(server: server, clientID: "app", using: NetworkClient(transport: transport))
        #expect(await oauthError { try await client.refresh("r") } == .insecureEndpoint)
        #expect(await oauthError { try await client.revoke("r") } == .insecureEndpoint)
        #expect(await oauthError { try await client.signIn(using: cannedStep { _ in "" }) } == .insecureEndpoint)
        #expect(await discoveryError("http://auth.example", transport) == .insecureEndpoint)
        #expect(transport.exchanges.isEmpty)
    }

    /// RFC 8414, section 3, and OpenID Connect Discovery.
    @Test(arguments: [
        ("https://a.example", "", "/.well-known/openid-configuration"),
        ("https://a.example/", "", "/.well-known/openid-configuration"),
        ("https://a.example/t/1", "/t/1", "/t/1/.well-known/openid-configuration"),
    ]) func discoveryAsksWellKnownURLs(issuer: String, suffix: String, second: String) async throws {
        let (_, transport) = try oauth(status: 404)
        _ = await discoveryError(issuer, transport)
        let expected = ["/.well-known/oauth-authorization-server" + suffix, second].map { "https://a.example" + $0 }
        #expect(transport.exchanges.map { $0.request.url?.absoluteString } == expected)
    }

    @Test(arguments: [
        (#"{"issuer":"https://auth.example","token_endpoint":"http://auth.example/token"}"#, nil),
        (#"{"issuer":"https://evil.example","token_endpoint":"https://auth.example/token"}"#, .issuerMismatch),
        (#"{"issuer":"https://auth.example/","token_endpoint":"https://auth.example/token"}"#, .issuerMismatch),
        (#"{"token_endpoint":"https://auth.example/token"}"#, nil), (#"{"issuer":"https://auth.example"}"#, nil),
        ("[]", nil), ("", OAuthError?.none),
    ]) func discoveryDocumentOfAnotherServerIsRefused(body: String, error: OAuthError?) async throws {
        let (_, transport) = try oauth(body)
        let thrown = await discoveryError("https://auth.example", transport)
        #expect(transport.exchanges.count == 1 && (error == nil || thrown == error))
    }

    @Test func issuerWithASlashIsAnotherIssuer() async throws {
        let (_, transport) = try oauth(
            #"{"issuer":"https://auth.example","token_endpoint":"https://auth.example/token"}"#)
        #expect(await discoveryError("https://auth.example/", transport) == .issuerMismatch)
    }

    @Test(arguments: [
        ("3600", TimeInterval(3600)), ("\"3600\"", 3600), ("3600.5", 3600.5), ("-5", 0), ("1e300", 315_360_000),
        ("\"soon\"", nil), ("null", nil),
    ]) func expiresInIsTheExpiration(text: String, seconds: TimeInterval?) async throws {
        let (client, _) = try oauth(#"{"access_token":"a","token_type":"bEaReR","expires_in":\#(text)}"#)
        let tokens = try await client.refresh("old")
        #expect((tokens.expiration, tokens.refreshToken) == (seconds.map { clock.now.addingTimeInterval($0) }, "old"))
    }

    @Test(arguments: [
        (200, "", "malformed_response"), (200, "{}", "malformed_response"),
        (200, #"{"access_token":"","token_type":"bearer"}"#, "malformed_response"),
        (200, #"{"access_token":1,"token_type":"bearer"}"#, "malformed_response"),
        (200, #"{"access_token":"a","token_type":"mac"}"#, "unsupported"),
        (200, #"{"access_token":"a","token_type":"bearer","id_token":"x.y"}"#, "invalid_id_token"),
        (400, #"{"error":"invalid_grant"}"#, "invalid_grant"), (401, #"{"error":"invalid_client"}"#, "invalid_client"),
        (400, "<html>", "network"), (500, #"{"error":"invalid_grant"}"#, "network"), (302, "", "endpoint_redirected"),
    ]) func tokenResponseErrors(status: Int, body: String, code: String) async throws {
        let (client, _) = try oauth(status: status, body)
        let failure = await oauthError { try await client.refresh("r") }
        #expect((failure?.code, failure?.endsSession) == (code, code == "invalid_grant"))
    }

    @Test func oversizedTokenResponseIsRefused() async throws {
        let (client, _) = try oauth(String(repeating: "\0", count: 2 << 20))
        #expect(await oauthError { try await client.refresh("r") }?.code == "network")
    }

    @Test func tokenRequestIsNotRetried() async throws {
        let (_, busy) = try oauth(status: 503)
        let retrying = NetworkClient(retryPolicy: RetryPolicy(maxRetries: 3, delay: .immediate), transport: busy)
        _ = await oauthError { try await self.client(using: retrying).refresh("r") }
        #expect(busy.exchanges.count == 1)
    }

    /// The status at which a client turns POST into GET: the other server's answer would be taken for the tokens.
    /// A transport that follows redirects by itself shows that in the URL of its response, which has the status 200.
    @Test(arguments: [200, 301, 302, 303, 307, 308]) func redirectedTokenResponseIsRefused(status: Int) async throws {
        let tokens =
            #"{"access_token":"evil","token_type":"bearer","device_code":"d","user_code":"u","#
            + #""verification_uri":"https://evil.example/"}"#
        let transport = StubTransport { request, _, _ in
            TransportResponse(
                status: request.url?.host == "auth.example" ? status : 200,
                headers: ["Location": "https://evil.example/token"],
                url: status == 200 ? URL(string: "https://evil.example/token") : request.url, body: HTTPBody(tokens))
        }
        let expected = OAuthError.endpointRedirected(statusCode: status)
        for authentication: OAuthClient.Authentication in [.basic(secret: "s"), .post(secret: "s")] {
            let client = try self.client(using: NetworkClient(transport: transport), authentication: authentication)
            #expect(await oauthError { try await client.refresh("r") } == expected)
            #expect(await oauthError { try await client.clientCredentials() } == expected)
            #expect(await oauthError { try await client.deviceAuthorization() } == expected)
            #expect(await oauthError { try await client.revoke("r") } == expected)
        }
        #expect(transport.exchanges.map { $0.request.url?.host } == Array(repeating: "auth.example", count: 8))
        #expect(expected.description.contains("Give OAuthClient.Server the endpoint's final URL"))
    }

    @Test func tokenRequestHasNoCredentialsOfTheClient() async throws {
        let (_, transport) = try oauth(#"{"access_token":"a","token_type":"bearer"}"#)
        let http = NetworkClient(interceptors: [AuthInterceptor.bearer("own")], transport: transport)
        _ = try await client(using: http).refresh("r")
        #expect(transport.exchanges.map { $0.request.value(forHTTPHeaderField: "Authorization") } == [nil])
    }

    @Test(
        "A callback belongs to its redirect URI exactly",
        arguments: [
            ("https://app.example/cb", "https://app.example/cb", true),
            ("https://app.example/cb", "HTTPS://APP.example:443/cb", true),
            ("https://app.example:443/cb", "https://app.example/cb", true),
            ("https://app.example", "https://app.example/", true), ("myapp:/cb", "MYAPP:/cb", true),
            ("https://app.example/cb?app=1", "https://app.example/cb?app=1", true),
            ("https://app.example/a%2Fb", "https://app.example/a%2Fb", true),
            ("https://app.example/cb", "https://app.example/cb/", false),
            ("https://app.example/cb/", "https://app.example/cb", false),
            ("https://app.example/cb", "https://app.example/CB", false),
            ("https://app.example/cb", "https://app.example/%63b", false),
            ("https://app.example/a%2Fb", "https://app.example/a/b", false),
            ("https://app.example/cb", "https://app.example:8443/cb", false),
            ("https://app.example/cb", "http://app.example:443/cb", false),
            ("https://app.example/cb", "https://ada@app.example/cb", false),
            ("https://app.example/cb?app=1", "https://app.example/cb", false),
            ("https://app.example/cb?app=1", "https://app.example/cb?app=2", false),
            ("myapp:/cb", "myapp://host/cb", false), ("myapp://cb", "otherapp://cb", false),
        ]) func callbacksMatchTheirRedirectURI(redirectURI: String, callback: String, isAnswer: Bool) throws
    {
        let attempt = try SignInAttempt(client: try oauth().client, additionalParameters: [:])
        let page = try attempt.authorizationURL(try #require(URL(string: redirectURI)))
        let query = "code=c&state=\(page.queryValue("state") ?? "")"
        let url = try #require(URL(string: callback + (callback.contains("?") ? "&" : "?") + query))
        if isAnswer {
            #expect(try attempt.code(in: url) == "c")
        } else {
            #expect(throws: OAuthError.invalidCallback) { try attempt.code(in: url) }
        }
    }

    private func idToken(_ change: [String: JSONValue] = [:]) throws -> String {
        let claims: [String: JSONValue] = [
            "iss": "https://auth.example", "sub": "ada", "aud": "app", "nonce": "n",
            "exp": .number(clock.now.timeIntervalSince1970 + 60),
        ]
        let body = try JSONEncoder().encode(JSONValue.object(claims.merging(change) { $1 }))
        return "e30.\(body.base64URL).c2ln"
    }

    @Test func idTokenWithValidClaimsIsAccepted() throws {
        for audience in ["app", ["x", "app"]] as [JSONValue] {
            let token = try IDToken(try idToken(["aud": audience]))
            try token.check(issuer: "https://auth.example", audience: "app", nonce: "n", now: clock.now)
            #expect(token.subject == "ada")
        }
    }

    @Test(
        arguments: [
            ["iss": "https://evil.example"], ["aud": "other"], ["aud": []], ["aud": ["app"], "azp": "other"],
            ["nonce": "m"], ["nonce": .null], ["exp": 1_600_000_000],
        ] as [[String: JSONValue]])
    func idTokenWithWrongClaimsIsRefused(change: [String: JSONValue]) throws {
        let token = try IDToken(try idToken(change))
        #expect(throws: OAuthError.self) {
            try token.check(issuer: "https://auth.example", audience: "app", nonce: "n", now: clock.now)
        }
    }

    @Test(arguments: ["", "a", "a.b", "a.b.c", "a.e30.c", "..", "a.b.c.d", "a.\u{0}.c"])
    func malformedIDTokenIsAnError(text: String) { #expect(throws: OAuthError.self) { try IDToken(text) } }
}
