import NetCore

/// The file of a queue. It is opened, repaired, appended to and rewritten on one ``IOQueue``.
final class JournalFile: @unchecked Sendable {
    // Unchecked: the journal uses it on its own serial queue only.
    private let path: String
    private let lock: DiskFile
    private var file: DiskFile
    private var salt: UInt64
    private var end: Int
    private var extents: [UUID: Range<Int>]
    /// The bytes of the records in use. A running sum, since adding them up for each record would take quadratic time.
    private(set) var liveBytes = 0
    private var isClosed = false
    /// The number of records that may not be on the medium yet.
    private var unsynced = 0
    /// The number of syncs, for tests.
    private(set) var syncs = 0
    /// Whether the bytes behind the last record are unknown. The next record then goes into a new file.
    private var isUncertain = false

    let recovery: PendingOperationsQueue.Recovery

    /// The maximum number of removals that a power failure may lose.
    private static let unsyncedLimit = 64

    /// The minimum number of unused bytes that makes rewriting worthwhile.
    private static let minimumWaste = 64 * 1024

    /// Opens the file, and creates it if it does not exist.
    init(path: String) throws {
        self.path = path
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex { try Directory.make(String(path[..<slash])) }
        // A separate file, since rewriting replaces the queue's file.
        lock = try DiskFile(path + ".lock", O_RDWR | O_CREAT)
        guard lock.lock(.exclusive) else { throw PendingOperationsQueue.Failure.inUse(path: path) }

        AtomicFile.sweep(Directory.folder(of: path))
        let bytes = try Self.read(path)
        var contents = JournalContents()
        var recovery = PendingOperationsQueue.Recovery()
        if let header = JournalHeader(bytes) {
            contents = JournalContents(bytes, salt: header.salt)
            salt = header.salt
            recovery.tornBytes = contents.tornBytes
            recovery.damagedBytes = contents.damagedBytes
        } else {
            guard bytes.isEmpty || JournalHeader.isQueue(bytes) else {
                throw PendingOperationsQueue.Failure.notAQueue(path: path)
            }
            salt = .random(in: 0 ... .max)
            recovery.damagedBytes = bytes.count
        }
        if recovery.damagedBytes > 0 {
            // A hard link. A person may still read a damaged file.
            let kept = path + ".damaged"
            Directory.remove(kept)
            if link(path, kept) == 0 { recovery.damagedFile = URL(fileURLWithPath: kept) }
        }
        extents = contents.extents
        end = contents.end
        if JournalHeader(bytes) == nil || recovery.damagedBytes > 0 {
            (file, extents, end) = try Self.rewrite(path, salt: salt, records: Self.records(extents, in: bytes))
        } else {
            file = try DiskFile(path, O_RDWR | O_APPEND)
            if contents.tornBytes > 0 {
                try file.truncate(to: Int64(end))
                try file.sync()
            }
        }
        self.recovery = recovery
        liveBytes = addedUpLiveBytes
    }

    var addedUpLiveBytes: Int { extents.values.reduce(0) { $0 + $1.count } }

    /// Releases the file. Later calls store nothing.
    func close() {
        try? flush()
        isClosed = true
        unlock()
    }

    /// Allows another queue to open the file. May be called from any thread.
    func unlock() {
        lock.unlock()
    }

    /// Returns when all records are on the medium.
    func flush() throws {
        guard !isClosed, unsynced > 0 else { return }
        do {
            try sync()
        } catch {
            isUncertain = true
            throw error
        }
    }

    private func sync() throws {
        try file.sync()
        syncs += 1
        unsynced = 0
    }

    private static func read(_ path: String) throws -> Data {
        let file: DiskFile
        do {
            // Opening a named pipe must not wait for a writer.
            file = try DiskFile(path, O_RDONLY | O_NONBLOCK)
        } catch  where error.code == ENOENT {
            return Data()
        }
        let status = try file.status()
        guard status.isRegular else { throw PendingOperationsQueue.Failure.notAQueue(path: path) }
        return try file.read(Int(status.size), at: 0)
    }

    /// Returns the stored operations.
    func operations() throws -> [PendingOperation] {
        if isClosed { throw PendingOperationsQueue.Failure.closed }
        let bytes = try stored()
        return extents.values.compactMap { extent in
            guard case .put(let operation)? = JournalRecord.decode(bytes[extent], salt: salt)?.record else {
                return nil
            }
            return operation
        }
    }

    private func stored() throws -> Data {
        let bytes = try file.read(end, at: 0)
        guard bytes.count == end else { throw SystemError("read", path, code: EIO) }
        return bytes
    }

    /// Writes a record. With `syncs` it returns when the record is on the medium, otherwise when the system has it.
    func append(_ record: JournalRecord, syncs: Bool = true) throws {
        if isClosed { throw PendingOperationsQueue.Failure.closed }
        if isUncertain || isDeleted { try compact() }
        let bytes = try record.encoded(salt: salt)
        do {
            try file.write(bytes)
            unsynced += 1
            if syncs || unsynced >= Self.unsyncedLimit { try sync() }
        } catch {
            // The caller was not promised this record, so it must not reappear after a restart. The bytes on the medium are
            // unknown now: the next record goes into a new file.
            isUncertain = true
            _ = ftruncate(file.descriptor, off_t(end))
            throw error
        }
        switch record {
        case .put(let operation):
            liveBytes +=
                bytes.count - (extents.updateValue(end..<(end + bytes.count), forKey: operation.id)?.count ?? 0)
        case .remove(let id): liveBytes -= extents.removeValue(forKey: id)?.count ?? 0
        }
        end += bytes.count
        compactIfWorthwhile()
    }

    /// Whether the file was deleted or replaced. A record written to it would be lost.
    private var isDeleted: Bool {
        guard let there = Directory.status(of: path), let ours = try? file.status() else { return true }
        return there.inode != ours.inode
    }

    private func compactIfWorthwhile() {
        guard end - liveBytes > max(Self.minimumWaste, liveBytes) else { return }
        do {
            try compact()
        } catch {
            // The record itself is stored. The file is longer than necessary, and the next record tries again.
        }
    }

    /// Writes the records in use to a new file, and replaces the old one.
    private func compact() throws {
        (file, extents, end) = try Self.rewrite(path, salt: salt, records: Self.records(extents, in: stored()))
        isUncertain = false
        unsynced = 0
        liveBytes = addedUpLiveBytes
    }

    private static func records(_ extents: [UUID: Range<Int>], in bytes: Data) -> [(id: UUID, bytes: Data)] {
        extents.sorted { $0.value.lowerBound < $1.value.lowerBound }.map { ($0.key, bytes[$0.value]) }
    }

    private static func rewrite(
        _ path: String, salt: UInt64, records: [(id: UUID, bytes: Data)]
    ) throws -> (file: DiskFile, extents: [UUID: Range<Int>], end: Int) {
        var bytes = JournalHeader(salt: salt).encoded
        var extents: [UUID: Range<Int>] = [:]
        for record in records {
            extents[record.id] = bytes.count..<(bytes.count + record.bytes.count)
            bytes.append(record.bytes)
        }
        return (try AtomicFile.write(bytes, to: path), extents, bytes.count)
    }
}
