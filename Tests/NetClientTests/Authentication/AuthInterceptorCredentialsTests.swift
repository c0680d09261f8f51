@testable import NetClient

/// The client's provider, the request's provider, and interceptors without a client.
@Suite struct AuthInterceptorCredentialsTests {
    private func send(
        _ auth: AuthInterceptor? = nil, provider: any AuthenticationProvider = .none,
        _ server: TokenServer = TokenServer(accepting: "Bearer 0"), context: RequestContext = RequestContext()
    ) async throws -> (status: Int, sent: String?) {
        let transport = server.transport
        let client = NetworkClient(
            interceptors: auth.map { [$0] } ?? [], transport: transport, authenticationProvider: provider)
        let status = try await client.response(for: request(), context: context).status
        return (status, transport.exchanges.last?.request.value(forHTTPHeaderField: "Authorization"))
    }

    @Test func providerOfTheRequestWinsOverTheClientsAndAnInterceptor() async throws {
        let client = AuthInterceptor.bearer("client").authenticator.provider
        #expect(try await send(provider: client).sent == "Bearer client")
        #expect(try await send(provider: client, context: .with(NumberedTokens())).sent == "Bearer 0")
        #expect(try await send(provider: client, context: .with(.none)).sent == nil)
        #expect(try await send(provider: client, context: .with(NoAuthProvider())).sent == nil)
        #expect(try await send().sent == nil)
        #expect(try await send(context: .with(NumberedTokens())).sent == "Bearer 0")
        #expect(try await send(.bearer("list"), context: .with(.none)).sent == nil)
        #expect(try await send(.bearer("list"), context: .with(NumberedTokens())).sent == "Bearer 0")
    }

    @Test func interceptorWithoutAClientRefreshes() async throws {
        let (tokens, transport) = (NumberedTokens(), TokenServer().transport)
        let next = Next { try await transport.send($0, body: $1, context: $2) }
        let response = try await AuthInterceptor(provider: tokens).intercept(request(), next: next)
        #expect(response.status == 200 && tokens.refreshes == 1)
        #expect(transport.sent("Authorization") == ["Bearer 0", "Bearer 1"])
        #expect(response.retryTrace.retries.map(\.reason) == [.reauthentication])
    }

    @Test func refreshesOfOneProviderAreSharedByClientsAndRequests() async throws {
        let gate = Gate(opensAt: 300)
        let (tokens, server) = (NumberedTokens(), TokenServer())
        let transport = server.transport { await gate.pass() }
        let clients = [
            NetworkClient(transport: transport),
            NetworkClient(interceptors: [AuthInterceptor(provider: tokens)], transport: transport),
            NetworkClient(transport: transport, authenticationProvider: tokens),
        ]
        let statuses = try await atOnce(300) { index in
            let context = index % 3 == 0 ? RequestContext.with(tokens) : RequestContext()
            return try await clients[index % 3].response(for: request(), context: context).status
        }
        #expect(statuses.allSatisfy { $0 == 200 } && tokens.refreshes == 1)
        #expect((server.refusals, transport.exchanges.count) == (300, 600))
    }

    @Test func providerThatIsAStructIsRefreshedByEachRequest() async throws {
        struct Wrapper: AuthenticationProvider {
            let tokens: NumberedTokens
            func authenticate(_ request: inout URLRequest) async throws { try await tokens.authenticate(&request) }
            func reauthenticate() async throws { try await tokens.reauthenticate() }
        }
        let wrapper = Wrapper(tokens: NumberedTokens())
        let registry = AuthenticatorRegistry()
        #expect(registry.authenticator(of: wrapper) !== registry.authenticator(of: wrapper) && registry.count == 0)
        #expect(try await send(nil, TokenServer(), context: .with(wrapper)).status == 200)
    }

    @Test func providerOfTheRequestIsRefreshedAndReleased() async throws {
        weak var gone: NumberedTokens?
        do {
            let tokens = NumberedTokens()
            gone = tokens
            for _ in 0..<3 {
                let (status, sent) = try await send(nil, TokenServer(), context: .with(tokens))
                #expect(status == 200 && sent == "Bearer 1" && tokens.refreshes == 1)
            }
        }
        #expect(gone == nil)
    }

    @Test func registryReturnsTheSameAuthenticatorAndForgets() async throws {
        let before = AuthenticatorRegistry.shared.count
        let tokens = NumberedTokens()
        var first: Authenticator? = AuthenticatorRegistry.shared.authenticator(of: tokens)
        #expect(first === AuthenticatorRegistry.shared.authenticator(of: tokens as any AuthenticationProvider))
        first = nil
        #expect(AuthenticatorRegistry.shared.authenticator(of: tokens).provider as AnyObject === tokens)
        // Other tests run at the same time, so the number varies. It must not grow without a limit.
        for _ in 0..<1_000 { _ = AuthenticatorRegistry.shared.authenticator(of: NumberedTokens()) }
        #expect(AuthenticatorRegistry.shared.count < before + 500)
    }

    @Test func actorsHaveOneAuthenticator() async throws {
        actor Tokens: TokenProvider, AuthenticationProvider {
            func validToken() async throws -> String { "0" }
            func refreshToken() async throws -> String { "1" }
            func authenticate(_ request: inout URLRequest) async throws {}
            func reauthenticate() async throws {}
        }
        let tokens = Tokens()
        let asTokens = AuthInterceptor(tokenProvider: tokens).authenticator
        #expect(asTokens === AuthInterceptor(tokenProvider: tokens).authenticator)
        let asProvider = AuthInterceptor(provider: tokens).authenticator
        #expect(asProvider === AuthInterceptor(provider: tokens).authenticator && asProvider !== asTokens)
    }
}
