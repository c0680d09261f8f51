public import NetCore

/// Where a ``SessionProvider`` keeps sessions: secret bytes for each user.
///
/// `KeychainSessionStorage` (Apple), ``FileSessionStorage`` and ``InMemorySessionStorage`` exist. Several threads may call a storage at once; the
/// provider lets one write at a time. Nil only means that nothing is stored. If that is not known, throw ``SessionStorageError/unavailable(_:)``.
///
/// ```swift
/// struct VaultStorage: SessionStorage {
///     func data(for userID: String) throws -> Data? { nil }
///     func store(_ data: Data, for userID: String) throws {}
///     func remove(for userID: String) throws {}
///     func removeAll() throws {}
/// }
/// let sessions = SessionProvider(storage: VaultStorage())
/// ```
public protocol SessionStorage: Sendable {
    /// Returns the stored bytes of a user; nil if there are none.
    func data(for userID: String) throws -> Data?
    /// Replaces the bytes of a user, whole or not at all.
    func store(_ data: Data, for userID: String) throws
    /// Removes the bytes of a user. Does nothing if there are none.
    func remove(for userID: String) throws
    /// Removes everything that it has stored.
    func removeAll() throws
}

/// Keeps sessions in the process's memory.
public final class InMemorySessionStorage: SessionStorage, CustomReflectable {
    private let entries = Locked<[String: Data]>([:])

    public init() {}

    public func data(for userID: String) -> Data? { entries.withLock { $0[userID] } }
    public func store(_ data: Data, for userID: String) { entries.withLock { $0[userID] = data } }
    public func remove(for userID: String) { entries.withLock { $0[userID] = nil } }
    public func removeAll() { entries.withLock { $0 = [:] } }

    /// Shows nothing of the sessions.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Why sessions could not be read or written. It never means that there is no session.
///
/// Do not sign a user out because of one: the session may be readable when the device is unlocked.
public enum SessionStorageError: Error, Hashable, Sendable, SecretFreeError, CredentialsUnavailable, LocalizedError {
    /// A temporary failure: the disk is full, the user did not authenticate, the system refused. Trying again later may help.
    case unavailable(String)
    /// The device, or on macOS the login keychain, is locked (`errSecInteractionNotAllowed`). Trying again after it is unlocked helps.
    case locked(String)
    /// Others could read or change the stored session (wider permissions, another owner, a symbolic link), so it was not touched.
    case insecure(String)
    /// The stored bytes are not a session: damaged, or sealed with another key. Signing in again replaces them.
    case unreadable(String)
    /// This system has no such storage, or no library to seal with.
    case unsupported(String)

    /// A stable name of the case, for logs.
    public var code: String {
        switch self {
        case .unavailable: "storage_unavailable"
        case .locked: "storage_locked"
        case .insecure: "storage_insecure"
        case .unreadable: "storage_unreadable"
        case .unsupported: "storage_unsupported"
        }
    }

    /// What happened and what to do, without tokens.
    public var message: String {
        switch self {
        case .unavailable(let text), .locked(let text), .insecure(let text), .unreadable(let text): text
        case .unsupported(let text): text
        }
    }

    /// Whether trying again later may help: ``unavailable(_:)`` and ``locked(_:)``.
    public var isTemporary: Bool {
        switch self {
        case .unavailable, .locked: true
        case .insecure, .unreadable, .unsupported: false
        }
    }

    /// Converts the error of any storage. An unknown error counts as temporary.
    init(_ error: any Error) {
        self = error as? SessionStorageError ?? .unavailable("The storage failed: \(secretFreeText(of: error)).")
    }

    public var description: String { "\(code): \(message)".onOneLine }
    public var errorDescription: String? { description }
}
