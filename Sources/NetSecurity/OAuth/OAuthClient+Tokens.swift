public import NetCore

extension OAuthClient {
    /// The tokens that a flow ends with (RFC 6749, section 5.1). They appear in no description and no dump.
    public struct Tokens: Hashable, Sendable, RedactedReflectable {
        /// The token that authenticates requests.
        public let accessToken: String
        /// The token that is exchanged for new tokens. Servers may return another one each time.
        public internal(set) var refreshToken: String?
        /// The expiration date of the access token, by this client's clock, or nil if it is unknown.
        public let expiration: Date?
        /// The granted scopes, if the server sent them. They may be fewer than requested.
        public let scopes: [String]?
        /// The ID token (OpenID Connect), which says who signed in. Its claims are checked. Its signature is not, since it came directly from
        /// the server's token endpoint (OpenID Connect Core, section 3.1.3.7).
        public let idToken: String?
        /// The user's identifier at the server, from the ID token.
        public let subject: String?

        /// Returns a session with these tokens.
        ///
        /// - Parameter userID: nil for ``subject``.
        /// - Returns: nil if neither names a user.
        public func session(userID: String? = nil) -> Session? {
            (userID ?? subject).map {
                Session(userID: $0, accessToken: accessToken, refreshToken: refreshToken, expiration: expiration)
            }
        }

        /// The expiration and the scopes, and `[REDACTED]` for the tokens.
        public var shownFields: KeyValuePairs<String, Any?> {
            [
                "accessToken": Redactor.mark, "refreshToken": refreshToken.map { _ in Redactor.mark },
                "expiration": expiration, "scopes": scopes, "idToken": idToken.map { _ in Redactor.mark },
            ]
        }
    }
}

/// The body of a token response. Some servers send numbers as text.
struct TokenResponse: Decodable {
    let access_token: String
    let token_type: String
    let refresh_token: String?
    let expires_in: Seconds?
    let scope: String?
    let id_token: String?

    /// A number of seconds, also if it is sent as text, limited to ten years; nil for anything else.
    struct Seconds: Decodable {
        let value: TimeInterval?

        init(from decoder: any Decoder) {
            let number = (try? Double(from: decoder)) ?? (try? String(from: decoder)).flatMap(Double.init)
            value = number.flatMap { $0.isFinite ? min(max(0, $0), 10 * 365 * 86_400) : nil }
        }
    }
}

/// The claims of an ID token (OpenID Connect Core, section 2) that came directly from the token endpoint.
struct IDToken {
    var subject: String { claims.sub }
    private let claims: Claims

    private struct Claims: Decodable {
        let iss: String
        let sub: String
        let aud: Audience
        let exp: Double
        let nonce: String?
        let azp: String?
    }

    /// One name, or a list.
    private struct Audience: Decodable {
        let names: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            names = try (try? [container.decode(String.self)]) ?? container.decode([String].self)
        }
    }

    /// The tolerated difference between clocks, in seconds.
    private static let leeway: TimeInterval = 60

    /// - Throws: ``OAuthError/invalidIDToken(_:)`` if the text is not a JWT with these claims.
    init(_ token: String) throws(OAuthError) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Data(base64URL: parts[1]),
            let claims = try? JSONDecoder().decode(Claims.self, from: payload)
        else { throw .invalidIDToken("it is not a signed JWT with iss, sub, aud and exp") }
        self.claims = claims
    }

    /// OpenID Connect Core, section 3.1.3.7, except for the signature: TLS authenticates the server.
    func check(issuer: String?, audience: String, nonce: String?, now: Date) throws(OAuthError) {
        if let issuer, claims.iss != issuer { throw .issuerMismatch }
        guard claims.aud.names.contains(audience), claims.azp == nil || claims.azp == audience else {
            throw .invalidIDToken("it is for another client")
        }
        guard claims.exp + Self.leeway > now.timeIntervalSince1970 else { throw .invalidIDToken("it has expired") }
        guard claims.nonce == nonce else { throw .invalidIDToken("its nonce belongs to another request") }
    }
}
