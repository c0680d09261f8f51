public import NetCore

/// Who is signed in, and with which tokens (seed 000): a value to copy, compare and store.
///
/// Its tokens show in no description and no dump. Encoding it does write them, since that is how it is stored: encrypt what
/// you write, or give it to a store that does.
public struct Session: Hashable, Sendable, Codable {
    /// Whose session it is. Not secret to this type: it shows in descriptions.
    public let userID: String
    /// What goes with each request.
    public var accessToken: String
    /// What a new access token is bought with; nil if the session cannot be refreshed.
    public var refreshToken: String?
    /// When the access token ends; nil if it does not, or if nobody said.
    public var expiration: Date?

    /// How long before its end an access token should be replaced, in seconds: five minutes.
    public static let refreshMargin: TimeInterval = 300

    /// A session.
    public init(userID: String, accessToken: String, refreshToken: String? = nil, expiration: Date? = nil) {
        self.userID = userID
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiration = expiration
    }

    /// Whether the access token has ended, by the system's clock.
    public var isExpired: Bool { isExpired(at: Date()) }

    /// Whether the access token has ended, or ends within ``refreshMargin``, and can be replaced; by the system's clock.
    public var shouldRefresh: Bool { shouldRefresh(at: Date()) }

    /// Whether the access token has ended at that date. It has at the very moment of its ``expiration``.
    ///
    /// - Parameter date: usually ``NetworkClock/now`` of the client's clock.
    public func isExpired(at date: Date) -> Bool {
        expiration.map { date >= $0 } ?? false
    }

    /// Whether the access token has ended, or ends within ``refreshMargin`` of that date, and can be replaced.
    ///
    /// - Parameter date: usually ``NetworkClock/now`` of the client's clock.
    public func shouldRefresh(at date: Date) -> Bool {
        refreshToken != nil && isExpired(at: date.addingTimeInterval(Self.refreshMargin))
    }
}

extension Session: RedactedReflectable {
    /// User and expiration; of the tokens only whether they are there.
    public var description: String {
        let end = expiration.map { "expires \($0.formatted(.iso8601))" } ?? "no expiration"
        return "Session(user \(userID), \(end), \(refreshToken == nil ? "not refreshable" : "refreshable"))"
    }

    /// User and expiration, and `[REDACTED]` for the tokens.
    public var shownFields: KeyValuePairs<String, Any?> {
        [
            "userID": userID, "accessToken": Redactor.mark, "refreshToken": refreshToken.map { _ in Redactor.mark },
            "expiration": expiration,
        ]
    }
}
