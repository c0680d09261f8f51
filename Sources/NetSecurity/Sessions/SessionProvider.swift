import Dispatch
public import NetCore

/// Keeps the sessions of users, so that they survive the end of the app.
///
/// ```swift
/// let sessions = SessionProvider()
/// sessions.setSession(Session(userID: "42", accessToken: "access", refreshToken: "refresh"))
/// if let session = sessions.getSession(for: "42") { print(session) }
/// ```
///
/// The default storage is the keychain on Apple platforms, and files that only this user can read on Linux. Sessions are not kept in
/// memory by default.
///
/// **Temporary failures.** ``setSession(_:)``, ``getSession(for:)``, ``removeSession(for:)`` and ``clearAll()`` do not throw. Their
/// errors go to `onFailure`, and ``getSession(for:)`` then returns nil, as if there were no session. Where the difference matters, such
/// as before signing a user out, use ``storedSession(for:)``, which throws ``SessionStorageError``.
///
/// **Expired sessions.** ``getSession(for:)`` does not return them. It removes a session that cannot be refreshed. A session with a
/// refresh token stays, and ``storedSession(for:)`` returns it to ``SessionAuthenticator``.
///
/// **Subclasses** may override the four methods that do not throw; the throwing ones call them. A subclass must repeat `@unchecked
/// Sendable`, and guard its own state.
open class SessionProvider: @unchecked Sendable, CustomReflectable {
    // Unchecked because the class is open. Its own properties are constant, and Sendable or guarded by `queue`.
    private let storage: any SessionStorage
    private let clock: any NetworkClock
    private let onFailure: (@Sendable (SessionStorageError) -> Void)?
    /// The copies of sessions, or nil if none are kept.
    private let copies: Locked<[String: Session]>?
    /// Reads run concurrently; writes, and the removal of expired sessions, exclusively.
    private let queue = DispatchQueue(label: "networking.sessions", attributes: .concurrent)
    /// Takes the first error of a method that does not throw, for one that does.
    @TaskLocal private static var captured: Locked<SessionStorageError?>?

    /// Creates a provider over a storage.
    ///
    /// - Parameters:
    ///   - storage: contains the sessions.
    ///   - keepsCopies: whether sessions also stay in memory, so that requests do not read the storage. Changes by other processes are then not seen.
    ///   - clock: for expiration.
    ///   - onFailure: receives the errors of the methods that do not throw.
    public init(
        storage: any SessionStorage, keepsCopies: Bool = false, clock: any NetworkClock = .system,
        onFailure: (@Sendable (SessionStorageError) -> Void)? = nil
    ) {
        self.storage = storage
        self.clock = clock
        self.onFailure = onFailure
        copies = keepsCopies ? Locked([:]) : nil
    }

    /// Creates a provider over the system's usual storage: `KeychainSessionStorage` on Apple platforms; ``FileSessionStorage``, unsealed, in the
    /// user's folder for application state on Linux: `$XDG_STATE_HOME` or `~/.local/state`.
    public convenience init() {
        #if canImport(Security)
            self.init(storage: KeychainSessionStorage())
        #else
            // An absolute path, as the XDG Base Directory Specification requires.
            let state = ProcessInfo.processInfo.environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            let home = FileManager.default.homeDirectoryForCurrentUser.path
            let folder = URL(fileURLWithPath: state ?? home + "/.local/state", isDirectory: true)
                .appendingPathComponent(ProcessInfo.processInfo.processName + "/sessions", isDirectory: true)
            self.init(storage: FileSessionStorage(directory: folder, usableKey: nil))
        #endif
    }

    /// Replaces the user's session, and returns when it is stored.
    open func setSession(_ session: Session) {
        change {
            try storage.store(try JSONEncoder().encode(session), for: session.userID)
            copies?.withLock { $0[session.userID] = session }
        }
    }

    /// Returns the user's session. Nil if there is none, if its access token has expired, or if the storage failed.
    open func getSession(for userID: String) -> Session? {
        attempt {
            guard let session = try queue.sync(execute: { try read(userID) }) else { return nil }
            guard session.isExpired(at: clock.now) else { return session }
            // Only `storedSession(for:)` returns a session that has to be refreshed first.
            if session.refreshToken != nil { return Self.captured == nil ? nil : session }
            change {
                // Reads again, since another session may have been stored meanwhile.
                guard let session = try read(userID), session.isExpired(at: clock.now), session.refreshToken == nil
                else { return }
                copies?.withLock { $0[userID] = nil }
                try storage.remove(for: userID)
            }
            return nil
        } ?? nil
    }

    /// Removes the user's session, which signs the user out.
    open func removeSession(for userID: String) {
        change {
            copies?.withLock { $0[userID] = nil }
            try storage.remove(for: userID)
        }
    }

    /// Removes the sessions of all users.
    open func clearAll() {
        change {
            copies?.withLock { $0 = [:] }
            try storage.removeAll()
        }
    }

    /// Returns the user's session, also if its access token has expired and it can be refreshed; nil if there is none.
    ///
    /// - Throws: ``SessionStorageError`` if the storage failed.
    public final func storedSession(for userID: String) throws(SessionStorageError) -> Session? {
        try capturingFailure { getSession(for: userID) }
    }

    /// Replaces the user's session.
    ///
    /// - Throws: ``SessionStorageError``. The previous session is then still stored.
    public final func store(_ session: Session) throws(SessionStorageError) {
        try capturingFailure { setSession(session) }
    }

    /// Removes the user's session.
    ///
    /// - Throws: ``SessionStorageError``. The session may then still be stored.
    public final func remove(for userID: String) throws(SessionStorageError) {
        try capturingFailure { removeSession(for: userID) }
    }

    /// Removes the sessions of all users.
    ///
    /// - Throws: ``SessionStorageError``. Some sessions may then still be stored.
    public final func removeAll() throws(SessionStorageError) { try capturingFailure { clearAll() } }

    private func read(_ userID: String) throws -> Session? {
        if let copy = copies?.withLock({ $0[userID] }) { return copy }
        guard let data = try storage.data(for: userID) else { return nil }
        guard let session = try? JSONDecoder().decode(Session.self, from: data), session.userID == userID else {
            throw SessionStorageError.unreadable("The stored bytes of this user are not a session. Sign in again.")
        }
        copies?.withLock { $0[userID] = session }
        return session
    }

    private func change(_ work: () throws -> Void) { attempt { try queue.sync(flags: .barrier, execute: work) } }

    @discardableResult
    private func attempt<Value>(_ work: () throws -> Value) -> Value? {
        do {
            return try work()
        } catch {
            let error = SessionStorageError(error)
            if let captured = Self.captured { captured.withLock { $0 = $0 ?? error } } else { onFailure?(error) }
            return nil
        }
    }

    /// Calls a method that does not throw, which a subclass may override, and throws the error that it reported.
    private func capturingFailure<Value>(_ method: () -> Value) throws(SessionStorageError) -> Value {
        let captured = Locked<SessionStorageError?>(nil)
        let value = Self.$captured.withValue(captured, operation: method)
        if let failure = captured.withLock({ $0 }) { throw failure }
        return value
    }

    /// Shows nothing of the sessions.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Keeps sessions in memory only: for tests, and for sessions that end with the process.
public final class InMemorySessionProvider: SessionProvider, @unchecked Sendable {
    // Unchecked as its superclass; it has no state of its own.

    /// Creates a provider without sessions.
    ///
    /// - Parameter clock: for expiration.
    public init(clock: any NetworkClock = .system) { super.init(storage: InMemorySessionStorage(), clock: clock) }
}
