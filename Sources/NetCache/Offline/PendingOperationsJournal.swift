public import NetCore

extension PendingOperationsQueue {
    /// Stores the operations of a ``PendingOperationsQueue``, which calls one method at a time. Implement it for a database of your own.
    public protocol Storage: ProtocolDefaults.PendingOperationStorageMembers {
        /// Returns all operations, in any order.
        func load() async throws -> [PendingOperation]

        /// Stores an operation, in place of one with the same ``PendingOperation/id``. When it returns, the operation must survive a crash.
        func save(_ operation: PendingOperation) async throws

        /// Removes an operation. It must not come back after a crash. Does nothing for an unknown id.
        func remove(id: UUID) async throws

        /// Removes an operation that the server has accepted. It must not come back after the process was killed. A power failure may bring it back until
        /// ``flush()`` has returned. The queue then sends it a second time, with the same idempotency key. The default calls ``remove(id:)``.
        func removeSent(id: UUID) async throws

        /// Prepares for sending an operation. The queue calls it before each operation of a pass. Until ``flush()`` no other process may send
        /// operations of the same storage. The default returns nil, for a storage that one process uses.
        ///
        /// - Returns: all operations, if another process has changed them since the last call; otherwise nil.
        /// - Throws: an error that ends the pass, such as ``PendingOperationsQueue/Failure/inUse(path:)``.
        func prepareToSend() async throws -> [PendingOperation]?

        /// Ends a pass. Returns when the removals by ``removeSent(id:)`` survive a power failure. The default does nothing.
        func flush() async throws

        /// Releases the storage's resources, so that another queue can open it. The queue calls nothing afterwards. The default does nothing.
        func close() async
    }
}

extension PendingOperationsQueue.Storage {
    public func removeSent(id: UUID) async throws { try await remove(id: id) }
    public func flush() async throws {}
}

extension ProtocolDefaults {
    /// The members of a ``PendingOperationsQueue/Storage`` that have a default, in the types that the conforming type gives them: see ``ProtocolDefaults/EndpointMembers``.
    public protocol PendingOperationStorageMembers: Sendable {
        associatedtype DeclaredOperations = [PendingOperation]?
        associatedtype DeclaredCloseError: Error = Never

        /// The requirement of a ``PendingOperationsQueue/Storage``, in the declared type.
        func prepareToSend() async throws -> DeclaredOperations
        /// The requirement of a ``PendingOperationsQueue/Storage``, with the declared error.
        func close() async throws(DeclaredCloseError)
    }
}

extension PendingOperationsQueue.Storage where DeclaredOperations == [PendingOperation]? {
    public func prepareToSend() async throws -> [PendingOperation]? { nil }
}

extension PendingOperationsQueue.Storage where DeclaredOperations == [PendingOperation] {
    public func prepareToSend() async throws -> [PendingOperation]? {
        let declared: [PendingOperation] = try await prepareToSend()
        return declared
    }
}

extension PendingOperationsQueue.Storage where DeclaredCloseError == Never {
    public func close() async {}
}

extension PendingOperationsQueue.Storage {
    @available(*, unavailable, message: "Declare `func prepareToSend() async throws -> [PendingOperation]?`.")
    public func prepareToSend() async throws -> [PendingOperation]? { nil }

    @available(*, unavailable, message: "Declare `func close() async`, without `throws`.")
    public func close() async {}
}

extension PendingOperationsQueue {
    /// The state in which a queue found its file.
    public struct Recovery: Hashable, Sendable {
        /// The bytes of an unfinished record: the process ended, or power failed, before ``add(_:expiresIn:partition:)-(URLRequest,_,_)`` returned.
        public internal(set) var tornBytes = 0
        /// The bytes that should be records and are not. An operation may be missing, or the queue may send one again with its old idempotency key.
        public internal(set) var damagedBytes = 0
        /// A copy of the damaged file. Nil if there was no damage, or the copy failed.
        public internal(set) var damagedFile: URL?
    }
}

/// Stores pending operations in a file. It appends a record for each operation, marks it when the operation is removed, and syncs before it returns.
/// Opening the file cuts off an unfinished record. Of a damaged file, all whole records are rewritten, and the file is kept as `….damaged`: see
/// ``recovery``. It is rewritten when less than half is needed, and truncated when it is empty. Several processes may use it.
final class PendingOperationsJournal: PendingOperationsQueue.Storage {
    let recovery: PendingOperationsQueue.Recovery

    private let queue = IOQueue(label: "networking.pending.journal")
    private let file: JournalFile

    /// Opens the file. Creates the file (0600) and the folders above it (0700) if they do not exist.
    init(fileURL: URL) async throws {
        guard fileURL.isFileURL else { throw PendingOperationsQueue.Failure.storageFailed("Give a file URL.") }
        file = try await queue.run { [path = fileURL.path] in
            try Self.translating { try JournalFile(path: path) }
        }
        recovery = file.recovery
    }

    func load() async throws -> [PendingOperation] { try await run { try $0.operations() } }
    func save(_ operation: PendingOperation) async throws { try await run { try $0.save(operation) } }
    func remove(id: UUID) async throws { try await run { try $0.remove(id, syncs: true) } }

    /// Syncs one removal in 64, and all removals before it.
    func removeSent(id: UUID) async throws { try await run { try $0.remove(id, syncs: false) } }
    func prepareToSend() async throws -> [PendingOperation]? { try await run { try $0.beginPass() } }
    func flush() async throws { try await run { try $0.endPass() } }
    func close() async { await queue.run { [file] in file.close() } }

    private func run<Value: Sendable>(_ work: @escaping @Sendable (JournalFile) throws -> Value) async throws -> Value {
        try await queue.run { [file] in try Self.translating { try work(file) } }
    }

    private static func translating<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as PendingOperationsQueue.Failure {
            throw error
        } catch {
            throw PendingOperationsQueue.Failure.storageFailed("\(error)")
        }
    }
}
