public import NetCore

/// What a server gives when a flow has come to its end (RFC 6749, section 5.1). Its tokens show in no description and no dump.
public struct OAuthTokens: Hashable, Sendable {
    /// What goes with each request.
    public let accessToken: String
    /// What new tokens are bought with. Servers may give another one each time.
    public let refreshToken: String?
    /// When the access token ends, by this client's clock; nil if the server did not say.
    public let expiration: Date?
    /// What may be done with it, if the server said so: it may be less than what was asked for.
    public let scopes: [String]?
    /// The ID token (OpenID Connect): a signed statement of who signed in. It came straight from the server's token endpoint, and
    /// so its claims are checked, but not its signature (OpenID Connect Core, section 3.1.3.7).
    public let idToken: String?
    /// The user's name at the server, from the ID token.
    public let subject: String?

    /// The session of a user with these tokens.
    ///
    /// - Parameter userID: nil for ``subject``.
    /// - Returns: nil if neither names a user.
    public func session(userID: String? = nil) -> Session? {
        (userID ?? subject).map {
            Session(userID: $0, accessToken: accessToken, refreshToken: refreshToken, expiration: expiration)
        }
    }
}

extension OAuthTokens: RedactedReflectable {
    /// What there is, and nothing of it.
    public var description: String {
        let end = expiration.map { "expires \($0.formatted(.iso8601))" } ?? "no expiration"
        return "OAuthTokens(\(end), \(refreshToken == nil ? "not refreshable" : "refreshable"))"
    }
    /// The expiration and the scopes, and of the tokens only whether they are there.
    public var shownFields: KeyValuePairs<String, Any?> {
        [
            "accessToken": Redactor.mark, "refreshToken": refreshToken.map { _ in Redactor.mark },
            "expiration": expiration,
            "scopes": scopes, "idToken": idToken.map { _ in Redactor.mark },
        ]
    }
}

/// The body of a token response. Numbers are taken as text too, since some servers send them so.
struct TokenResponse: Decodable {
    let accessToken: String
    let tokenType: String
    let refreshToken: String?
    let lifetime: TimeInterval?
    let scope: String?
    let idToken: String?

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case refreshToken = "refresh_token"
        case lifetime = "expires_in"
        case scope
        case idToken = "id_token"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        accessToken = try container.decode(String.self, forKey: .accessToken)
        tokenType = try container.decode(String.self, forKey: .tokenType)
        refreshToken = try container.decodeIfPresent(String.self, forKey: .refreshToken)
        lifetime = container.lenientSeconds(forKey: .lifetime)
        scope = try container.decodeIfPresent(String.self, forKey: .scope)
        idToken = try container.decodeIfPresent(String.self, forKey: .idToken)
    }
}

extension KeyedDecodingContainer {
    /// A number of seconds, also where it is sent as text: from zero to ten years. Nil if there is none.
    func lenientSeconds(forKey key: Key) -> TimeInterval? {
        let number =
            (try? decode(Double.self, forKey: key)) ?? (try? decode(String.self, forKey: key)).flatMap(Double.init)
        guard let number, number.isFinite else { return nil }
        return min(max(0, number), 10 * 365 * 86_400)
    }
}
