public import NetCore

/// Gets tokens from an authorization server (OAuth 2.0, RFC 6749), by the flows that RFC 9700 recommends.
///
/// ```swift
/// let server = try await OAuthClient.Server.discover(issuer: "https://auth.example.com", using: client)
/// let oauth = OAuthClient(server: server, clientID: "my-app", scopes: ["profile"], using: client)
/// let tokens = try await oauth.signIn(using: .loopback { url in print("Open \(url)") })
/// ```
///
/// | Flow | For | Method |
/// |---|---|---|
/// | authorization code with PKCE | users with a browser on this device | ``signIn(using:additionalParameters:)`` |
/// | device | users whose browser is elsewhere (RFC 8628) | ``deviceAuthorization()``, ``tokens(for:)`` |
/// | client credentials | servers, without a user | ``clientCredentials()`` |
/// | refresh | sessions with a refresh token | ``refresh(_:)-(String)``, ``refresh(_:)-(Session)`` |
/// | revocation | signing out (RFC 7009) | ``revoke(_:hint:)`` |
///
/// Secrets are sent over https only, never twice, and follow no redirect.
public struct OAuthClient: Sendable, RedactedReflectable {
    /// How the client authenticates itself.
    public enum Authentication: Sendable, RedactedReflectable {
        /// By its ID only: for apps, which cannot keep a secret.
        case none
        /// By a secret in the `Authorization` header (`client_secret_basic`).
        case basic(secret: String)
        /// By a secret in the form (`client_secret_post`).
        case post(secret: String)

        /// The method, but no secret.
        public var shownFields: KeyValuePairs<String, Any?> {
            switch self {
            case .none: ["method": "none"]
            case .basic: ["method": "client_secret_basic"]
            case .post: ["method": "client_secret_post"]
            }
        }
    }

    public let server: OAuthClient.Server
    /// The client's ID at the server.
    public let clientID: String
    /// The requested scopes. With `openid` the server returns an ID token, whose claims are checked.
    public let scopes: [String]
    let clock: any NetworkClock
    private let authentication: Authentication
    private let http: any HTTPSending

    /// Creates a client of a server.
    ///
    /// - Parameters:
    ///   - server: the authorization server.
    ///   - clientID: the client's ID at the server.
    ///   - authentication: how the client authenticates itself.
    ///   - scopes: the scopes to request.
    ///   - http: sends the requests, without its own credentials.
    ///   - clock: for the expiration of tokens, and for waiting.
    public init(
        server: OAuthClient.Server, clientID: String, authentication: Authentication = .none, scopes: [String] = [],
        using http: any HTTPSending, clock: any NetworkClock = .system
    ) {
        self.server = server
        self.clientID = clientID
        self.scopes = scopes
        self.clock = clock
        self.authentication = authentication
        self.http = http
    }

    /// Returns the fields that have a value.
    static func items(_ fields: KeyValuePairs<String, String?>) -> [URLQueryItem] {
        fields.compactMap { field in field.value.map { URLQueryItem(name: field.key, value: $0) } }
    }

    func post(_ fields: KeyValuePairs<String, String?>, to url: URL) async throws(OAuthError) -> OAuthAnswer {
        try OAuthClient.Server.requireSecure(url)
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        var items = Self.items(fields)
        if case .basic(let secret) = authentication {
            // Both are first encoded as in a form (RFC 6749, section 2.3.1).
            let header = HTTPHeader.authorization(
                username: PercentEncoding.encode(clientID), password: PercentEncoding.encode(secret))
            request.setValue(header.value, forHTTPHeaderField: header.name)
        } else {
            items.append(URLQueryItem(name: "client_id", value: clientID))
        }
        if case .post(let secret) = authentication { items.append(URLQueryItem(name: "client_secret", value: secret)) }
        let bytes = Data(QueryEncoding.Encoder.encode(items: items).utf8)
        let form = Locked<Data?>(bytes)
        // Readable once, so that no retry uses a code or a refresh token twice.
        let body = HTTPBody(length: Int64(bytes.count)) {
            form.withLock { form in
                defer { form = nil }
                return form
            }
        }
        return try await OAuthAnswer(to: request, body: body, using: http)
    }

    /// Requests tokens from the token endpoint.
    ///
    /// - Parameter nonce: the nonce that the ID token must repeat; nil if no ID token is expected.
    func tokens(_ fields: KeyValuePairs<String, String?>, nonce: String? = nil) async throws(OAuthError)
        -> OAuthClient.Tokens
    {
        let asked = clock.now
        let response = try await post(fields, to: server.tokenEndpoint).decoded(TokenResponse.self, "token response")
        guard response.token_type.equalsIgnoringASCIICase("bearer") else {
            throw .unsupported("The server issues tokens that are not bearer tokens.")
        }
        guard !response.access_token.isEmpty else { throw .malformedResponse("The access token is empty.") }
        let identity = try response.id_token.map { token throws(OAuthError) in try IDToken(token) }
        if nonce != nil {
            guard let identity else { throw .invalidIDToken("there is none, although openid was requested") }
            try identity.check(issuer: server.issuer, audience: clientID, nonce: nonce, now: asked)
        }
        return OAuthClient.Tokens(
            accessToken: response.access_token, refreshToken: response.refresh_token,
            expiration: response.expires_in?.value.map { asked.addingTimeInterval($0) },
            scopes: response.scope.map { $0.split(separator: " ").map(String.init) },
            idToken: response.id_token, subject: identity?.subject)
    }

    var scope: String? { scopes.isEmpty ? nil : scopes.joined(separator: " ") }

    /// The server, the ID and the scopes, but no secret.
    public var shownFields: KeyValuePairs<String, Any?> {
        ["server": server, "clientID": clientID, "authentication": authentication, "scopes": scopes]
    }
}
