import Dispatch
public import NetCore

/// Keeps the sessions of users, so that they survive the end of the app (seed 000).
///
/// ```swift
/// let sessions = SessionProvider()
/// sessions.setSession(Session(userID: "42", accessToken: "access", refreshToken: "refresh"))
/// if let session = sessions.getSession(for: "42") { print(session) }
/// ```
///
/// On Apple it stores in the keychain, on Linux in files that only this user can read; other ``SessionStorage`` can be given. It
/// keeps no copy in memory unless asked to.
///
/// **Not now is not never.** The four methods of the seed cannot throw. What fails in them goes to `onFailure`, and
/// ``getSession(for:)`` then gives nil, as it does when there is no session. Where that matters (before a user is signed out) ask
/// ``storedSession(for:)``, which throws ``SessionStorageError`` when it does not know.
///
/// **Expired sessions** are not given out by ``getSession(for:)``. One that cannot be refreshed is removed; one with a refresh token
/// stays, since it can still be turned into a new one: ``storedSession(for:)`` gives it to ``SessionAuthenticator``.
///
/// A subclass may override the four methods of the seed; the throwing ones go through them. It has to repeat
/// `@unchecked Sendable`, and so to guard its own state: this class is the one exception to this SDK's rule, because the seed lets
/// users subclass it.
open class SessionProvider: @unchecked Sendable {
    // Unchecked, since the class is open. Its own properties are constant, and Sendable or guarded by `queue`.
    private let storage: any SessionStorage
    private let clock: any NetworkClock
    private let onFailure: (@Sendable (SessionStorageError) -> Void)?
    /// Nil unless copies are wanted.
    private let copies: Locked<[String: Session]>?
    /// Reads side by side; writes, and the removal of what has expired, alone.
    private let queue = DispatchQueue(label: "networking.sessions", attributes: .concurrent)

    /// A provider over some storage.
    ///
    /// - Parameters:
    ///   - storage: where the sessions are.
    ///   - keepsCopies: whether sessions that were read or written stay in memory too, which spares the storage on each request. A
    ///     change made by another process is then not seen.
    ///   - clock: tells what has expired.
    ///   - onFailure: told of what fails in the methods that cannot throw.
    public init(
        storage: any SessionStorage,
        keepsCopies: Bool = false,
        clock: any NetworkClock = .system,
        onFailure: (@Sendable (SessionStorageError) -> Void)? = nil
    ) {
        self.storage = storage
        self.clock = clock
        self.onFailure = onFailure
        copies = keepsCopies ? Locked([:]) : nil
    }

    /// A provider over the system's usual storage: `KeychainSessionStorage` on Apple, ``FileSessionStorage`` in the user's folder for
    /// application state on Linux, without encryption of its own.
    public convenience init() {
        self.init(storage: PlatformSessionStorage())
    }

    // MARK: Seed 000

    /// Stores a session in place of the user's last one. It is stored when this returns.
    open func setSession(_ session: Session) {
        attempt {
            try queue.sync(flags: .barrier) {
                try storage.store(try JSONEncoder().encode(session), for: session.userID)
                copies?.withLock { $0[session.userID] = session }
            }
        }
    }

    /// The user's session. Nil if there is none, if its access token has ended, or if the storage failed.
    open func getSession(for userID: String) -> Session? {
        attempt {
            guard let session = try queue.sync(execute: { try read(userID) }) else { return nil }
            guard session.isExpired(at: clock.now) else { return session }
            // Who asks with errors knows what to do with it.
            if session.refreshToken != nil { return SessionQuestion.current == nil ? nil : session }
            try queue.sync(flags: .barrier) { try removeIfDead(userID) }
            return nil
        } ?? nil
    }

    /// Removes the user's session: the end of being signed in.
    open func removeSession(for userID: String) {
        attempt {
            try queue.sync(flags: .barrier) {
                copies?.withLock { $0[userID] = nil }
                try storage.remove(for: userID)
            }
        }
    }

    /// Removes the sessions of all users.
    open func clearAll() {
        attempt {
            try queue.sync(flags: .barrier) {
                copies?.withLock { $0 = [:] }
                try storage.removeAll()
            }
        }
    }

    // MARK: With errors

    /// The user's session, also if its access token has ended but it can be refreshed; nil if there is none.
    ///
    /// - Throws: ``SessionStorageError`` if that is not known now.
    public final func storedSession(for userID: String) throws(SessionStorageError) -> Session? {
        try asking { getSession(for: userID) }
    }

    /// Stores a session in place of the user's last one: ``setSession(_:)`` with its errors.
    ///
    /// - Throws: ``SessionStorageError``; what was stored before is then still there.
    public final func store(_ session: Session) throws(SessionStorageError) {
        try asking { setSession(session) }
    }

    /// Removes the user's session: ``removeSession(for:)`` with its errors.
    ///
    /// - Throws: ``SessionStorageError``: then it may still be there.
    public final func remove(for userID: String) throws(SessionStorageError) {
        try asking { removeSession(for: userID) }
    }

    /// Removes the sessions of all users: ``clearAll()`` with its errors.
    ///
    /// - Throws: ``SessionStorageError``: then some may still be there.
    public final func removeAll() throws(SessionStorageError) {
        try asking { clearAll() }
    }

    // MARK: Inside

    private func read(_ userID: String) throws -> Session? {
        if let copy = copies?.withLock({ $0[userID] }) { return copy }
        guard let data = try storage.data(for: userID) else { return nil }
        guard let session = try? JSONDecoder().decode(Session.self, from: data), session.userID == userID else {
            throw SessionStorageError.unreadable("What is stored for this user is no session. Sign in again.")
        }
        copies?.withLock { $0[userID] = session }
        return session
    }

    /// Looks again, since another session may have come meanwhile.
    private func removeIfDead(_ userID: String) throws {
        guard let session = try read(userID), session.isExpired(at: clock.now), session.refreshToken == nil else {
            return
        }
        copies?.withLock { $0[userID] = nil }
        try storage.remove(for: userID)
    }

    @discardableResult
    private func attempt<Value>(_ work: () throws -> Value) -> Value? {
        do {
            return try work()
        } catch {
            let error = SessionStorageError(error)
            if let question = SessionQuestion.current { question.note(error) } else { onFailure?(error) }
            return nil
        }
    }

    /// Asks a method that cannot throw, which somebody may have overridden, and learns of what failed in it.
    private func asking<Value>(_ method: () -> Value) throws(SessionStorageError) -> Value {
        let question = SessionQuestion()
        let value = SessionQuestion.$current.withValue(question, operation: method)
        if let failure = question.failure { throw failure }
        return value
    }
}

extension SessionProvider: CustomReflectable {
    /// Shows nothing of the sessions.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// What a throwing method wants to know of the one that does not throw.
private final class SessionQuestion: Sendable {
    @TaskLocal static var current: SessionQuestion?

    private let noted = Locked<SessionStorageError?>(nil)

    var failure: SessionStorageError? { noted.withLock { $0 } }

    func note(_ failure: SessionStorageError) {
        noted.withLock { $0 = $0 ?? failure }
    }
}
