public import NetCore

/// Sends requests with credentials, and once more with new ones when a server refuses them (seed 003).
///
/// ```swift
/// let auth = AuthInterceptor(
///     tokenProvider: { await TokenManager.shared.accessToken },
///     onUnauthorized: { try await TokenManager.shared.refreshToken() }
/// )
/// let client = NetworkClient(interceptors: [auth])
/// ```
///
/// **One refresh.** Requests that are refused with the same credentials wait for one call of `onUnauthorized` (or
/// ``AuthenticationProvider/reauthenticate()``, ``TokenProvider/refreshToken()``), and requests that start meanwhile wait with
/// them. Then each is sent once more, whatever its method; a second refusal is given to the caller. A refusal that comes late,
/// of credentials that were replaced since, starts no other refresh.
///
/// **If the refresh fails**, all requests that were refused end with the same error: an outage (``NetworkError/timeout``,
/// ``NetworkError/networkUnavailable`` …) as such, anything else as ``NetworkError/requestFailed(statusCode:data:)`` with the
/// status of the refusal; ``NetworkFailure/underlyingError`` is what the refresh threw. A request that is made afterwards may
/// try again. Without a way to refresh, a refusal is given to the caller as it is.
///
/// **What is a refusal:** 401; with ``RetryPolicy/default`` also 403, and nothing for a call that forbids retries.
///
/// **A body that can be read once** cannot be sent again: the credentials are refreshed, and the caller gets the refusal.
///
/// **Cancelling** a request that waits ends that one only. The refresh goes on even if nobody waits any longer, since an
/// answer that is lost may hold the only valid refresh token.
///
/// **Where credentials go:** to the origin (scheme, host, port) of the call's own URL, and to ``additionalHosts``. After a
/// redirect to another origin nothing is added, and a refusal there refreshes nothing.
///
/// A request that brings a provider of its own, be it ``NoAuthProvider``, is left to that one.
public struct AuthInterceptor: HTTPInterceptor {
    /// Other hosts that may have the credentials when a redirect leads there: `"cdn.example.com"`. Their subdomains are not
    /// included, and from https they are followed to https only.
    public var additionalHosts: Set<String> {
        get { rules.additionalHosts }
        set { rules.additionalHosts = newValue }
    }

    /// Whether a request over plain `http` is refused with ``NetworkError/invalidRequest``, unless it stays on this machine
    /// (loopback). False unless set.
    public var requiresTLS: Bool {
        get { rules.requiresTLS }
        set { rules.requiresTLS = newValue }
    }

    /// How long a refresh may take, in seconds by the client's clock. Those who wait for it then fail with
    /// ``NetworkError/timeout``. Nil, unless set, is 60 seconds of real time; what is not above zero is no limit, which is not
    /// wise where a refresh may itself wait for a request that waits for it.
    public var refreshTimeout: TimeInterval? {
        get { rules.refreshTimeout }
        set { rules.refreshTimeout = newValue }
    }

    let authenticator: Authenticator
    private(set) var rules = CredentialRules()

    /// A token in a header field.
    ///
    /// - Parameters:
    ///   - headerName: the field. A value that is there already is replaced.
    ///   - tokenPrefix: stands before the token, with a space between; nil for none.
    ///   - tokenProvider: gives the token at hand, before the cache and for every later attempt; nil sends the request without. What it
    ///     throws ends the request, if that has to be sent.
    ///   - onUnauthorized: gets a new token, or signs the user out. Nil gives refusals to the caller.
    ///   - partition: names the user whose tokens these are, asked for each request: see ``RequestContext/identity``. Nil goes by the
    ///     token, so that a refreshed one counts as another user.
    public init(
        headerName: String = "Authorization",
        tokenPrefix: String? = "Bearer",
        tokenProvider: @escaping @Sendable () async throws -> String?,
        onUnauthorized: (@Sendable () async throws -> Void)? = nil,
        partition: (@Sendable () -> String?)? = nil
    ) {
        self.init(
            credentials: HeaderCredentials(
                name: headerName, prefix: tokenPrefix, token: tokenProvider, renew: onUnauthorized, owner: partition))
    }

    /// Bearer tokens (RFC 6750) of a provider.
    ///
    /// - Parameters:
    ///   - tokenProvider: gives and refreshes the tokens.
    ///   - partition: names the user whose tokens these are, asked for each request. Nil goes by the token.
    public init(tokenProvider: some TokenProvider, partition: (@Sendable () -> String?)? = nil) {
        authenticator = AuthenticatorRegistry.shared.authenticator(of: tokenProvider)
        rules.partition = partition
    }

    /// The credentials of a provider (seed 001). Interceptors and clients that share an actor or an object share its refreshes.
    public init(provider: any AuthenticationProvider) {
        authenticator = AuthenticatorRegistry.shared.authenticator(of: provider)
    }

    init(credentials: any AuthenticationProvider) {
        authenticator = Authenticator(credentials)
    }

    /// Sends the request on. In the list of a client it got its credentials when it was prepared, and the client's retry engine handles a
    /// refusal; elsewhere both are done here.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard next.context[AuthenticationProviderKey.self] == nil, next.context.preparer?.adapts(Self.self) != true
        else { return try await next(request) }
        let preparer = RequestPreparer(only: self)
        var next = next
        next.context.preparer = preparer
        let prepared = await preparer.prepare(request, body: next.body, context: next.context, isSending: false)
        next.context.prepared = prepared
        let engine = RetryInterceptor(policy: RetryPolicy(maxRetries: 0), hooks: [], preparer: preparer)
        return try await engine.intercept(prepared.request, next: next)
    }
}
