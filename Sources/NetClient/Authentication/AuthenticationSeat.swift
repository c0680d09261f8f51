package import NetCore

/// Where a client authenticates: with the provider that a request brought along, else with the client's own, if it has one.
package struct AuthenticationSeat: HTTPInterceptor {
    private let own: AuthInterceptor?

    /// - Parameter own: the client's; nil if only requests bring any.
    package init(_ own: AuthInterceptor? = nil) {
        self.own = own
    }

    package init(provider: any AuthenticationProvider) {
        self.init(provider is NoAuthProvider ? nil : AuthInterceptor(provider: provider))
    }

    package func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard let provider = next.context[AuthenticationProviderKey.self] else {
            guard let own else { return try await next(request) }
            return try await own.intercept(request, next: next)
        }
        if provider is NoAuthProvider { return try await next(request) }
        let authenticator = AuthenticatorRegistry.shared.authenticator(of: provider)
        return try await authenticator.send(request, next: next, rules: CredentialRules())
    }
}
