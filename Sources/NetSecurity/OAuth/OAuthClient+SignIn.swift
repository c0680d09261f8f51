public import NetCore

extension OAuthClient {
    /// Signs the user in with a browser: the step of the code flow that needs the user.
    ///
    /// `system(redirectURI:isEphemeral:anchor:)` shows the sheet of Apple platforms, ``loopback(path:timeLimit:clock:open:)`` uses any
    /// browser on this machine (RFC 8252). A custom step creates a redirect URI that leads back to it, calls the closure it gets for the
    /// URL to open, and returns the redirect URI as the browser called it. It interprets neither:
    ///
    /// ```swift
    /// let step = OAuthClient.WebStep { authorizationURL in
    ///     print(try authorizationURL(URL(string: "myapp://callback")!))
    ///     return URL(string: "myapp://callback?code=CODE&state=STATE")!  // as the browser called it
    /// }
    /// ```
    public struct WebStep: Sendable {
        /// Signs the user in, and returns the redirect URI with the query that the server added.
        ///
        /// It calls `authorizationURL` once, for the page to show. It throws ``OAuthError/cancelled``, ``OAuthError/timedOut``,
        /// `CancellationError`, or any other error.
        public typealias Callback =
            @Sendable (_ authorizationURL: @Sendable (_ redirectURI: URL) throws -> URL) async throws -> URL

        /// The closure that signs in.
        public let callback: Callback

        /// Creates a step that signs in by a closure. See ``Callback``.
        public init(callback: @escaping Callback) { self.callback = callback }
    }
}

extension OAuthClient {
    /// Signs a user in, and gets their tokens: the authorization code flow with PKCE (RFC 6749, section 4.1; RFC 7636).
    ///
    /// Each request has a new `state`, verifier and (with the scope `openid`) nonce. A callback is only accepted if it repeats the
    /// state and, if the server sends its issuer, the issuer (RFC 9207).
    ///
    /// - Parameters:
    ///   - webStep: shows the page.
    ///   - additionalParameters: further parameters of the authorization request: `["prompt": "login"]`. They replace none of those above.
    /// - Throws: ``OAuthError``.
    public func signIn(
        using webStep: OAuthClient.WebStep, additionalParameters: [String: String] = [:]
    ) async throws(OAuthError) -> OAuthClient.Tokens {
        let attempt = try SignInAttempt(client: self, additionalParameters: additionalParameters)
        let callback: URL
        do { callback = try await webStep.callback(attempt.authorizationURL) } catch {
            throw error as? OAuthError ?? (error is CancellationError ? .cancelled : .webStepFailed(error))
        }
        return try await redeem(try attempt.code(in: callback), of: attempt)
    }

    /// Signs a user in, and stores their session.
    ///
    /// - Parameters:
    ///   - webStep: shows the page.
    ///   - sessions: stores the session.
    ///   - userID: the user; nil for the subject of the ID token, which needs the scope `openid`.
    /// - Returns: the stored session.
    /// - Throws: ``OAuthError``; ``OAuthError/storage(_:)`` if the session could not be stored.
    public func signIn(
        using webStep: OAuthClient.WebStep, into sessions: SessionProvider, userID: String? = nil
    ) async throws(OAuthError) -> Session {
        guard userID != nil || scopes.contains("openid") else {
            throw .unsupported("The user of the session is unknown. Ask for the scope openid, or pass a userID.")
        }
        let tokens = try await signIn(using: webStep)
        guard let session = tokens.session(userID: userID) else { throw .invalidIDToken("it names no user") }
        do { try sessions.store(session) } catch { throw .storage(error) }
        return session
    }

    func redeem(_ code: String, of attempt: SignInAttempt) async throws(OAuthError) -> OAuthClient.Tokens {
        try await tokens(
            [
                "grant_type": "authorization_code", "code": code,
                "redirect_uri": attempt.redirectURI?.absoluteString, "code_verifier": attempt.verifier,
            ], nonce: attempt.nonce)
    }
}

/// One sign-in: the values that were sent, to check whether a callback belongs to it.
final class SignInAttempt: Sendable {
    let state = SignInAttempt.randomText()
    /// The secret that proves who requested the code, sent when the code is redeemed (RFC 7636).
    let verifier = SignInAttempt.randomText()
    let nonce: String?
    private let client: OAuthClient
    private let page: URL
    private let additionalParameters: [String: String]
    private let redirect = Locked<URL?>(nil)

    init(client: OAuthClient, additionalParameters: [String: String]) throws(OAuthError) {
        guard let page = client.server.authorizationEndpoint else {
            throw .unsupported("The server has no authorization endpoint, so users cannot sign in there.")
        }
        try OAuthClient.Server.requireSecure(page)
        if let methods = client.server.codeChallengeMethods, !methods.contains("S256") {
            throw .unsupported("The server does not support PKCE with S256, without which a code can be stolen.")
        }
        self.client = client
        self.page = page
        self.additionalParameters = additionalParameters
        nonce = client.scopes.contains("openid") ? Self.randomText() : nil
    }

    var redirectURI: URL? { redirect.withLock { $0 } }

    @Sendable func authorizationURL(_ redirectURI: URL) throws -> URL {
        redirect.withLock { $0 = redirectURI }
        var items = OAuthClient.items([
            "response_type": "code", "client_id": client.clientID, "redirect_uri": redirectURI.absoluteString,
            "state": state, "code_challenge": Self.challenge(of: verifier), "code_challenge_method": "S256",
            "scope": client.scope, "nonce": nonce,
        ])
        let own = Set(items.map(\.name))
        items += additionalParameters.filter { !own.contains($0.key) }.sorted { $0.key < $1.key }
            .map { URLQueryItem(name: $0.key, value: $0.value) }
        var components = URLComponents(url: page, resolvingAgainstBaseURL: false)
        let query = components?.percentEncodedQuery.map { $0 + "&" } ?? ""
        components?.percentEncodedQuery = query + QueryEncoding.Encoder.encode(items: items)
        guard let url = components?.url else {
            throw OAuthError.malformedResponse("The authorization endpoint is not a URL.")
        }
        return url
    }

    /// Returns the digest of a verifier (`S256`), sent when the code is requested.
    static func challenge(of verifier: String) -> String { Data(SHA256.digest(Data(verifier.utf8))).base64URL }

    private static func randomText() -> String { Cryptography.randomBytes(32).base64URL }

    /// Returns the authorization code in a callback.
    ///
    /// - Throws: why the callback is refused, or the server's error.
    func code(in callback: URL) throws(OAuthError) -> String {
        guard let redirectURI, callback.isAnswer(to: redirectURI), let values = callback.uniqueQueryValues else {
            throw .invalidCallback
        }
        // Checked first: the callback of another request must not even report an error.
        guard values["state"] == state else { throw .stateMismatch }
        if let issuer = values["iss"] {
            guard client.server.issuer == nil || issuer == client.server.issuer else { throw .issuerMismatch }
        } else if client.server.namesIssuerInAnswers {
            throw .issuerMismatch
        }
        if let error = values["error"] {
            let documentation = values["error_uri"].flatMap(URL.init(string:))
            throw .server(.init(code: error, explanation: values["error_description"], documentation: documentation))
        }
        guard let code = values["code"], !code.isEmpty else { throw .invalidCallback }
        return code
    }
}

extension URL {
    /// Whether a callback came to a redirect URI: both have the same scheme, origin and percent-encoded path, and the callback has the query
    /// items of the redirect URI (RFC 6749, section 3.1.2; RFC 9700, section 2.1).
    fileprivate func isAnswer(to redirectURI: URL) -> Bool {
        guard scheme?.asciiLowercased == redirectURI.scheme?.asciiLowercased, origin == redirectURI.origin,
            user == redirectURI.user, requestPath == redirectURI.requestPath
        else { return false }
        guard redirectURI.query != nil else { return true }
        guard let own = redirectURI.uniqueQueryValues, let values = uniqueQueryValues else { return false }
        return own.allSatisfy { values[$0.key] == $0.value }
    }

    /// The values of the query, decoded as a form; nil if a name is repeated (RFC 6749, section 3.1).
    var uniqueQueryValues: [String: String]? {
        let components = URLComponents(url: self, resolvingAgainstBaseURL: false)
        guard let query = components?.percentEncodedQuery else { return nil }
        var values: [String: String] = [:]
        for item in query.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
            }
            guard let name = parts[0], let value = parts.count > 1 ? parts[1] : "",
                values.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return values
    }
}
