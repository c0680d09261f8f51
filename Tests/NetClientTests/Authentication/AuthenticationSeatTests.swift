import NetTesting
import Testing

@testable import NetClient

/// The client's own place for a provider, and providers that requests bring along.
@Suite struct AuthenticationSeatTests {
    private func send(
        _ seat: some HTTPInterceptor, _ server: TokenServer = TokenServer(accepting: "Bearer 0"),
        context: RequestContext = RequestContext()
    ) async throws -> (status: Int, sent: String?) {
        let sent = Locked<String?>(nil)
        let next = Next(context: context) { request, _, _ in
            sent.withLock { $0 = request.value(forHTTPHeaderField: "Authorization") }
            return server.answer(request)
        }
        let status = try await seat.intercept(request(), next: next).status
        return (status, sent.withLock { $0 })
    }

    @Test func clientsProviderUnlessTheRequestBringsOne() async throws {
        let seat = AuthenticationSeat(.bearer("client"))
        #expect(try await send(seat).sent == "Bearer client")
        #expect(try await send(seat, context: .with(NumberedTokens())).sent == "Bearer 0")
        #expect(try await send(seat, context: .with(.none)).sent == nil)
        #expect(try await send(seat, context: .with(NoAuthProvider())).sent == nil)
        #expect(try await send(AuthenticationSeat()).sent == nil)
        #expect(try await send(AuthenticationSeat(), context: .with(NumberedTokens())).sent == "Bearer 0")
        #expect(try await send(AuthenticationSeat(provider: .none)).sent == nil)
    }

    @Test func interceptorInAListLeavesSuchRequestsAlone() async throws {
        #expect(try await send(AuthInterceptor.bearer("list"), context: .with(.none)).sent == nil)
        #expect(try await send(AuthInterceptor.bearer("list"), context: .with(NumberedTokens())).sent == nil)
    }

    @Test func requestsOwnProviderIsRefreshed() async throws {
        let tokens = NumberedTokens()
        let (status, sent) = try await send(AuthenticationSeat(), TokenServer(), context: .with(tokens))
        #expect(status == 200 && sent == "Bearer 1" && tokens.refreshes == 1)
    }

    @Test func providerWithAnIdentitySharesItsRefreshes() async throws {
        let gate = Gate(opensAt: 300)
        let tokens = NumberedTokens()
        let server = TokenServer()
        let transport = StubTransport { request, _, _ in
            await gate.pass()
            return server.answer(request)
        }
        let (one, two) = (AuthInterceptor(provider: tokens), AuthInterceptor(provider: tokens))
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<300 {
                group.addTask {
                    let context = index % 3 == 0 ? RequestContext.with(tokens) : RequestContext()
                    let next = Next(context: context) { try await transport.send($0, body: $1, context: $2) }
                    let seat = index % 3 == 0 ? AuthenticationSeat() : AuthenticationSeat(index % 3 == 1 ? one : two)
                    return try await seat.intercept(request(), next: next).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.allSatisfy { $0 == 200 } && tokens.refreshes == 1)
    }

    @Test func structureIsRefreshedByEachRequest() async throws {
        struct Wrapper: AuthenticationProvider {
            let tokens: NumberedTokens
            func authenticate(_ request: inout URLRequest) async throws { try await tokens.authenticate(&request) }
            func reauthenticate() async throws { try await tokens.reauthenticate() }
        }
        let wrapper = Wrapper(tokens: NumberedTokens())
        let registry = AuthenticatorRegistry()
        #expect(registry.authenticator(of: wrapper) !== registry.authenticator(of: wrapper))
        #expect(registry.count == 0)
        #expect(try await send(AuthenticationSeat(), TokenServer(), context: .with(wrapper)).status == 200)
    }

    @Test func nothingIsKeptOfProvidersThatAreGone() async throws {
        weak var gone: NumberedTokens?
        do {
            let tokens = NumberedTokens()
            gone = tokens
            for _ in 0..<3 { _ = try await send(AuthenticationSeat(), TokenServer(), context: .with(tokens)) }
            #expect(tokens.refreshes == 1)
        }
        #expect(gone == nil)
    }

    @Test func registryFindsTheSameAndForgets() async throws {
        let before = AuthenticatorRegistry.shared.count
        let tokens = NumberedTokens()
        var first: Authenticator? = AuthenticatorRegistry.shared.authenticator(of: tokens)
        #expect(first === AuthenticatorRegistry.shared.authenticator(of: tokens as any AuthenticationProvider))
        let identity = first.map(ObjectIdentifier.init)
        first = nil
        let second = AuthenticatorRegistry.shared.authenticator(of: tokens)
        #expect(second.provider as AnyObject === tokens && identity != nil)
        // Other tests run at the same time: that it grows without end is what must not be.
        for _ in 0..<1_000 { _ = AuthenticatorRegistry.shared.authenticator(of: NumberedTokens()) }
        #expect(AuthenticatorRegistry.shared.count < before + 500)
    }

    @Test func actorsAreKnownByTheirIdentity() async throws {
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
