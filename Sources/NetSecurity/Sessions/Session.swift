public import NetCore

/// A signed-in user and their tokens: a value to copy, compare and store.
///
/// Its tokens appear in no description and no dump. Encoding writes them, because that is how a session is stored: encrypt the
/// encoded bytes, or pass them to a store that does.
public struct Session: Hashable, Sendable, Codable, RedactedReflectable {
    /// The user. Not treated as a secret: it appears in descriptions.
    public let userID: String
    /// The token that authenticates requests.
    public var accessToken: String
    /// The token that is exchanged for a new access token; nil if the session cannot be refreshed.
    public var refreshToken: String?
    /// The expiration date of the access token, or nil if it is unknown.
    public var expiration: Date?

    /// How long before its expiration an access token should be replaced, in seconds: five minutes.
    public static let refreshMargin: TimeInterval = 300

    public init(userID: String, accessToken: String, refreshToken: String? = nil, expiration: Date? = nil) {
        self.userID = userID
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiration = expiration
    }

    /// Whether the access token has expired, by the system's clock.
    public var isExpired: Bool { isExpired(at: Date()) }

    /// Whether the access token expires within ``refreshMargin`` and can be replaced, by the system's clock.
    public var shouldRefresh: Bool { shouldRefresh(at: Date()) }

    /// Whether the access token has expired at that date. It has at the exact moment of its ``expiration``.
    ///
    /// - Parameter date: usually ``NetworkClock/now`` of the client's clock.
    public func isExpired(at date: Date) -> Bool { expiration.map { date >= $0 } ?? false }

    /// Whether the access token expires within ``refreshMargin`` of that date and can be replaced.
    ///
    /// - Parameter date: usually ``NetworkClock/now`` of the client's clock.
    public func shouldRefresh(at date: Date) -> Bool {
        refreshToken != nil && isExpired(at: date.addingTimeInterval(Self.refreshMargin))
    }

    /// The user, the expiration, and whether the session can be refreshed.
    public var description: String {
        let end = expiration.map { "expires \($0.formatted(.iso8601))" } ?? "no expiration"
        return "Session(user \(userID), \(end), \(refreshToken == nil ? "not refreshable" : "refreshable"))"
    }

    /// The user and the expiration, and `[REDACTED]` for the tokens.
    public var shownFields: KeyValuePairs<String, Any?> {
        [
            "userID": userID, "accessToken": Redactor.mark, "refreshToken": refreshToken.map { _ in Redactor.mark },
            "expiration": expiration,
        ]
    }
}

/// Why ``SessionAuthenticator`` has no session to send.
public enum SessionError: Error, Hashable, Sendable, SecretFreeError, LocalizedError {
    /// There is no session, or it was removed while it was refreshed.
    case notSignedIn
    /// The access token was refused, and there is no refresh token.
    case notRefreshable
    /// The server refused the refresh token. Throw it from a refresh closure to sign the user out.
    case refreshRefused

    /// A stable name of the case, for logs.
    public var code: String {
        switch self {
        case .notSignedIn: "not_signed_in"
        case .notRefreshable: "session_not_refreshable"
        case .refreshRefused: "refresh_refused"
        }
    }

    public var description: String { "\(code): sign in again." }
    public var errorDescription: String? { description }
}
