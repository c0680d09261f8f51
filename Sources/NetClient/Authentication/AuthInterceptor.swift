/// Adds credentials to requests, and refreshes them once when a server refuses them.
///
/// ```swift
/// let auth = AuthInterceptor(
///     tokenProvider: { await TokenManager.shared.accessToken },
///     onUnauthorized: { try await TokenManager.shared.refreshToken() }
/// )
/// let client = NetworkClient(interceptors: [auth])
/// ```
///
/// **One refresh.** Requests that were refused with the same credentials share one call of `onUnauthorized` (or
/// ``AuthenticationProvider/reauthenticate()``, ``TokenProvider/refreshToken()``). Requests that start meanwhile wait for it too. Then each
/// request is sent once more, whatever its method. The caller gets a second refusal. A late refusal of credentials that were replaced
/// meanwhile starts no other refresh.
///
/// **If the refresh fails**, all refused requests end with the same error. An outage (``NetworkError/timeout``,
/// ``NetworkError/networkUnavailable`` …) stays one; any other error becomes ``NetworkError/requestFailed(statusCode:data:)`` with the status
/// of the refusal. ``NetworkFailure/underlyingError`` is the error of the refresh. A later request may try again. Without a way to refresh,
/// the caller gets the refusal.
///
/// **A refusal** is the status 401, and with ``RetryPolicy/default`` also 403. A call that forbids retries has none.
///
/// **A body that can be read once** cannot be sent again: the credentials are refreshed, and the caller gets the refusal.
///
/// **Cancelling** a request that waits ends that request only. The refresh continues even if no request waits for it, since a lost answer may
/// contain the only valid refresh token.
///
/// **Credentials go** to the origin (scheme, host, port) of the call's own URL, and to ``additionalHosts``. After a redirect to another
/// origin, none are added, and a refusal there starts no refresh.
///
/// A request with a provider of its own, ``NoAuthProvider`` included, gets credentials from that provider only.
public struct AuthInterceptor: HTTPInterceptor {
    /// Other hosts that get the credentials after a redirect: `"cdn.example.com"`. Their subdomains are not included. A redirect from https
    /// must lead to https.
    public var additionalHosts: Set<String> = [] { didSet { scope = CredentialScope(hosts: additionalHosts) } }

    /// Whether a request over plain `http` fails with ``NetworkError/invalidRequest``, unless its host is this machine (loopback). The default
    /// is false.
    public var requiresTLS = false

    /// The longest time that a refresh may take, in seconds by the client's clock. Then the requests that wait for it fail with
    /// ``NetworkError/timeout``. The default is nil: 60 seconds of real time. Zero and less set no limit, which may deadlock if a refresh
    /// waits for a request that waits for the refresh.
    public var refreshTimeout: TimeInterval?

    let authenticator: Authenticator
    private(set) var scope = CredentialScope()
    /// Returns the name of the owner, in place of the provider's; nil to ask the provider.
    private(set) var partition: (@Sendable () -> String?)?

    /// Creates an interceptor for a token in a header field.
    ///
    /// A closure that is written in code of the main actor runs there, as that of a `Task` does, so it may read the main actor's values.
    ///
    /// - Parameters:
    ///   - headerName: the field. An existing value is replaced.
    ///   - tokenPrefix: the text before the token and a space; nil for none.
    ///   - tokenProvider: returns the current token, before the cache and for each later attempt; nil sends the request without one. If it
    ///     throws, the request fails, unless the cache answers it.
    ///   - onUnauthorized: gets a new token, or signs the user out. Nil returns refusals to the caller.
    ///   - partition: returns the name of the user of the tokens, for each request: see ``RequestContext/identity``. With nil the token
    ///     itself identifies the user, so a refreshed token counts as another user.
    public init(
        headerName: String = "Authorization", tokenPrefix: String? = "Bearer",
        @_inheritActorContext tokenProvider: @escaping @Sendable () async throws -> String?,
        @_inheritActorContext onUnauthorized: (@Sendable () async throws -> Void)? = nil,
        partition: (@Sendable () -> String?)? = nil
    ) {
        let prefix = tokenPrefix.map { $0.isEmpty ? "" : "\($0) " } ?? ""
        self.init(
            ClosureCredentials(field: headerName, refresh: onUnauthorized, owner: partition) { request in
                guard let token = try await tokenProvider() else { return }
                try request.setCredentials(prefix + token, in: headerName)
            })
    }

    /// Creates an interceptor for the bearer tokens (RFC 6750) of a provider.
    ///
    /// - Parameters:
    ///   - tokenProvider: returns and refreshes the tokens.
    ///   - partition: returns the name of the user of the tokens, for each request. With nil the token itself identifies the user.
    public init(tokenProvider: some TokenProvider, partition: (@Sendable () -> String?)? = nil) {
        authenticator = AuthenticatorRegistry.shared.authenticator(of: tokenProvider)
        self.partition = partition
    }

    /// Creates an interceptor for the credentials of a provider. Interceptors and clients that share an actor or an object share its refreshes.
    public init(provider: any AuthenticationProvider) {
        authenticator = AuthenticatorRegistry.shared.authenticator(of: provider.unwrapped)
    }

    private init(_ credentials: ClosureCredentials) { authenticator = Authenticator(credentials) }
}

extension AuthInterceptor {
    /// Adds a constant bearer token (RFC 6750).
    public static func bearer(_ token: String) -> AuthInterceptor { AuthInterceptor(tokenProvider: { token }) }

    /// Adds Basic credentials (RFC 7617), in UTF-8. They are not encrypted: see ``requiresTLS``.
    ///
    /// - Parameters:
    ///   - username: must not contain a colon (RFC 7617, section 2) or a control character: then every request fails with
    ///     ``NetworkError/invalidRequest``.
    ///   - password: must not contain control characters.
    public static func basic(username: String, password: String) -> AuthInterceptor {
        let value = HTTPHeader.authorization(username: username, password: password).value
        let isValid =
            !username.utf8.contains(UInt8(ascii: ":"))
            && !(username + password).utf8.contains { $0 < 0x20 || $0 == 0x7F }
        return AuthInterceptor(headerName: "Authorization", tokenPrefix: nil) {
            guard isValid else {
                throw RequestBuildingError(
                    "Basic credentials must not contain control characters, and the username must not contain a colon "
                        + "(RFC 7617).")
            }
            return value
        }
    }

    /// Adds a key in a header field.
    public static func apiKey(_ key: String, header name: String = "X-API-Key") -> AuthInterceptor {
        AuthInterceptor(headerName: name, tokenPrefix: nil, tokenProvider: { key })
    }

    /// Adds a key to the query of the URL, and replaces an item of that name. Prefer a header field: servers log URLs.
    public static func apiKey(_ key: String, queryItem name: String) -> AuthInterceptor {
        AuthInterceptor(ClosureCredentials { try $0.setQueryItem(name, key) })
    }

    /// Adds credentials by a closure: a signature, several header fields.
    ///
    /// - Parameters:
    ///   - authenticate: adds the credentials before each attempt. If it throws, the request fails.
    ///   - onUnauthorized: gets new credentials; nil returns refusals to the caller.
    public static func custom(
        @_inheritActorContext authenticate: @escaping @Sendable (inout URLRequest) async throws -> Void,
        @_inheritActorContext onUnauthorized: (@Sendable () async throws -> Void)? = nil
    ) -> AuthInterceptor { AuthInterceptor(ClosureCredentials(refresh: onUnauthorized, apply: authenticate)) }
}

// A source of credentials, for preparation and the retry engine.
extension AuthInterceptor {
    var provider: any AuthenticationProvider { authenticator.provider }
    /// The stable name of the owner of the credentials; nil if it is unknown.
    var ownerName: String? { partition?() ?? provider.partition }

    /// Whether a request gets credentials of this interceptor. A request of its own refresh does not. Throws if they must not go over plain HTTP.
    func covers(_ request: URLRequest, _ context: RequestContext) throws -> Bool {
        guard scope.permits(request.url, from: context.origin), request.url.map(provider.covers) ?? true,
            !authenticator.refresher.isRefreshing
        else { return false }
        if requiresTLS, let url = request.url, url.scheme?.lowercased() != "https", !url.isLoopback {
            throw RequestBuildingError(
                "These credentials must go over https (requiresTLS). Use an https URL for \(url.host ?? "this host").")
        }
        return true
    }

    /// Adds the current credentials to a request. Returns false if there are none yet.
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

    /// Waits for a refresh in flight, and refreshes expired credentials, before a request is sent. Returns whether the credentials of its preparation
    /// are still valid.
    func refreshIfNeeded(_ prepared: PreparedRequest, generation: UInt64?, _ context: RequestContext) async throws
        -> Bool
    {
        guard try covers(prepared.request, context) else { return true }
        let now = try await authenticator.refreshIfNeeded(prepared.request, context, refreshTimeout)
        guard let tokens = authenticator.tokens else { return now == generation }
        return try await tokens.fetch(for: prepared.request) && now == generation
    }
}
