// A source of credentials, for preparation and the retry engine.
extension AuthInterceptor {
    var provider: any AuthenticationProvider { authenticator.provider }
    /// The stable name of the owner of the credentials; nil if it is unknown.
    var ownerName: String? { rules.partition?() ?? provider.partition }
    var id: ObjectIdentifier { ObjectIdentifier(authenticator) }

    /// The number of refreshes that have ended.
    var generation: UInt64 { authenticator.generation }

    /// Whether a request gets credentials of this interceptor. A request of its own refresh does not.
    ///
    /// - Throws: an error that describes the problem, if they must not go over plain HTTP.
    func covers(_ request: URLRequest, _ context: RequestContext) throws -> Bool {
        guard rules.permits(request, from: context.origin), request.url.map(provider.covers) ?? true,
            !authenticator.isRefreshing
        else { return false }
        try rules.requireTLS(for: request)
        return true
    }

    /// Adds the current credentials to a request.
    ///
    /// - Returns: false if there are none yet.
    func apply(to request: inout URLRequest, isSending: Bool) async throws -> Bool {
        guard let tokens = authenticator.tokens else {
            try await provider.authenticate(&request)
            return true
        }
        return try await tokens.apply(to: &request, isSending: isSending)
    }

    /// Whether the credentials may be in other fields than `Authorization`.
    var mayAddAnyField: Bool {
        authenticator.tokens == nil && (provider as? HeaderCredentials)?.name != "Authorization"
    }

    /// Waits for a refresh in flight, and refreshes expired credentials, before a request is sent.
    ///
    /// - Parameter prepared: the request with the credentials of its preparation.
    /// - Returns: whether these credentials are still valid.
    func freshen(_ prepared: PreparedRequest, generation: UInt64?, _ context: RequestContext) async throws -> Bool {
        guard try covers(prepared.request, context) else { return true }
        let now = try await authenticator.freshen(prepared.request, context, rules)
        guard let tokens = authenticator.tokens else { return now == generation }
        return try await tokens.fetch(for: prepared.request) && now == generation
    }

    /// Whether a refused request can get new credentials.
    var canRenew: Bool { authenticator.canReauthenticate }

    /// Returns when there are newer credentials than those of the generation.
    func renew(after generation: UInt64, _ refusal: TransportResponse, _ request: URLRequest, _ context: RequestContext)
        async throws
    {
        _ = try await authenticator.renew(after: generation, request, refusal: refusal, context, rules)
    }
}

/// The destinations and the owner of credentials.
struct CredentialRules: Sendable {
    var additionalHosts: Set<String> = [] { didSet { scope = CredentialScope(hosts: additionalHosts) } }
    var requiresTLS = false
    var refreshTimeout: TimeInterval?
    /// Returns the name of the owner, in place of the provider's; nil to ask the provider.
    var partition: (@Sendable () -> String?)?
    private var scope = CredentialScope()

    /// In seconds. Prevents a deadlock of a refresh with a request that waits for it. In real time, since a test's clock that moves by
    /// itself would end every refresh at once.
    static let defaultRefreshTimeout: TimeInterval = 60

    /// Whether the request may get credentials: at the origin of its call, and at ``additionalHosts``.
    func permits(_ request: URLRequest, from start: URL?) -> Bool {
        scope.permits(request.url, from: start)
    }

    /// - Throws: an error that describes the problem, if the credentials must not go over plain HTTP.
    func requireTLS(for request: URLRequest) throws {
        guard requiresTLS, let url = request.url, url.scheme?.lowercased() != "https", !url.isLoopback else { return }
        throw RequestBuildingError(
            "These credentials must go over https (requiresTLS). Use an https URL for \(url.host ?? "this host").")
    }
}
