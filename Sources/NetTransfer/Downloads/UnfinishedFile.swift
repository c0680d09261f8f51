import NetCore

/// The file of an unfinished download. Several connections may write their parts in place.
///
/// A file in one part grows, and its length tells how many bytes have arrived. A file in several has its full length from the start. Then a
/// second file tells the number for each part (``DownloadRecord/countsPath``). It is written after the bytes, so it is never ahead of them.
///
/// The file is locked while it is open, so that no other process writes to it.
final class UnfinishedFile: Sendable {
    let path: String
    /// Whether this process holds the lock.
    let isLocked: Bool
    private let file: DiskFile
    private let countsPath: String
    private let state: Locked<State>

    private struct State {
        var parts: [Part]
        /// Open while there are several parts.
        var counts: DiskFile?
    }

    private struct Part {
        let start: Int64
        /// The number of bytes that have arrived.
        var count: Int64
        /// The number of bytes that are known to be on the medium.
        var durable: Int64 = 0
        /// The number of bytes that are on their way to the medium.
        var flushed: Int64 = 0
        var isFlushing = false
        let lane = IOQueue.lane()
    }

    /// The number of bytes that are written before they are sent on to the medium. The rest is what the last sync waits for.
    private static let flushInterval: Int64 = 8 << 20
    /// One queue for all files. The call may wait for a busy device, and no caller waits for it.
    private static let flushLane = IOQueue(label: "networking.downloads.flush")

    /// Opens the file of a record, in one part.
    ///
    /// - Parameter isNew: whether to create a missing file.
    init(_ record: DownloadRecord, isNew: Bool) throws(DownloadError) {
        path = record.gatheringPath
        countsPath = record.countsPath
        do throws(SystemError) {
            file = try DiskFile(path, O_RDWR | (isNew ? O_CREAT : 0))
            let status = try file.status()
            guard status.isRegular else { throw SystemError("open", path, code: EINVAL) }
            state = Locked(State(parts: [Part(start: 0, count: status.size)]))
        } catch {
            throw DownloadError(error, at: path)
        }
        isLocked = file.lock(.exclusive)
    }

    /// The parts, in the order of their positions.
    var parts: [FilePart] { state.withLock(\.parts).indices.map { FilePart(file: self, index: $0) } }
    /// The number of bytes that have arrived, in all parts.
    var received: Int64 { state.withLock { $0.parts.reduce(0) { $0 + $1.count } } }
    /// For each part, the number of bytes that are known to be on the medium.
    var durable: [Int64] { state.withLock { $0.parts.map(\.durable) } }

    fileprivate func count(of index: Int) -> Int64 { part(index).count }

    /// Returns an empty part if there is none of this index any longer.
    private func part(_ index: Int) -> Part {
        state.withLock { $0.parts.indices.contains(index) ? $0.parts[index] : Part(start: 0, count: 0) }
    }

    /// Returns the length of the file, with bytes that have not arrived.
    func length() throws(DownloadError) -> Int64 {
        try checked { () throws(SystemError) in try file.status().size }
    }

    /// Releases the lock. Do not use the file afterwards.
    func unlock() {
        file.unlock()
    }

    // MARK: Parts

    /// Makes room for the whole file, to be written in parts. Nothing has arrived.
    func divide(at starts: [Int64], length: Int64) throws(DownloadError) {
        try open(starts, counts: starts.map { _ in 0 })
        try checked { () throws(SystemError) in try file.reserve(length) }
    }

    /// Continues a file that was divided.
    ///
    /// - Parameter known: the number of bytes in each part; nil to read them from the second file.
    /// - Returns: false if the numbers are missing or wrong, or the file is not as long as it was. It has one part then.
    func reopen(_ record: DownloadRecord, known: [Int64]?) throws(DownloadError) -> Bool {
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
        return data.withUnsafeBytes { bytes in
            (0..<count).map { Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self)) }
        }
    }

    private func open(_ starts: [Int64], counts: [Int64]) throws(DownloadError) {
        let known = try checked { () throws(SystemError) in
            let known = try DiskFile(countsPath, O_RDWR | O_CREAT)
            try known.truncate(to: 0)
            try known.write(counts.reduce(into: Data()) { $0.append(Self.bytes($1)) }, at: 0)
            return known
        }
        state.withLock { state in
            state.counts = known
            state.parts = zip(starts, counts).map { Part(start: $0, count: $1) }
        }
    }

    private static func bytes(_ count: Int64) -> Data { withUnsafeBytes(of: count.littleEndian) { Data($0) } }

    /// Keeps only the first part.
    func join() throws(DownloadError) {
        try truncate(to: count(of: 0))
    }

    /// Shortens the file, which has one part then.
    func truncate(to length: Int64) throws(DownloadError) {
        // Without the numbers, a process that is killed in between leaves a file that starts over.
        Directory.remove(countsPath)
        try checked { () throws(SystemError) in
            if try file.status().size > length { try file.truncate(to: length) }
        }
        state.withLock { state in
            state.counts = nil
            let durable = min(state.parts[0].durable, length)
            state.parts = [Part(start: 0, count: length, durable: durable, flushed: length)]
        }
    }

    // MARK: Bytes

    /// Adds bytes to a part. Returns when the system has them, so that a killed process loses none.
    fileprivate func append(_ data: Data, to index: Int, writesBack: Bool) async throws(DownloadError) {
        let (part, counts) = (part(index), state.withLock(\.counts))
        let count = part.count + Int64(data.count)
        do throws(SystemError) {
            try await part.lane.run { [file] () throws(SystemError) in
                try file.write(data, at: part.start + part.count)
                try counts?.write(Self.bytes(count), at: Int64(index) * 8)
            }
        } catch {
            // Some of the bytes may have been written.
            if counts == nil, let size = try? file.status().size { note(min(max(size, part.count), count), index) }
            throw DownloadError(error, at: path)
        }
        note(count, index)
        if writesBack { flushIfDue(index) }
    }

    private func note(_ count: Int64, _ index: Int) {
        state.withLock { state in
            if state.parts.indices.contains(index) { state.parts[index].count = count }
        }
    }

    /// Starts to write new bytes to the medium if they are many.
    private func flushIfDue(_ index: Int) {
        let range = state.withLock { state -> (start: Int64, count: Int64)? in
            guard state.parts.indices.contains(index) else { return nil }
            let part = state.parts[index]
            guard !part.isFlushing, part.count - part.flushed >= Self.flushInterval else { return nil }
            state.parts[index].isFlushing = true
            state.parts[index].flushed = part.count
            return (part.start + part.flushed, part.count - part.flushed)
        }
        guard let range else { return }
        Self.flushLane.start { [self] in
            file.startWriteback(at: range.start, count: range.count)
            state.withLock { state in
                if state.parts.indices.contains(index) { state.parts[index].isFlushing = false }
            }
        }
    }

    /// Returns when all bytes are on the medium.
    func sync() async throws(DownloadError) {
        let counts = state.withLock { $0.parts.map(\.count) }
        do throws(SystemError) {
            try await part(0).lane.run { [file] () throws(SystemError) in try file.sync() }
        } catch {
            throw DownloadError(error, at: path)
        }
        state.withLock { state in
            for (index, count) in zip(state.parts.indices, counts) {
                state.parts[index].durable = min(count, state.parts[index].count)
            }
        }
    }

    /// Copies the bytes to a new file, and returns when they are on its medium.
    ///
    /// - Parameter record: names the new file.
    func copy(to record: DownloadRecord) async throws {
        let copy = try UnfinishedFile(record, isNew: true)
        try copy.truncate(to: 0)
        var position: Int64 = 0
        while let piece = try await piece(at: position, before: .max) {
            try await copy.append(piece, to: 0, writesBack: true)
            position += Int64(piece.count)
        }
        try await copy.sync()
    }

    /// Returns the SHA-256 of the bytes of a part, from a position in it on.
    fileprivate func digest(of index: Int, from position: Int64) async throws -> Data {
        let part = part(index)
        return try await digest(of: part.start + position..<part.start + max(position, part.count))
    }

    /// Returns the SHA-256 of the bytes on disk between two positions.
    func digest(of range: Range<Int64> = 0..<Int64.max) async throws -> Data {
        let hash = Locked(SHA256())
        var position = range.lowerBound
        let lane = part(0).lane
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
        let lane = part(0).lane
        do {
            let piece = try await lane.run { [file] () throws(SystemError) in
                try file.read(Int(min(256 << 10, end - position)), at: position)
            }
            return piece.isEmpty ? nil : piece
        } catch {
            throw DownloadError(error, at: path)
        }
    }

    private func checked<Result>(_ work: () throws(SystemError) -> Result) throws(DownloadError) -> Result {
        do throws(SystemError) {
            return try work()
        } catch {
            throw DownloadError(error, at: path)
        }
    }
}

/// A part of an unfinished file, which one connection writes.
struct FilePart: Sendable {
    fileprivate let file: UnfinishedFile
    fileprivate let index: Int

    /// The number of bytes that have arrived.
    var length: Int64 { file.count(of: index) }

    /// Adds bytes. Returns when the system has them, so that a killed process loses none.
    ///
    /// - Parameter writesBack: whether they are sent on to the medium soon.
    func append(_ data: Data, writesBack: Bool) async throws(DownloadError) {
        try await file.append(data, to: index, writesBack: writesBack)
    }

    /// Returns the SHA-256 of the bytes on disk, from a position in the part on.
    func digest(from position: Int64) async throws -> Data {
        try await file.digest(of: index, from: position)
    }
}
