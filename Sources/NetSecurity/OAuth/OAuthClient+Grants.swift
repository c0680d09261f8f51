import NetCore

extension OAuthClient {
    /// Gets new tokens for a refresh token (RFC 6749, section 6).
    ///
    /// The server may give another refresh token, and then the old one is worth nothing: store what comes. Where it gives none, the
    /// old one stays, and stands in the result.
    ///
    /// - Throws: ``OAuthError``. One that ``OAuthError/endsSession`` means signing in again; any other does not.
    public func refresh(_ refreshToken: String) async throws(OAuthError) -> OAuthTokens {
        let fresh = try await tokens(["grant_type": "refresh_token", "refresh_token": refreshToken])
        return OAuthTokens(
            accessToken: fresh.accessToken, refreshToken: fresh.refreshToken ?? refreshToken,
            expiration: fresh.expiration,
            scopes: fresh.scopes, idToken: fresh.idToken, subject: fresh.subject)
    }

    /// Gets a new session for one that has ended, or will: what ``SessionAuthenticator`` needs.
    ///
    /// ```swift
    /// let authenticator = SessionAuthenticator(userID: "42", sessions: sessions, hosts: ["api.example.com"], refresh: oauth.refresh)
    /// ```
    ///
    /// - Throws: ``OAuthError``, ``SessionError/notRefreshable``; a ``NetworkFailure`` if the server could not be reached, so that it is
    ///   reported as the outage it is.
    @Sendable public func refresh(_ session: Session) async throws -> Session {
        guard let refreshToken = session.refreshToken else { throw SessionError.notRefreshable }
        let fresh: OAuthTokens
        do {
            fresh = try await refresh(refreshToken)
        } catch {
            throw error.outage ?? error
        }
        return fresh.session(userID: session.userID) ?? session
    }

    /// Gets a token for the client itself, without a user (RFC 6749, section 4.4). It needs a secret.
    ///
    /// - Throws: ``OAuthError``.
    public func clientCredentials() async throws(OAuthError) -> OAuthTokens {
        try await tokens(["grant_type": "client_credentials", "scope": scope])
    }

    /// Which token is meant.
    public enum TokenKind: String, Sendable {
        /// What goes with requests.
        case accessToken = "access_token"
        /// What tokens are bought with. Servers usually end the access tokens along with it.
        case refreshToken = "refresh_token"
    }

    /// Gives a token back, so that nobody can use it any more (RFC 7009). One that the server does not know is no error.
    ///
    /// - Parameters:
    ///   - token: a refresh token or an access token.
    ///   - hint: which kind it is, to help the server.
    /// - Throws: ``OAuthError/unsupported(_:)`` if the server has no such endpoint, and others.
    public func revoke(_ token: String, hint: TokenKind? = .refreshToken) async throws(OAuthError) {
        guard let endpoint = server.revocationEndpoint else { throw .unsupported("The server revokes no tokens.") }
        let answer = try await post(["token": token, "token_type_hint": hint?.rawValue], to: endpoint)
        guard (200..<300).contains(answer.status) else { throw answer.refusal }
    }
}
