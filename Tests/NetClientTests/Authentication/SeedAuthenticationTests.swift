import NetClient
import NetTesting
import Testing

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

    /// Seed 001, Authentication.
    @Test func seed001() async throws {
        final class BearerTokenProvider: AuthenticationProvider {
            private let token = Locked("0")
            func authenticate(_ request: inout URLRequest) async throws {
                request.setValue("Bearer \(token.withLock { $0 })", forHTTPHeaderField: "Authorization")
            }
            func reauthenticate() async throws { token.withLock { $0 = "1" } }
        }
        #expect(try await counts(AuthInterceptor(provider: BearerTokenProvider())) == [3, 1])
        let providers: [any AuthenticationProvider] = [.none, NoAuthProvider()]
        for provider in providers { #expect(try await counts(AuthInterceptor(provider: provider)) == [2, 2]) }
    }

    /// Seed 002, Bearer Token: the token of `refreshToken()` is sent, even if `validToken()` does not return it.
    @Test func seed002() async throws {
        actor Forgetful: TokenProvider {
            var refreshes = 0
            func validToken() async throws -> String { "0" }
            func refreshToken() async throws -> String {
                refreshes += 1
                return "\(refreshes)"
            }
        }
        let tokens = Forgetful()
        let server = TokenServer()
        let auth = AuthInterceptor(tokenProvider: tokens)
        #expect(try await counts(auth, server) == [3, 1])
        server.state.withLock { $0.accepted = "Bearer 2" }
        #expect(try await counts(auth, server) == [3, 2])
        #expect(await tokens.refreshes == 2)
    }

    /// A token that the provider has renewed by itself wins over that of an earlier refresh.
    @Test func changedValidTokenWinsOverARefreshedOne() async throws {
        final class Tokens: TokenProvider {
            let valid = Locked("0")
            func validToken() async throws -> String { valid.withLock { $0 } }
            func refreshToken() async throws -> String { "1" }
        }
        let tokens = Tokens()
        let server = TokenServer()
        let auth = AuthInterceptor(tokenProvider: tokens)
        #expect(try await counts(auth, server) == [3, 1])
        server.state.withLock { $0.accepted = "Bearer 5" }
        tokens.valid.withLock { $0 = "5" }
        #expect(try await counts(auth, server) == [2, 1])
    }
}
