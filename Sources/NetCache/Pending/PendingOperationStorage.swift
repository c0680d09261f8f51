public import NetCore

/// Where a ``PendingOperationsQueue`` keeps its operations: ``PendingOperationsJournal``, or a database of your own.
///
/// The queue is its only user, and calls one method at a time.
public protocol PendingOperationStorage: Sendable {
    /// All operations, in any order.
    func load() async throws -> [PendingOperation]

    /// Stores an operation, in place of one with the same ``PendingOperation/id``. When it returns, the operation must outlive a
    /// crash: the queue has promised it to its caller.
    func save(_ operation: PendingOperation) async throws

    /// Forgets an operation, so that it is not there after a crash either. Does nothing if it is not there.
    func remove(id: UUID) async throws

    /// Forgets an operation that is done with, at once for a process that starts after this one was killed. A power failure may bring it
    /// back until ``flush()`` has returned: then it is sent a second time, under the same idempotency key. By default the same as
    /// ``remove(id:)``.
    func removeSent(id: UUID) async throws

    /// Returns when what ``removeSent(id:)`` forgot stays so after a power failure too. Called at the end of each pass. By default does
    /// nothing.
    func flush() async throws

    /// Lets go of what the storage holds, so that another queue can open it. The queue calls nothing afterwards. By default does nothing.
    func close() async
}

extension PendingOperationStorage {
    /// The same as ``remove(id:)``.
    public func removeSent(id: UUID) async throws {
        try await remove(id: id)
    }

    /// Does nothing.
    public func flush() async throws {}

    /// Does nothing.
    public func close() async {}
}
