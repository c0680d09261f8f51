public import NetCore

/// Gets tokens from an authorization server (OAuth 2.0, RFC 6749), by the flows that are still recommended (RFC 9700).
///
/// ```swift
/// let server = try await OAuthServer.discover(issuer: "https://auth.example.com", using: client)
/// let oauth = OAuthClient(server: server, clientID: "my-app", scopes: ["profile"], using: client)
/// let tokens = try await oauth.signIn(using: LoopbackWebStep { url in print("Open \(url)") })
/// ```
///
/// | Flow | For | Method |
/// |---|---|---|
/// | authorization code with PKCE | users with a browser on this device | ``signIn(using:additionalParameters:)`` |
/// | device | users whose browser is elsewhere (RFC 8628) | ``deviceAuthorization()``, ``tokens(for:)`` |
/// | client credentials | servers, without a user | ``clientCredentials()`` |
/// | refresh | all who got a refresh token | ``refresh(_:)-(String)``, ``refresh(_:)-(Session)`` |
/// | revocation | signing out (RFC 7009) | ``revoke(_:hint:)`` |
///
/// Secrets go over https alone, are never sent twice, and follow no redirect.
public struct OAuthClient: Sendable {
    /// How the client shows who it is.
    public enum Authentication: Sendable {
        /// By its name only: apps, which cannot keep a secret.
        case none
        /// By a secret in the `Authorization` header (`client_secret_basic`).
        case basic(secret: String)
        /// By a secret in the form (`client_secret_post`).
        case post(secret: String)
    }

    /// The server.
    public let server: OAuthServer
    /// The client's name at the server.
    public let clientID: String
    /// What to ask for. With `openid` there is an ID token, and its claims are checked.
    public let scopes: [String]
    let clock: any NetworkClock
    private let authentication: Authentication
    private let exchange: OAuthExchange

    /// A client of a server.
    ///
    /// - Parameters:
    ///   - server: whose client it is.
    ///   - clientID: the name that the server knows it by.
    ///   - authentication: how it proves who it is; an app cannot.
    ///   - scopes: what it asks for.
    ///   - http: sends the requests, without credentials of its own.
    ///   - clock: for the ends of tokens, and for waiting.
    public init(
        server: OAuthServer, clientID: String, authentication: Authentication = .none, scopes: [String] = [],
        using http: any HTTPSending, clock: any NetworkClock = .system
    ) {
        self.server = server
        self.clientID = clientID
        self.scopes = scopes
        self.clock = clock
        self.authentication = authentication
        exchange = OAuthExchange(http: http)
    }

    /// Sends a form with the client's own credentials.
    func post(_ fields: KeyValuePairs<String, String?>, to url: URL) async throws(OAuthError) -> OAuthExchange.Answer {
        var items = fields.compactMap { field in field.value.map { URLQueryItem(name: field.key, value: $0) } }
        var authorization: String?
        switch authentication {
        case .none: items.append(URLQueryItem(name: "client_id", value: clientID))
        case .post(let secret):
            items += [
                URLQueryItem(name: "client_id", value: clientID), URLQueryItem(name: "client_secret", value: secret),
            ]
        case .basic(let secret):
            // RFC 6749, section 2.3.1: encoded as in a form first.
            let header = HTTPHeader.authorization(
                username: QueryEncoder.percentEncode(clientID), password: QueryEncoder.percentEncode(secret))
            authorization = header.value
        }
        return try await exchange.post(items, to: url, authorization: authorization)
    }

    /// Asks the token endpoint.
    ///
    /// - Parameter nonce: what the ID token has to repeat; nil where none is expected.
    func tokens(_ fields: KeyValuePairs<String, String?>, nonce: String? = nil) async throws(OAuthError) -> OAuthTokens
    {
        let asked = clock.now
        let response = try await post(fields, to: server.tokenEndpoint).decoded(TokenResponse.self, "token response")
        guard response.tokenType.equalsIgnoringASCIICase("bearer") else {
            throw .unsupported("The server gives tokens of another kind than bearer tokens.")
        }
        guard !response.accessToken.isEmpty else { throw .malformedResponse("The access token is empty.") }
        let identity = try response.idToken.map { token throws(OAuthError) in try IDToken(token) }
        if nonce != nil {
            guard let identity else { throw .invalidIDToken("there is none, though openid was asked for") }
            try identity.check(issuer: server.issuer, audience: clientID, nonce: nonce, now: asked)
        }
        return OAuthTokens(
            accessToken: response.accessToken, refreshToken: response.refreshToken,
            expiration: response.lifetime.map { asked.addingTimeInterval($0) },
            scopes: response.scope.map { $0.split(separator: " ").map(String.init) },
            idToken: response.idToken, subject: identity?.subject)
    }

    var scope: String? { scopes.isEmpty ? nil : scopes.joined(separator: " ") }
}

extension OAuthClient: RedactedReflectable {
    /// Server, name and scopes; no secret.
    public var shownFields: KeyValuePairs<String, Any?> {
        ["server": server, "clientID": clientID, "authentication": authentication, "scopes": scopes]
    }
}

extension OAuthClient.Authentication: RedactedReflectable {
    /// The method; no secret.
    public var shownFields: KeyValuePairs<String, Any?> {
        switch self {
        case .none: ["method": "none"]
        case .basic: ["method": "client_secret_basic"]
        case .post: ["method": "client_secret_post"]
        }
    }
}
