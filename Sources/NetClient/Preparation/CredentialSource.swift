import NetCore

/// One source of credentials of a client: a provider, and where its credentials may go.
struct CredentialSource: Sendable {
    private let authenticator: Authenticator
    private let rules: CredentialRules

    init(_ interceptor: AuthInterceptor) {
        authenticator = interceptor.authenticator
        rules = interceptor.rules
    }

    var provider: any AuthenticationProvider { authenticator.provider }
    /// The stable name of the owner of the credentials; nil if that is not known.
    var ownerName: String? { rules.partition?() ?? provider.partition }
    var id: ObjectIdentifier { ObjectIdentifier(authenticator) }

    /// How many refreshes had ended when the credentials were read.
    var generation: UInt64 { authenticator.generation }

    /// Whether a request gets credentials of this source. One that is made by its own refresh does not.
    ///
    /// - Throws: where they would go over plain HTTP and must not.
    func covers(_ request: URLRequest, _ context: RequestContext) throws -> Bool {
        guard rules.permits(request, from: context.origin), request.url.map(provider.covers) ?? true,
            !authenticator.isRefreshing
        else { return false }
        try rules.requireTLS(for: request)
        return true
    }

    /// Puts the credentials at hand into a request.
    ///
    /// - Returns: false if there are none yet.
    func apply(to request: inout URLRequest, isSending: Bool) async throws -> Bool {
        guard let tokens = provider as? TokenCredentials else {
            try await provider.authenticate(&request)
            return true
        }
        return try await tokens.apply(to: &request, isSending: isSending)
    }

    /// Gets ready for a request that is really sent: waits for a refresh that is under way, and refreshes what has expired.
    ///
    /// - Parameter prepared: the request with the credentials that were at hand.
    /// - Returns: whether the credentials of the prepared request are still good.
    func freshen(_ prepared: PreparedRequest, generation: UInt64?, _ context: RequestContext) async throws -> Bool {
        guard try covers(prepared.request, context) else { return true }
        let now = try await authenticator.freshen(prepared.request, context, rules)
        guard let tokens = provider as? TokenCredentials else { return now == generation }
        return try await tokens.fetch(for: prepared.request) && now == generation
    }

    /// Whether a refusal of this status can be answered with other credentials.
    var canRenew: Bool { authenticator.canReauthenticate }

    /// Returns when there are newer credentials than those of the generation.
    func renew(after generation: UInt64, _ refusal: TransportResponse, _ request: URLRequest, _ context: RequestContext)
        async throws
    {
        _ = try await authenticator.renew(after: generation, request, refusal: refusal, context, rules)
    }
}
