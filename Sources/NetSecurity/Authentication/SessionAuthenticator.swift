public import NetCore

/// Authenticates requests with the session of one user, and refreshes it.
///
/// ```swift
/// let authenticator = SessionAuthenticator(userID: "42", sessions: SessionProvider(), hosts: ["api.example.com"]) { session in
///     var session = session
///     session.accessToken = "from the server"
///     return session
/// }
/// let client = NetworkClient(authenticationProvider: authenticator)
/// ```
///
/// **Hosts.** Tokens are sent to `hosts` over https (or to this machine), and never to another origin after a redirect. Requests to other
/// hosts have no token.
///
/// **Refresh.** It refreshes before a request if ``Session/shouldRefresh(at:)`` is true, and after a 401. The client does this once for
/// all requests. If a refresh before expiration fails because of an outage, requests use the token that is still valid, and the refresh
/// is tried again after 30 seconds.
///
/// **Sign-out.** If the server refuses the refresh (``SessionError/refreshRefused``, OAuth's `invalid_grant`, or a ``NetworkFailure`` with 401 or
/// 403), the session is removed, `onSignOut` is called, and the requests fail with 401. An outage or a locked storage never signs a user out.
///
/// **Storage failures.** A new session that cannot be stored is kept in memory and stored as soon as possible, since the old refresh
/// token is no longer valid. A refresh does not restore a user who signed out or signed in again meanwhile.
///
/// Make one authenticator for each user and share it. Two users with two authenticators in one client do not wait for each other, and
/// ``partition`` separates their cached responses. Two authenticators for the *same* user would use one refresh token twice.
public final class SessionAuthenticator: AuthenticationProvider, CustomReflectable {
    /// Returns a new session for an old one.
    public typealias Refresh = @Sendable (Session) async throws -> Session

    /// The user whose session is sent.
    public let userID: String
    private let sessions: SessionProvider
    private let hosts: Set<String>
    private let clock: any NetworkClock
    private let refresh: Refresh
    private let onSignOut: (@Sendable (_ userID: String) async -> Void)?

    private struct State {
        /// The token of the last request.
        var applied: String?
        /// The token that is refreshed before its expiration.
        var refreshedEarly: String?
        /// When a failed early refresh may be repeated.
        var retryDate = Date.distantPast
        /// A new session that is not stored yet, and the refresh token of the stored one that it replaces.
        var unsaved: (session: Session, replaced: String?)?
    }

    private let state = Locked(State())

    /// How long after a failed early refresh the next one is tried, in seconds.
    private static let retryDelay: TimeInterval = 30

    /// Creates an authenticator for one user.
    ///
    /// - Parameters:
    ///   - userID: the user.
    ///   - sessions: contains the user's session.
    ///   - hosts: the hosts that may receive the tokens: `"api.example.com"`. Subdomains are separate hosts.
    ///   - clock: the same as the client's.
    ///   - onSignOut: called after the session was removed because the server refused to refresh it.
    ///   - refresh: returns a new session. It may use the same client. If the new session has no refresh token, the old one is kept; a
    ///     different `userID` is ignored.
    public init(
        userID: String, sessions: SessionProvider, hosts: Set<String>, clock: any NetworkClock = .system,
        onSignOut: (@Sendable (_ userID: String) async -> Void)? = nil, refresh: @escaping Refresh
    ) {
        self.userID = userID
        self.sessions = sessions
        self.hosts = Set(hosts.map(\.asciiLowercased))
        self.clock = clock
        self.onSignOut = onSignOut
        self.refresh = refresh
    }

    /// The user: cached responses of one user are not served to another.
    public var partition: String? { userID }

    /// Whether the URL's host is one of `hosts`.
    public func covers(_ url: URL) -> Bool { url.host.map { hosts.contains($0.asciiLowercased) } ?? false }

    /// Sets `Authorization` to the access token. Without a session the request is unchanged, and the server refuses it.
    ///
    /// - Throws: ``SessionStorageError`` if the session cannot be read; an error that describes the problem, for plain http to another machine.
    public func authenticate(_ request: inout URLRequest) async throws {
        guard let url = request.url, covers(url), let session = try current() else { return }
        guard url.scheme?.asciiLowercased == "https" || url.isLoopback else {
            throw RequestBuildingError(
                "Tokens are sent over https only. Use an https URL for \(url.host ?? "this host").")
        }
        let header = HTTPHeader.authorization(bearerToken: session.accessToken)
        guard header.isValid else { throw RequestBuildingError("The access token contains a line break.") }
        request.setValue(header.value, forHTTPHeaderField: header.name)
        state.withLock { $0.applied = session.accessToken }
    }

    /// Whether the session should be refreshed. False for 30 seconds after a failed refresh of a token that is still valid.
    public func needsReauthentication(at now: Date) async -> Bool {
        // If the session cannot be read, `authenticate(_:)` throws the error.
        guard let session = try? current(), session.shouldRefresh(at: now) else { return false }
        let isEarly = !session.isExpired(at: now)
        return state.withLock { state in
            let isWanted = !isEarly || now >= state.retryDate
            state.refreshedEarly = isEarly && isWanted ? session.accessToken : nil
            return isWanted
        }
    }

    /// Refreshes the session and stores it.
    ///
    /// - Throws: ``SessionError``, ``SessionStorageError``, and the errors of the refresh closure.
    public func reauthenticate() async throws {
        guard let session = try current() else { throw SessionError.notSignedIn }
        let applied = state.withLock(\.applied)
        // Another process, for example, has refreshed it.
        if let applied, session.accessToken != applied, !session.shouldRefresh(at: clock.now) { return }
        guard session.refreshToken != nil else { throw SessionError.notRefreshable }
        do {
            try store(try await refresh(session), inPlaceOf: session)
        } catch  where Self.isRefusal(error) {
            guard try await signOut(after: session) else { return }
            throw error
        } catch {
            guard canContinue(with: session) else { throw error }
        }
    }

    /// Returns the stored session, or the newer one that could not be stored.
    private func current() throws(SessionStorageError) -> Session? {
        guard let unsaved = state.withLock(\.unsaved) else { return try sessions.storedSession(for: userID) }
        let stored: Session?
        do { stored = try sessions.storedSession(for: userID) } catch { return unsaved.session }
        guard let stored, stored.refreshToken == unsaved.replaced else {
            state.withLock { $0.unsaved = nil }
            return stored
        }
        if (try? sessions.store(unsaved.session)) != nil { state.withLock { $0.unsaved = nil } }
        return unsaved.session
    }

    private func store(_ fresh: Session, inPlaceOf old: Session) throws {
        let replaced = state.withLock(\.unsaved).map(\.replaced) ?? old.refreshToken
        let session = Session(
            userID: userID, accessToken: fresh.accessToken, refreshToken: fresh.refreshToken ?? old.refreshToken,
            expiration: fresh.expiration)
        do {
            guard let stored = try sessions.storedSession(for: userID) else {
                state.withLock { $0.unsaved = nil }
                throw SessionError.notSignedIn
            }
            // The user signed in again during the refresh.
            guard stored.refreshToken == replaced else { return }
            try sessions.store(session)
            state.withLock { $0.unsaved = nil }
        } catch is SessionStorageError {
            state.withLock { $0.unsaved = (session, replaced) }
        }
    }

    /// - Returns: false if there is a newer session, because another process has used the refresh token first.
    private func signOut(after session: Session) async throws -> Bool {
        let stored = try? sessions.storedSession(for: userID)
        let isReplaced = stored.map { $0.refreshToken != session.refreshToken } ?? false
        if isReplaced, state.withLock({ $0.unsaved == nil }) { return false }
        state.withLock { $0.unsaved = nil }
        try sessions.remove(for: userID)
        await onSignOut?(userID)
        return true
    }

    /// Whether the failed refresh was early, so that the token is still valid.
    private func canContinue(with session: Session) -> Bool {
        let now = clock.now
        guard !session.isExpired(at: now) else { return false }
        return state.withLock { state in
            guard state.refreshedEarly == session.accessToken else { return false }
            // A later refresh is one that a refused request demands.
            state.refreshedEarly = nil
            state.retryDate = now.addingTimeInterval(Self.retryDelay)
            return true
        }
    }

    /// Whether the server refused the refresh, as opposed to an outage.
    private static func isRefusal(_ error: any Error) -> Bool {
        switch error {
        case SessionError.refreshRefused: return true
        case let error as OAuthError: return error.endsSession
        default:
            guard case .requestFailed(let status, _) = NetworkError(error) else { return false }
            return status == 401 || status == 403
        }
    }

    /// Shows the user, but no token.
    public var customMirror: Mirror { Mirror(self, children: ["userID": userID]) }
}
