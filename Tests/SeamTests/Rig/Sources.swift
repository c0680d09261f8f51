import Networking

/// Puts a source of credentials into the configuration of a client.
struct SourceRig: Sendable {
    let seam: SeamCase
    let vault: TokenVault
    let servers: SeamServers
    /// Whose client it is; nil for one at which users change places.
    let owner: SeamUser?

    private var user: @Sendable () -> SeamUser? { { [owner] in owner ?? Seat.user } }
    private var token: @Sendable () -> String? { { [vault, user] in user().map(vault.token) } }
    private var renew: @Sendable () -> Void { { [vault, user] in if let user = user() { vault.renew(user) } } }

    /// The token of the client's owner, for what cannot change.
    private var fixedToken: String { owner.map(vault.token) ?? "" }

    func apply(to configuration: inout NetworkClient.Configuration) {
        let (token, renew, user) = (token, renew, user)
        let tokens = Tokens(token: token, renew: renew)
        func add(_ interceptor: any HTTPInterceptor) { configuration.interceptors.append(interceptor) }
        switch seam.source {
        case .none, .callProvider, .callersAuthorization, .callersCookie, .storedCookie, .sessionCookie: break
        case .bearer: add(AuthInterceptor(tokenProvider: { token() }, onUnauthorized: { renew() }))
        case .bearerWithPartition:
            let partition: @Sendable () -> String? = { user()?.rawValue }
            add(AuthInterceptor(tokenProvider: { token() }, onUnauthorized: { renew() }, partition: partition))
        case .tokenProvider:
            let provider: any TokenProvider = owner == nil ? SwitchingTokens(tokens) : PlainTokens(tokens)
            add(AuthInterceptor(tokenProvider: provider))
        case .provider: configuration.authenticationProvider = SeamProvider(tokens)
        case .session: configuration.authenticationProvider = sessionAuthenticator()
        case .keyInHeader:
            let key = AuthInterceptor(headerName: "X-API-Key", tokenPrefix: nil, tokenProvider: { token() })
            add(owner == nil ? key : .apiKey(fixedToken))
        case .keyInQuery: add(AuthInterceptor.apiKey(fixedToken, queryItem: "key"))
        case .adaptHook: add(SessionHook(token: token, renew: renew))
        case .interceptHook: add(TokenHook(token: token))
        case .middleware: add(tenant)
        case .middlewareWithPartition:
            add(tenant)
            configuration.partition = { user()?.rawValue }
        case .middlewareWithOwner: add(OwnedTenant(base: tenant, user: user))
        case .callMiddleware:
            configuration.callInterceptors.append(FieldMiddleware(field: "X-Call-Token", value: token))
        case .additionalHeaders:
            configuration.transportConfiguration.additionalHeaders.add(name: "X-Amz-Security-Token", value: fixedToken)
        case .environment:
            if let url = URL(string: servers.url("A")) {
                configuration.environment = LabEnvironment(baseURL: url, defaultHeaders: ["X-API-Key": fixedToken])
            }
        case .basicChallenge: add(ChallengeInterceptor(username: fixedToken, password: "pass", hosts: ["127.0.0.1"]))
        case .digestChallenge:
            add(ChallengeInterceptor(username: fixedToken, password: "pass", hosts: ["127.0.0.1"], schemes: [.digest]))
        case .messageSigner:
            let signer = HTTPMessageSigner(key: .hmacSHA256(Data("secret".utf8)), keyID: fixedToken)
            add(SigningInterceptor(signer, hosts: ["127.0.0.1"]))
        case .awsSigner:
            let signer = AWSSignatureV4Signer(
                accessKeyID: fixedToken, secretAccessKey: "secret", region: "eu-west-1", service: "execute-api")
            add(SigningInterceptor(signer, hosts: ["127.0.0.1"]))
        case .unixSocket:
            if let owner { configuration.transportConfiguration.unixSocketPath = servers.socketPath(of: owner) }
        }
    }

    private var tenant: Tenant { Tenant(token: token, origin: servers.url("A")) }

    private func sessionAuthenticator() -> any AuthenticationProvider {
        guard let owner else { return NoAuthProvider() }
        let sessions = InMemorySessionProvider()
        sessions.setSession(Session(userID: owner.rawValue, accessToken: fixedToken, refreshToken: "refresh"))
        return SessionAuthenticator(userID: owner.rawValue, sessions: sessions, hosts: ["127.0.0.1"]) { [vault] in
            vault.renew(owner)
            var session = $0
            session.accessToken = vault.token(of: owner)
            return session
        }
    }

    static func callProvider(of user: SeamUser, _ vault: TokenVault) -> any AuthenticationProvider {
        SeamProvider(Tokens(token: { vault.token(of: user) }, renew: { vault.renew(user) }))
    }
}

private struct Tokens: Sendable {
    let token: @Sendable () -> String?
    let renew: @Sendable () -> Void
    func renewed() -> String {
        renew()
        return token() ?? ""
    }
}

private actor SeamProvider: AuthenticationProvider {
    let tokens: Tokens
    init(_ tokens: Tokens) { self.tokens = tokens }
    func authenticate(_ request: inout URLRequest) async throws {
        if let token = tokens.token() { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    }
    func reauthenticate() async throws { tokens.renew() }
}

/// Says nothing of the token at hand: the client remembers the last one.
private final class PlainTokens: TokenProvider {
    let tokens: Tokens
    init(_ tokens: Tokens) { self.tokens = tokens }
    func validToken() async throws -> String { tokens.token() ?? "" }
    func refreshToken() async throws -> String { tokens.renewed() }
}

/// One whose user changes has to say whose token is at hand.
private final class SwitchingTokens: TokenProvider {
    let tokens: Tokens
    init(_ tokens: Tokens) { self.tokens = tokens }
    func currentToken() async -> String? { tokens.token() }
    func validToken() async throws -> String { tokens.token() ?? "" }
    func refreshToken() async throws -> String { tokens.renewed() }
}

private struct SessionHook: RequestInterceptor {
    let token: @Sendable () -> String?
    let renew: @Sendable () -> Void
    func adapt(_ request: URLRequest) async throws -> URLRequest { request.setting("X-Session", token()) }
    func retry(_ request: URLRequest, dueTo error: NetworkError, currentRetryCount: Int) async throws -> RetryResult {
        guard error.statusCode == 401, token()?.hasSuffix(".t0") == true else { return .doNotRetry }
        renew()
        return .retry
    }
}

private struct TokenHook: Interceptor {
    let token: @Sendable () -> String?
    func intercept(request: URLRequest) async throws -> URLRequest { request.setting("Token", token()) }
}

/// Middleware that keeps its token to one origin.
private struct Tenant: HTTPInterceptor {
    let token: @Sendable () -> String?
    let origin: String
    func isHome(_ url: URL?) -> Bool { url?.absoluteString.hasPrefix(origin + "/") == true }
    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await next(isHome(request.url) ? request.setting("X-Tenant", token()) : request)
    }
}

private struct OwnedTenant: HTTPInterceptor, CredentialOwner {
    let base: Tenant
    let user: @Sendable () -> SeamUser?
    func owner(for url: URL) -> String? { base.isHome(url) ? user()?.rawValue : nil }
    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await base.intercept(request, next: next)
    }
}

/// Adds the language that is spoken at the seat.
struct LanguageHook: RequestInterceptor {
    func adapt(_ request: URLRequest) async throws -> URLRequest { request.setting("Accept-Language", Seat.language) }
}
