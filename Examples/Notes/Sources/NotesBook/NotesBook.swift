import NetCache
import NetClient

/// Notes that can be read and written whether or not there is a network.
///
/// Writing puts a request into a queue on disk and returns; the queue sends it when it can, in order, also after a restart. Reading asks the
/// server, and if that cannot be reached, the disk. What waits in the queue is laid over both, so that users see what they wrote.
package actor NotesBook {
    /// What there is to show.
    package struct Page: Sendable {
        /// The oldest first.
        package let notes: [Note]
        /// Whether the server has just said so.
        package let isUpToDate: Bool
        /// How many changes have still to reach the server.
        package let waiting: Int
        /// Changes that the server has refused for good. They are shown to nobody else; discard them, or have them sent again.
        package let refused: [PendingOperation]
    }

    private let queue: PendingOperationsQueue
    private let shelf: Shelf
    private let remote: OfflineFirst<[Note]>

    /// Opens the notes in a folder.
    ///
    /// - Parameters:
    ///   - folder: is made if it is not there. One book at a time has it.
    ///   - client: knows where the server is.
    /// - Throws: if the folder cannot be written, or is in use.
    package init(folder: URL, client: NetworkClient) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let shelf = Shelf(folder: folder.appendingPathComponent("cache", isDirectory: true))
        self.shelf = shelf
        queue = try await PendingOperationsQueue(
            fileURL: folder.appendingPathComponent("outbox"), client: client, clock: client.clock)
        remote = OfflineFirst(
            cached: { try shelf.read().map { .init($0, isFresh: false) } },
            store: { try shelf.write($0) },
            fetch: { try await client.request(GetNotes()) })
    }

    // MARK: Reading

    /// The notes: from the server, or if it cannot be reached, from this device.
    ///
    /// - Throws: `NetworkFailure` if there are none here either, or if the server refuses.
    package func page() async throws -> Page {
        // Also what is sent while the server answers, which may or may not be in its answer.
        let before = await queue.operations
        let isUpToDate: Bool
        var notes: [Note]
        do {
            let snapshot = try await remote.value(.networkFirst)
            isUpToDate = snapshot.source == .network
            notes = snapshot.value
        } catch  where !before.isEmpty {
            // Never online so far, and there is something to show all the same.
            isUpToDate = false
            notes = []
        }
        let operations = await queue.operations
        for change in (before + operations).compactMap(Change.init) { change.apply(to: &notes) }
        try shelf.write(notes)
        return Page(
            notes: notes.sorted { $0.changedAt < $1.changedAt }, isUpToDate: isUpToDate,
            waiting: operations.filter { $0.state != .failed }.count,
            refused: operations.filter { $0.state == .failed })
    }

    // MARK: Writing

    /// Adds a note, or changes it. When it returns, the change is on the disk, and will be sent.
    package func save(_ note: Note) async throws {
        try await queue.add(PutNote(note: note))
        try remember(.saved(note))
    }

    /// Deletes a note.
    package func delete(_ id: Note.ID) async throws {
        try await queue.add(DeleteNote(id: id))
        try remember(.deleted(id))
    }

    /// Takes out a change that the server has refused.
    package func discard(_ operation: PendingOperation) async throws {
        try await queue.remove(operation.id)
    }

    /// So that a note is still to be seen when it has left the queue and the server is out of reach again.
    private func remember(_ change: Change) throws {
        var notes = try shelf.read() ?? []
        change.apply(to: &notes)
        try shelf.write(notes)
    }

    // MARK: Sending

    /// Sends what waits, in order, until something cannot be sent.
    @discardableResult
    package func sync() async -> PendingOperationsQueue.Summary {
        await queue.processAll()
    }

    /// Does so by itself: when something is written, when the network is back, and some time after a failure. Returns when its task is
    /// cancelled.
    package nonisolated func keepInSync(monitor: any ConnectionMonitoring) async {
        await queue.run(monitor: monitor)
    }
}
