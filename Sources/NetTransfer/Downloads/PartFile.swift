import NetCore

/// A part of an unfinished file, to which bytes are appended. Its length tells how many bytes have arrived.
///
/// It is locked while it is open, so that no other process writes to it.
final class PartFile: Sendable {
    let path: String
    /// Whether this process holds the lock.
    let isLocked: Bool
    private let file: DiskFile
    private let lane = IOQueue.lane()
    private let state: Locked<State>

    private struct State {
        var length: Int64
        var durable: Int64
        var isSyncing = false
    }

    /// The number of bytes that may be written before a sync.
    private static let syncInterval: Int64 = 64 << 20
    /// One queue for all parts: a sync takes long, and nothing waits for it.
    private static let syncLane = IOQueue(label: "networking.downloads.sync")

    /// - Parameter isNew: whether to create a missing file.
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
    /// The number of bytes that are known to be on the medium.
    var durable: Int64 { state.withLock { $0.durable } }

    /// Releases the lock. Do not use the part afterwards.
    func unlock() {
        file.unlock()
    }

    /// Appends bytes. Returns when the system has them, so that a killed process loses none.
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

    /// Starts a sync if there are many new bytes.
    ///
    /// - Parameter completion: called when the bytes are on the medium.
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

    /// Appends the bytes of another part.
    func append(contentsOf other: PartFile) async throws {
        var position: Int64 = 0
        while let piece = try await other.piece(at: position) {
            try await append(piece)
            position += Int64(piece.count)
        }
    }

    /// Returns the SHA-256 of the bytes on disk, from a position on.
    func digest(from start: Int64 = 0) async throws -> Data {
        var hash = SHA256()
        var position = start
        while let piece = try await piece(at: position) {
            position += Int64(piece.count)
            // Hashing a piece takes a millisecond, so it runs on the lane too.
            hash = await lane.run { [hash] in
                var hash = hash
                hash.update(piece)
                return hash
            }
        }
        return Data(hash.finalize())
    }

    /// Returns up to 256 KiB from a position on, or nil at the end.
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
            // Some of the bytes may have been written.
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
