import NetCore

/// The file of an unfinished download. Several connections may write their parts in place.
///
/// A file in one part grows, and its length tells how many bytes have arrived. A file in several has its full length from the start. Then a
/// second file tells the number for each part (``DownloadRecord/countsPath``). It is written after the bytes, so it is never ahead of them.
///
/// The file is locked while it is open, so that no other process writes to it.
final class UnfinishedFile: Sendable {
    let path: String
    let isLocked: Bool
    private let file: DiskFile
    private let countsPath: String
    private let content: Locked<[FilePart]>
    private let lane = IOQueue.lane()

    /// Opens the file of a record, in one part. If `isNew`, creates a missing file.
    init(_ record: DownloadRecord, isNew: Bool) throws(SystemError) {
        path = record.gatheringPath
        countsPath = record.countsPath
        file = try DiskFile(path, O_RDWR | (isNew ? O_CREAT : 0))
        let holdsLock = file.lock(.exclusive)
        let status = try file.status()
        guard status.isRegular else { throw SystemError("open", path, code: EINVAL) }
        // Another run may have moved its file to the destination before this lock.
        isLocked = holdsLock && Directory.status(of: path)?.inode == status.inode
        content = Locked([FilePart(of: file, start: 0, count: status.size)])
    }

    /// The parts, in the order of their positions.
    var parts: [FilePart] { content.withLock { $0 } }
    /// The number of bytes that have arrived, in all parts.
    var received: Int64 { parts.reduce(0) { $0 + $1.length } }
    /// For each part, the number of bytes that are known to be on the medium.
    var durable: [Int64] { parts.map(\.durable) }

    /// Returns the length of the file, with bytes that have not arrived.
    func length() throws(SystemError) -> Int64 { try file.status().size }

    /// Releases the lock. Do not use the file afterwards.
    func unlock() { file.unlock() }

    // MARK: Parts

    /// Makes room for the whole file, to be written in parts. Nothing has arrived.
    func divide(at starts: [Int64], length: Int64) throws(SystemError) {
        try open(starts, counts: starts.map { _ in 0 })
        try file.reserve(length)
    }

    /// Continues a file that was divided, with the `known` number of bytes in each part, or nil to read them from the second file. Returns false
    /// if the numbers are missing or wrong, or the file is not as long as it was. It has one part then.
    func reopen(_ record: DownloadRecord, known: [Int64]?) throws(SystemError) -> Bool {
        guard let length = record.file.length, try self.length() == length,
            let counts = known ?? Self.counts(of: record), Self.fit(counts, record)
        else { return false }
        try open(record.starts, counts: counts)
        return true
    }

    /// Returns the number of bytes on disk, without opening the file for writing.
    static func received(_ record: DownloadRecord) -> Int64 {
        guard record.starts.count > 1 else { return Directory.status(of: record.gatheringPath)?.size ?? 0 }
        guard let counts = counts(of: record), fit(counts, record) else { return 0 }
        return counts.reduce(0, +)
    }

    /// Whether each number is at most the length of its part. Their sum is at most that of the file then.
    private static func fit(_ counts: [Int64], _ record: DownloadRecord) -> Bool {
        record.starts.indices.allSatisfy { 0...((record.end(of: $0) ?? .max) - record.starts[$0]) ~= counts[$0] }
    }

    /// Returns what the second file says, or nil if it does not have a number for each part.
    private static func counts(of record: DownloadRecord) -> [Int64]? {
        let count = record.starts.count
        guard let data = try? DiskFile(record.countsPath, O_RDONLY).read(count * 8 + 1, at: 0),
            data.count == count * 8
        else { return nil }
        var reader = ByteReader(data)
        return try? (0..<count).map { _ in try reader.number() }
    }

    private func open(_ starts: [Int64], counts: [Int64]) throws(SystemError) {
        let known = try DiskFile(countsPath, O_RDWR | O_CREAT)
        try known.truncate(to: 0)
        try known.write(Self.bytes(counts), at: 0)
        let parts = starts.indices.map { index in
            FilePart(of: file, start: starts[index], count: counts[index], counts: (known, index))
        }
        content.withLock { $0 = parts }
    }

    fileprivate static func bytes(_ counts: [Int64]) -> Data { counts.reduce(into: ByteWriter()) { $0.write($1) }.data }

    /// Keeps only the first part.
    func join() throws(SystemError) { try truncate(to: parts[0].length) }

    /// Shortens the file, which has one part then.
    func truncate(to length: Int64) throws(SystemError) {
        // Without the numbers, a process that is killed in between leaves a file that starts over.
        Directory.remove(countsPath)
        if try file.status().size > length { try file.truncate(to: length) }
        content.withLock { parts in
            parts = [FilePart(of: file, start: 0, count: length, durable: min(parts[0].durable, length))]
        }
    }

    // MARK: Bytes

    /// Returns when all bytes are on the medium.
    func sync() async throws(SystemError) {
        let lengths = parts.map { ($0, $0.length) }
        try await lane.run { [file] () throws(SystemError) in try file.sync() }
        for (part, length) in lengths { part.durable = length }
    }

    /// Copies the bytes to a new file, which the record names, and returns when they are on its medium.
    func copy(to record: DownloadRecord) async throws {
        let copy = try UnfinishedFile(record, isNew: true)
        try copy.truncate(to: 0)
        var position: Int64 = 0
        while let piece = try await piece(at: position, before: .max) {
            try await copy.parts[0].append(piece, writesBack: true)
            position += Int64(piece.count)
        }
        try await copy.sync()
    }

    /// Returns the SHA-256 of the bytes of a part on disk, from a position in the part on.
    func digest(of part: FilePart, from position: Int64) async throws -> Data {
        try await digest(of: part.start + position..<part.start + max(position, part.length))
    }

    /// Returns the SHA-256 of the bytes on disk between two positions.
    func digest(of range: Range<Int64> = 0..<Int64.max) async throws -> Data {
        let hash = Locked(SHA256())
        var position = range.lowerBound
        while let piece = try await piece(at: position, before: range.upperBound) {
            position += Int64(piece.count)
            // Hashing a piece takes a millisecond, so it runs on the lane too.
            await lane.run { hash.withLock { $0.update(piece) } }
        }
        return Data(hash.withLock { $0.finalize() })
    }

    /// Returns up to 256 KiB from a position on, or nil at the end.
    private func piece(at position: Int64, before end: Int64) async throws -> Data? {
        try Task.checkCancellation()
        let piece = try await lane.run { [file] () throws(SystemError) in
            try file.read(Int(min(256 << 10, end - position)), at: position)
        }
        return piece.isEmpty ? nil : piece
    }
}

/// A part of an unfinished file, which one connection writes.
final class FilePart: Sendable {
    private struct State {
        /// The number of bytes that have arrived.
        var count: Int64
        var durable: Int64
        /// The number of bytes that are on their way to the medium.
        var flushed: Int64 = 0
        var isFlushing = false
    }

    let start: Int64
    private let file: DiskFile
    /// The file that tells the number of bytes, and the place of this part in it; nil for the only part.
    private let counts: (file: DiskFile, index: Int)?
    private let state: Locked<State>
    private let lane = IOQueue.lane()

    /// The number of bytes that are written before they are sent on to the medium. The rest is what the last sync waits for.
    private static let flushInterval: Int64 = 8 << 20
    /// One queue for all files. The call may wait for a busy device, and no caller waits for it.
    private static let flushLane = IOQueue(label: "networking.downloads.flush")

    fileprivate init(
        of file: DiskFile, start: Int64, count: Int64, durable: Int64 = 0, counts: (DiskFile, Int)? = nil
    ) {
        self.file = file
        self.start = start
        self.counts = counts
        state = Locked(State(count: count, durable: durable))
    }

    var length: Int64 { state.withLock { $0.count } }

    /// The number of bytes that are known to be on the medium.
    fileprivate(set) var durable: Int64 {
        get { state.withLock { $0.durable } }
        set { state.withLock { $0.durable = newValue } }
    }

    /// Adds bytes. Returns when the system has them, so that a killed process loses none. If it `writesBack`, they go on to the medium soon.
    func append(_ data: Data, writesBack: Bool) async throws(SystemError) {
        let old = length
        let new = old + Int64(data.count)
        do throws(SystemError) {
            try await lane.run { [file, start, counts] () throws(SystemError) in
                try file.write(data, at: start + old)
                try counts?.file.write(UnfinishedFile.bytes([new]), at: Int64(counts?.index ?? 0) * 8)
            }
        } catch {
            // Some of the bytes may have been written.
            if counts == nil, let size = try? file.status().size {
                state.withLock { $0.count = min(max(size, old), new) }
            }
            throw error
        }
        state.withLock { $0.count = new }
        if writesBack { flushIfDue() }
    }

    /// Starts to write new bytes to the medium if they are many.
    private func flushIfDue() {
        let range = state.withLock { state -> (start: Int64, count: Int64)? in
            let (flushed, count) = (state.flushed, state.count - state.flushed)
            guard !state.isFlushing, count >= Self.flushInterval else { return nil }
            (state.isFlushing, state.flushed) = (true, state.count)
            return (start + flushed, count)
        }
        guard let range else { return }
        Self.flushLane.start { [self] in
            file.startWriteback(at: range.start, count: range.count)
            state.withLock { $0.isFlushing = false }
        }
    }
}
