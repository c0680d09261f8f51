import NetCore

/// A part of a file on its way to be whole: bytes are added at its end. Its length is the truth of what has arrived.
///
/// It is locked for as long as it is open, so that no other process adds to it.
final class PartFile: Sendable {
    let path: String
    /// Whether this is the only one that has it open.
    let isLocked: Bool
    private let file: DiskFile
    private let lane = IOQueue.lane()
    private let state: Locked<State>

    private struct State {
        var length: Int64
        var durable: Int64
        var isSyncing = false
    }

    /// How many bytes may be written before they are put on the medium.
    private static let syncInterval: Int64 = 64 << 20
    /// One for all: what is synced takes its time, and nothing waits for it.
    private static let syncLane = IOQueue(label: "networking.downloads.sync")

    /// - Parameter isNew: makes it, if it is not there.
    init(_ path: String, isNew: Bool) throws(DownloadError) {
        do throws(SystemError) {
            file = try DiskFile(path, O_RDWR | O_APPEND | (isNew ? O_CREAT : 0))
            let status = try file.status()
            guard status.isRegular else { throw SystemError("open", path, code: EINVAL) }
            state = Locked(State(length: status.size, durable: 0))
        } catch {
            throw DownloadError(error, at: path)
        }
        self.path = path
        isLocked = file.lock(.exclusive)
    }

    var length: Int64 { state.withLock { $0.length } }
    /// How many bytes are known to be on the medium.
    var durable: Int64 { state.withLock { $0.durable } }

    /// Lets others add to it. It is not to be used afterwards.
    func unlock() {
        file.unlock()
    }

    /// Adds bytes. Returns when the system has them: a killed process loses none of them.
    func append(_ data: Data) async throws(DownloadError) {
        try await onDisk { [file] () throws(SystemError) in try file.write(data) }
    }

    func truncate(to length: Int64) async throws(DownloadError) {
        guard length < self.length else { return }
        try await onDisk { [file] () throws(SystemError) in try file.truncate(to: length) }
    }

    /// Returns when all bytes are on the medium.
    func sync() async throws(DownloadError) {
        let length = length
        try await onDisk { [file] () throws(SystemError) in try file.sync() }
        state.withLock { $0.durable = min(length, $0.length) }
    }

    /// Begins to put the bytes on the medium if there are many new ones.
    ///
    /// - Parameter completion: called when they are there.
    func syncIfDue(_ completion: @escaping @Sendable () -> Void) {
        let length = state.withLock { state -> Int64? in
            guard !state.isSyncing, state.length - state.durable >= Self.syncInterval else { return nil }
            state.isSyncing = true
            return state.length
        }
        guard let length else { return }
        Self.syncLane.start { [self] in
            let isSynced = (try? file.sync()) != nil
            state.withLock { state in
                state.isSyncing = false
                if isSynced { state.durable = min(length, state.length) }
            }
            if isSynced { completion() }
        }
    }

    /// Adds the bytes of another part.
    func append(contentsOf other: PartFile) async throws {
        var position: Int64 = 0
        while let piece = try await other.piece(at: position) {
            try await append(piece)
            position += Int64(piece.count)
        }
    }

    /// The SHA-256 of its bytes from a position on, as they are on the disk now.
    func digest(from start: Int64 = 0) async throws -> Data {
        var hash = SHA256()
        var position = start
        while let piece = try await piece(at: position) {
            position += Int64(piece.count)
            // There too: it takes a millisecond.
            hash = await lane.run { [hash] in
                var hash = hash
                hash.update(piece)
                return hash
            }
        }
        return Data(hash.finalize())
    }

    /// The bytes from a position on, a quarter of a megabyte at the most; nil at the end.
    private func piece(at position: Int64) async throws -> Data? {
        try Task.checkCancellation()
        do {
            let piece = try await lane.run { [file] () throws(SystemError) in
                try file.read(256 << 10, at: position)
            }
            return piece.isEmpty ? nil : piece
        } catch {
            throw DownloadError(error, at: path)
        }
    }

    private func onDisk(_ work: @escaping @Sendable () throws(SystemError) -> Void) async throws(DownloadError) {
        do throws(SystemError) {
            try await lane.run(work)
            try noteLength()
        } catch {
            // A part of it may have been written.
            try? noteLength()
            throw DownloadError(error, at: path)
        }
    }

    private func noteLength() throws(SystemError) {
        let size = try file.status().size
        state.withLock { state in
            state.length = size
            state.durable = min(state.durable, size)
        }
    }
}
