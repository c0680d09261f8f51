/// What a client knows of its own credentials before a call: whose they are, and for whom.
struct ClientCredentials: Sendable {
    /// Nil if the client has none that it knows of.
    let provider: (any AuthenticationProvider)?

    /// Names their owner in the context, and takes them from a request that goes to another origin than the client's environment:
    /// a whole URL may lead anywhere.
    func apply(to context: inout RequestContext, request: URLRequest, environment: (any NetworkEnvironment)?) {
        if let own = context[AuthenticationProviderKey.self] {
            context.partition = context.partition ?? own.partition
            return
        }
        guard let provider else { return }
        if let base = environment?.baseURL.origin, context.origin?.origin != base {
            context[AuthenticationProviderKey.self] = NoAuthProvider()
        } else {
            context.partition = context.partition ?? provider.partition
        }
    }
}

extension AuthenticationProvider {
    /// Itself, or what ``NetworkManager`` has where that was meant and may be used.
    func resolved(isConfigured: Bool) -> any AuthenticationProvider {
        guard self is ConfiguredAuthenticationProvider else { return self }
        return isConfigured ? NetworkManager.configuration.authProvider : NoAuthProvider()
    }
}
