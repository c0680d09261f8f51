public import NetCore

/// Where a ``SessionProvider`` keeps sessions: bytes by user, which are secret.
///
/// `KeychainSessionStorage` (Apple), ``FileSessionStorage``, `KernelKeyringSessionStorage` (Linux) and
/// ``InMemorySessionStorage`` are ready. One of your own may be called from several threads at once; the provider lets one write at a
/// time. Nil means that nothing is stored, and nothing else: throw ``SessionStorageError/unavailable(_:)`` where that is not known.
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
    /// What was stored for a user; nil if that is nothing.
    func data(for userID: String) throws -> Data?
    /// Stores bytes in place of those before, whole or not at all.
    func store(_ data: Data, for userID: String) throws
    /// Removes what is stored for a user. Nothing there is no error.
    func remove(for userID: String) throws
    /// Removes everything that it has stored.
    func removeAll() throws
}

/// Keeps sessions in the process's memory: gone when that ends.
public final class InMemorySessionStorage: SessionStorage {
    private let entries = Locked<[String: Data]>([:])

    /// An empty one.
    public init() {}

    /// What was stored for a user.
    public func data(for userID: String) -> Data? { entries.withLock { $0[userID] } }
    /// Stores bytes in place of those before.
    public func store(_ data: Data, for userID: String) { entries.withLock { $0[userID] = data } }
    /// Removes what is stored for a user.
    public func remove(for userID: String) { entries.withLock { $0[userID] = nil } }
    /// Removes everything.
    public func removeAll() { entries.withLock { $0 = [:] } }
}

extension InMemorySessionStorage: CustomReflectable {
    /// Shows nothing of what it keeps.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
