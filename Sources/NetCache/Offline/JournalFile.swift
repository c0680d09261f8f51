import NetCore

/// The file of a queue, which other processes may use too. It is read, appended to and rewritten on one ``IOQueue``. Each access locks `….lock`. If
/// another process has written meanwhile, it reads the file again. A pass also locks `….pass`, so that one process at a time sends operations.
/// Nothing is locked in between: iOS ends an app that is suspended with a lock on a file in a shared container.
final class JournalFile: @unchecked Sendable {
    // Unchecked: the journal uses it on its own serial queue only.
    private let path: String
    private let identifier = UInt64.random(in: 0 ... .max)
    private var file: DiskFile?
    /// The lock of a running pass.
    private var pass: DiskFile?
    private var salt: UInt64 = 0
    private var end = 0
    private var extents: [UUID: Range<Int>] = [:]
    /// The operations that other processes have removed. They must not be stored again.
    private var removedElsewhere: Set<UUID> = []
    /// Whether another process has changed the file since ``operations()`` read it.
    private var isChanged = false
    /// The bytes of records that are not in use.
    private(set) var wastedBytes = 0
    private var isClosed = false
    /// The number of changes that may not be on the medium yet.
    private var unsynced = 0
    /// The number of syncs, for tests.
    private(set) var syncs = 0
    /// Whether a sync has failed, so that the bytes on the medium are unknown. The next record then goes into a new file.
    private var isUncertain = false

    private(set) var recovery = PendingOperationsQueue.Recovery()

    /// The maximum number of removals that a power failure may lose.
    private static let unsyncedLimit = 64

    /// The minimum number of unused bytes that makes rewriting worthwhile.
    private static let minimumWaste = 64 * 1024

    init(path: String) throws {
        self.path = path
        let folder = Directory.folder(of: path)
        try Directory.make(folder)
        try locked { _ in AtomicFile.sweep(folder) }
        // Created now, since a full disk may have no space for it later.
        _ = try DiskFile(path + ".pass", O_RDWR | O_CREAT)
    }

    // MARK: Locking

    /// Runs the work while no other process uses the file, for which it waits so long.
    private func locked<Value>(within seconds: TimeInterval = 10, _ work: (DiskFile) throws -> Value) throws -> Value {
        if isClosed { throw PendingOperationsQueue.Failure.closed }
        let lock = try DiskFile(path + ".lock", O_RDWR | O_CREAT)
        do {
            try lock.lock(within: seconds)
        } catch  where error.code == ETIMEDOUT {
            throw PendingOperationsQueue.Failure.inUse(path: path)
        }
        defer { lock.unlock() }
        return try work(try currentFile())
    }

    /// Returns the file as the last writer left it.
    private func currentFile() throws -> DiskFile {
        guard let file else { return try open() }
        guard let there = Directory.status(of: path) else { return try open(deleted: file) }
        let isSame = try there.inode == file.status().inode
        if isSame, try JournalHeader(file.read(JournalHeader.length, at: 0))?.writer == identifier { return file }
        return try open()
    }

    /// Keeps other processes from sending operations until ``endPass()``. Returns all operations, if another process has changed them.
    func beginPass() throws -> [PendingOperation]? {
        if pass == nil {
            let lock = try DiskFile(path + ".pass", O_RDWR | O_CREAT)
            guard lock.lock(.exclusive) else { throw PendingOperationsQueue.Failure.inUse(path: path) }
            pass = lock
        }
        return try locked { isChanged ? try operations(in: $0) : nil }
    }

    /// Returns when all removals are on the medium, and allows other processes to send operations.
    func endPass() throws {
        defer { pass = nil }
        try locked { try sync($0) }
    }

    /// Later calls store nothing.
    func close() {
        try? endPass()
        isClosed = true
        file = nil
    }

    // MARK: Reading

    /// Reads the file, repairs it, and marks it as read by this process. A deleted file, which has no name any more, is written again.
    private func open(deleted: DiskFile? = nil) throws -> DiskFile {
        let bytes = try deleted.map { try $0.read(Int($0.status().size), at: 0) } ?? Self.read(path)
        let known = Set(extents.keys)
        let header = JournalHeader(bytes)
        guard header != nil || bytes.isEmpty || JournalHeader.isQueue(bytes) else {
            throw PendingOperationsQueue.Failure.notAQueue(path: path)
        }
        // Of a header that was damaged since the last access, the salt is known.
        if let known = header?.salt ?? (file == nil ? .random(in: 0 ... .max) : nil) { salt = known }
        let contents = JournalContents(bytes, salt: salt)
        let damagedBytes = header == nil ? bytes.count : contents.damagedBytes
        if damagedBytes > 0 {
            // A hard link, since a person may still read a damaged file.
            let kept = path + ".damaged"
            Directory.remove(kept)
            if link(path, kept) == 0 { recovery.damagedFile = URL(fileURLWithPath: kept) }
        }
        (recovery.damagedBytes, recovery.tornBytes) = (damagedBytes, contents.tornBytes)
        (extents, end, wastedBytes) = (contents.extents, contents.end, contents.wastedBytes)
        let file: DiskFile
        if header == nil || damagedBytes > 0 || deleted != nil {
            file = try rewrite(bytes)
        } else {
            file = try DiskFile(path, O_RDWR)
            if contents.tornBytes > 0 {
                try file.truncate(to: Int64(end))
                try sync(file)
            }
            try file.write(JournalHeader(salt: salt, writer: identifier).encoded, at: 0)
            self.file = file
        }
        removedElsewhere.formUnion(known.subtracting(extents.keys))
        isChanged = true
        return file
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

    func operations() throws -> [PendingOperation] { try locked { try operations(in: $0) } }

    private func operations(in file: DiskFile) throws -> [PendingOperation] {
        let bytes = try stored(in: file)
        isChanged = false
        return extents.values.compactMap { JournalRecord(bytes[$0], salt: salt)?.operation }
    }

    private func stored(in file: DiskFile) throws -> Data {
        let bytes = try file.read(end, at: 0)
        guard bytes.count == end else { throw SystemError("read", path, code: EIO) }
        return bytes
    }

    // MARK: Writing

    /// Stores an operation, and returns when it is on the medium.
    func save(_ operation: PendingOperation) throws {
        try locked { file in
            guard !removedElsewhere.contains(operation.id) else { return }
            let file = isUncertain ? try rewrite(stored(in: file)) : file
            let record = try JournalRecord.encode(operation, salt: salt)
            do {
                try file.write(record, at: Int64(end))
                unsynced += 1
                try sync(file)
            } catch {
                // The caller was not promised this record, so it must not reappear after a restart.
                try? file.truncate(to: Int64(end))
                throw error
            }
            let extent = end..<(end + record.count)
            wastedBytes += extents.updateValue(extent, forKey: operation.id)?.count ?? 0
            end = extent.upperBound
            compactIfWorthwhile(file)
        }
    }

    /// Removes an operation. With `syncs` it returns when that is on the medium, otherwise when the system has it.
    func remove(_ id: UUID, syncs: Bool) throws {
        // Without its removal, another process sends an operation again that was sent.
        try locked(within: 60) { file in
            if let extent = extents[id] {
                try file.write([JournalRecord.removed], at: Int64(extent.lowerBound + JournalRecord.mark.count))
                extents[id] = nil
                wastedBytes += extent.count
                unsynced += 1
                if extents.isEmpty { empty(file) }
            }
            if syncs || unsynced >= Self.unsyncedLimit { try sync(file) }
            compactIfWorthwhile(file)
        }
    }

    /// Frees the space of a file without operations. A full disk has no space for a new file, but allows this.
    private func empty(_ file: DiskFile) {
        guard (try? file.truncate(to: Int64(JournalHeader.length))) != nil else { return }
        (end, wastedBytes) = (JournalHeader.length, 0)
        // With another salt, an old block that reappears after a power failure is not a record.
        let header = JournalHeader(salt: .random(in: 0 ... .max), writer: identifier)
        if (try? file.write(header.encoded, at: 0)) != nil { salt = header.salt }
    }

    private func sync(_ file: DiskFile) throws {
        guard unsynced > 0 else { return }
        let wasUncertain = isUncertain
        isUncertain = true
        try file.sync()
        (isUncertain, unsynced, syncs) = (wasUncertain, 0, syncs + 1)
    }

    private func compactIfWorthwhile(_ file: DiskFile) {
        guard wastedBytes > max(Self.minimumWaste, end - wastedBytes) else { return }
        // If this fails, the file is longer than necessary, and the next change tries again.
        _ = try? rewrite(stored(in: file))
    }

    /// Writes the records in use to a new file, and replaces the old one.
    private func rewrite(_ bytes: Data) throws -> DiskFile {
        var contents = JournalHeader(salt: salt, writer: identifier).encoded
        var moved: [UUID: Range<Int>] = [:]
        for (id, extent) in extents.sorted(by: { $0.value.lowerBound < $1.value.lowerBound }) {
            moved[id] = contents.count..<(contents.count + extent.count)
            contents.append(bytes[extent])
        }
        try AtomicFile.write(contents, to: path)
        // Opened again: the returned file appends, wherever it is told to write.
        let file = try DiskFile(path, O_RDWR)
        (self.file, extents, end) = (file, moved, contents.count)
        (wastedBytes, unsynced, isUncertain) = (0, 0, false)
        return file
    }
}
