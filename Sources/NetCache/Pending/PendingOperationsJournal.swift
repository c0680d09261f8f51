public import NetCore

/// Keeps pending operations in a file: each change is added at its end, and is on the medium before the call returns.
///
/// A process may be killed at any moment, and the power may fail: what was promised is there. A record that was not finished
/// is cut off when the file is opened next. A file that something else has damaged is read as far as it is whole, rewritten,
/// and kept beside the new one as `….damaged`: ``recovery`` says so. When half of the file is no longer needed, it is rewritten.
///
/// One journal owns a file, by a lock on `….lock` beside it. Both are for this user alone (0600), and not encrypted.
public final class PendingOperationsJournal: PendingOperationStorage {
    /// What was found when the file was opened.
    public struct Recovery: Hashable, Sendable {
        /// The bytes of a record that was never finished: the process ended, or the power failed, before the operation was
        /// promised to anybody.
        public internal(set) var tornBytes = 0
        /// The bytes that should be records and are not. An operation may be missing, or may be sent again with the idempotency
        /// key that it had.
        public internal(set) var damagedBytes = 0
        /// The damaged file; nil if there was no damage, or it could not be kept.
        public internal(set) var damagedFile: URL?
    }

    /// What was found when the file was opened.
    public let recovery: Recovery

    private let queue = IOQueue(label: "networking.pending.journal")
    private let file: JournalFile

    /// Opens the file, and makes it, and the folders above it (0700), if they are not there.
    ///
    /// - Throws: ``PendingOperationsError``: the file is in use, is no queue, or cannot be read or written.
    public init(fileURL: URL) async throws {
        guard fileURL.isFileURL else { throw PendingOperationsError.storageFailed("Give a file URL.") }
        file = try await queue.run { [path = fileURL.path] in
            try Self.translating { try JournalFile(path: path) }
        }
        recovery = file.recovery
    }

    /// The operations that are stored.
    ///
    /// - Throws: ``PendingOperationsError/storageFailed(_:)``.
    public func load() async throws -> [PendingOperation] {
        try await queue.run { [file] in try Self.translating { try file.operations() } }
    }

    /// Stores an operation.
    ///
    /// - Throws: ``PendingOperationsError/storageFailed(_:)``; then it is not stored.
    public func save(_ operation: PendingOperation) async throws {
        try await queue.run { [file] in try Self.translating { try file.append(.put(operation)) } }
    }

    /// Forgets an operation.
    ///
    /// - Throws: ``PendingOperationsError/storageFailed(_:)``; then it is there again after a restart.
    public func remove(id: UUID) async throws {
        try await queue.run { [file] in try Self.translating { try file.append(.remove(id)) } }
    }

    /// Forgets an operation that is done with: see ``PendingOperationStorage/removeSent(id:)``. One in 64 is put on the medium at once, and
    /// all before it with it.
    ///
    /// - Throws: ``PendingOperationsError/storageFailed(_:)``; then it is there again after a restart.
    public func removeSent(id: UUID) async throws {
        try await queue.run { [file] in try Self.translating { try file.append(.remove(id), syncs: false) } }
    }

    /// Puts on the medium what is not there yet.
    ///
    /// - Throws: ``PendingOperationsError/storageFailed(_:)``.
    public func flush() async throws {
        try await queue.run { [file] in try Self.translating { try file.flush() } }
    }

    deinit {
        // Work that has been done may hold the file for a moment longer.
        file.unlock()
    }

    /// Lets go of the file: another queue can open it when this returns.
    public func close() async {
        await queue.run { [file] in file.close() }
    }

    private static func translating<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as PendingOperationsError {
            throw error
        } catch {
            throw PendingOperationsError.storageFailed("\(error)")
        }
    }
}
