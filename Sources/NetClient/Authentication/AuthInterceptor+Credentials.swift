// A source of credentials, for preparation and the retry engine.
extension AuthInterceptor {
    var provider: any AuthenticationProvider { authenticator.provider }
    /// The stable name of the owner of the credentials; nil if it is unknown.
    var ownerName: String? { partition?() ?? provider.partition }
    var id: ObjectIdentifier { ObjectIdentifier(authenticator) }

    var generation: UInt64 { authenticator.generation }

    /// Whether a request gets credentials of this interceptor. A request of its own refresh does not.
    ///
    /// - Throws: an error that describes the problem, if they must not go over plain HTTP.
    func covers(_ request: URLRequest, _ context: RequestContext) throws -> Bool {
        guard scope.permits(request.url, from: context.origin), request.url.map(provider.covers) ?? true,
            !authenticator.isRefreshing
        else { return false }
        if requiresTLS, let url = request.url, url.scheme?.lowercased() != "https", !url.isLoopback {
            throw RequestBuildingError(
                "These credentials must go over https (requiresTLS). Use an https URL for \(url.host ?? "this host").")
        }
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
        authenticator.tokens == nil && (provider as? ClosureCredentials)?.field != "Authorization"
    }

    /// Waits for a refresh in flight, and refreshes expired credentials, before a request is sent.
    ///
    /// - Parameter prepared: the request with the credentials of its preparation.
    /// - Returns: whether these credentials are still valid.
    func freshen(_ prepared: PreparedRequest, generation: UInt64?, _ context: RequestContext) async throws -> Bool {
        guard try covers(prepared.request, context) else { return true }
        let now = try await authenticator.freshen(prepared.request, context, refreshTimeout)
        guard let tokens = authenticator.tokens else { return now == generation }
        return try await tokens.fetch(for: prepared.request) && now == generation
    }

    var canRenew: Bool { authenticator.canReauthenticate }

    func renew(after generation: UInt64, _ refusal: TransportResponse, _ request: URLRequest, _ context: RequestContext)
        async throws
    {
        _ = try await authenticator.renew(after: generation, request, refusal: refusal, context, refreshTimeout)
    }
}

/// The sources of a call with a provider of its own: one source for the whole call, so that it counts refreshes.
enum CallCredentialsKey: RequestContextKey {
    static let defaultValue: [AuthInterceptor]? = nil
}

extension RequestContext {
    mutating func resolveCredentials() {
        guard let provider = self[AuthenticationProviderKey.self] else { return }
        self[CallCredentialsKey.self] = provider is NoAuthProvider ? [] : [AuthInterceptor(provider: provider)]
    }
}
