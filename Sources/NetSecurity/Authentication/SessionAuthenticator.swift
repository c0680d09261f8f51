public import NetCore

/// Sends requests with the session of one user, and refreshes it: what stands between a ``SessionProvider`` and a client.
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
/// **Where the tokens go:** to `hosts` over https (or to this machine itself), within what the client allows: never to another origin
/// after a redirect. Requests to other hosts go without.
///
/// **When it refreshes:** ahead, as soon as ``Session/shouldRefresh(at:)`` says so, and after a refusal (401). The client does it once
/// for all requests. If a refresh ahead fails because of an outage, requests go on with the token that is still good, and it is tried
/// again after 30 seconds.
///
/// **When it signs out:** when the server refuses the refresh (``SessionError/refreshRefused``, OAuth's `invalid_grant`, or a
/// ``NetworkFailure`` with 401 or 403): the session is removed, `onSignOut` is called, and the requests fail with 401. Never because
/// of an outage, nor because the storage is locked.
///
/// **What is not lost:** a new session that cannot be stored is kept in memory and stored as soon as that is possible, since the old
/// refresh token is worth nothing any more. Nor does a refresh bring back a user who signed out, or signed in anew, meanwhile.
///
/// Make one for each user and share it: requests of two users with two authenticators in one client do not wait for each other, and
/// ``partition`` keeps their cached responses apart. Two for the *same* user would use one refresh token twice.
public final class SessionAuthenticator: AuthenticationProvider {
    /// Gets a new session for an old one.
    public typealias Refresh = @Sendable (Session) async throws -> Session

    /// Whose session it is.
    public let userID: String
    private let sessions: SessionProvider
    private let hosts: Set<String>
    private let clock: any NetworkClock
    private let refresh: Refresh
    private let onSignOut: (@Sendable (_ userID: String) async -> Void)?

    private struct State {
        /// The token that went with the last request.
        var applied: String?
        /// The token for which a replacement was asked ahead of its end.
        var ahead: String?
        /// Until when a failed refresh ahead is not repeated.
        var quietUntil = Date.distantPast
        /// A new session that is not stored yet, and the refresh token of the stored one that it replaces.
        var unsaved: (session: Session, replaced: String?)?
    }

    private let state = Locked(State())

    /// How long after a failed refresh ahead the next one is tried, in seconds.
    private static let quietTime: TimeInterval = 30

    /// An authenticator for one user.
    ///
    /// - Parameters:
    ///   - userID: whose session it is.
    ///   - sessions: where that is kept.
    ///   - hosts: where the tokens belong: `"api.example.com"`. Subdomains are hosts of their own.
    ///   - clock: the same as the client's.
    ///   - onSignOut: called after the session was removed because the server refused to refresh it.
    ///   - refresh: gets a new session. Its requests may go through the same client. A session without a refresh token keeps the
    ///     old one; the user stays the same.
    public init(
        userID: String,
        sessions: SessionProvider,
        hosts: Set<String>,
        clock: any NetworkClock = .system,
        onSignOut: (@Sendable (_ userID: String) async -> Void)? = nil,
        refresh: @escaping Refresh
    ) {
        self.userID = userID
        self.sessions = sessions
        self.hosts = Set(hosts.map(\.asciiLowercased))
        self.clock = clock
        self.onSignOut = onSignOut
        self.refresh = refresh
    }

    /// The user: what is cached for one is not given to another.
    public var partition: String? { userID }

    /// Whether the URL's host is one of those given.
    public func covers(_ url: URL) -> Bool {
        url.host.map { hosts.contains($0.asciiLowercased) } ?? false
    }

    /// Puts the access token into `Authorization`. Without a session the request goes without, and the server's refusal will tell.
    ///
    /// - Throws: ``SessionStorageError`` if the session cannot be read now; ``RequestBuildingError`` over plain http to another machine.
    public func authenticate(_ request: inout URLRequest) async throws {
        guard let url = request.url, covers(url), let session = try current() else { return }
        guard url.scheme?.asciiLowercased == "https" || url.isLoopback else {
            throw RequestBuildingError("Tokens go over https alone. Use an https URL for \(url.host ?? "this host").")
        }
        let header = HTTPHeader.authorization(bearerToken: session.accessToken)
        guard header.isValid else { throw RequestBuildingError("The access token has a line break in it.") }
        request.setValue(header.value, forHTTPHeaderField: header.name)
        state.withLock { $0.applied = session.accessToken }
    }

    /// Whether the session should be refreshed, unless that failed a moment ago and the token is still good.
    public func needsReauthentication(at now: Date) async -> Bool {
        // What cannot be read now cannot be refreshed: `authenticate(_:)` tells.
        guard let session = try? current(), session.shouldRefresh(at: now) else { return false }
        let isAhead = !session.isExpired(at: now)
        return state.withLock { state in
            if isAhead, now < state.quietUntil { return false }
            state.ahead = isAhead ? session.accessToken : nil
            return true
        }
    }

    /// Refreshes the session and stores it.
    ///
    /// - Throws: ``SessionError``, ``SessionStorageError``, and what the refresh throws.
    public func reauthenticate() async throws {
        guard let session = try current() else { throw SessionError.notSignedIn }
        let applied = state.withLock(\.applied)
        // Somebody else has refreshed it, such as another process.
        if let applied, session.accessToken != applied, !session.shouldRefresh(at: clock.now) { return }
        guard session.refreshToken != nil else { throw SessionError.notRefreshable }
        do {
            try store(try await refresh(session), inPlaceOf: session)
        } catch  where Self.isRefusal(error) {
            guard try await signOut(after: session) else { return }
            throw error
        } catch {
            guard goesOn(with: session) else { throw error }
        }
    }

    /// The session to use now: the stored one, or the newer one that could not be stored.
    private func current() throws(SessionStorageError) -> Session? {
        guard let unsaved = state.withLock(\.unsaved) else { return try sessions.storedSession(for: userID) }
        let stored: Session?
        do {
            stored = try sessions.storedSession(for: userID)
        } catch {
            return unsaved.session
        }
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
            // Signed in anew while this was on its way.
            guard stored.refreshToken == replaced else { return }
            try sessions.store(session)
            state.withLock { $0.unsaved = nil }
        } catch is SessionStorageError {
            state.withLock { $0.unsaved = (session, replaced) }
        }
    }

    /// - Returns: false if there is a newer session: another process has used the refresh token first.
    private func signOut(after session: Session) async throws -> Bool {
        if let stored = try? sessions.storedSession(for: userID), stored.refreshToken != session.refreshToken,
            state.withLock({ $0.unsaved == nil })
        {
            return false
        }
        state.withLock { $0.unsaved = nil }
        try sessions.remove(for: userID)
        await onSignOut?(userID)
        return true
    }

    /// Whether a refresh that failed was one ahead, so that the present token will do for now.
    private func goesOn(with session: Session) -> Bool {
        let now = clock.now
        guard !session.isExpired(at: now) else { return false }
        return state.withLock { state in
            guard state.ahead == session.accessToken else { return false }
            state.quietUntil = now.addingTimeInterval(Self.quietTime)
            return true
        }
    }

    /// Whether the server said no, as opposed to saying nothing.
    private static func isRefusal(_ error: any Error) -> Bool {
        switch error {
        case SessionError.refreshRefused: return true
        case let error as OAuthError: return error.endsSession
        default:
            guard case .requestFailed(let status, _) = NetworkError(mapping: error) else { return false }
            return status == 401 || status == 403
        }
    }
}

extension SessionAuthenticator: CustomReflectable {
    /// Shows the user, and no token.
    public var customMirror: Mirror { Mirror(self, children: ["userID": userID]) }
}
