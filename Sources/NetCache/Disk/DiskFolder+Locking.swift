import NetCore

/// Serialises writers of each shard, across threads and processes, and keeps the generations they compare. The lock is `flock` on a file in the
/// shard. The generation is that file's inode and modification time, which takes one system call to read, and no space on a full disk to change. The
/// folder has such a file too, for invalidations of all URLs.
extension DiskFolder {
    static let lockName = "lock"

    /// The time for which a writer waits for another one, in seconds. A lock is held for a few system calls, and once for a sync.
    private static let lockTimeout: TimeInterval = 10

    /// The lock of a shard, which the caller holds.
    struct Lock {
        let file: DiskFile
        /// The status of the file when it was locked.
        let status: FileStatus
    }

    /// Runs the work while no other thread or process changes the shard.
    ///
    /// - Throws: ``SystemError`` if the shard is missing, or another process holds the lock for too long (`EWOULDBLOCK`: without `mayWait`).
    func withLock<Result>(
        on shard: String, makesFolder: Bool = true, mayWait: Bool = true, _ work: (Lock) throws -> Result
    ) throws -> Result {
        let path = "\(path)/\(shard)"
        for _ in 0..<10 {
            let file = try openFile(Self.lockName, in: path, O_RDWR | O_CREAT, makesFolder: makesFolder)
            try file.lock(within: mayWait ? Self.lockTimeout : 0)
            defer { file.unlock() }
            let status = try file.status()
            // Another process may have deleted the folder and created it again meanwhile.
            if status.hasName { return try work(Lock(file: file, status: status)) }
        }
        throw SystemError("lock", path, code: EAGAIN)
    }

    // MARK: Generations

    /// Returns the generation of the URLs in a shard, whose lock the caller may hold. Creates the files that it needs.
    func generation(of shard: String, lock: Lock? = nil) throws(SystemError) -> HTTPCacheEntry.Generation {
        let ofAll = try mark(in: path)
        let ofShard = if let lock { Self.mark(lock.status) } else { try mark(in: "\(path)/\(shard)") }
        return HTTPCacheEntry.Generation("\(ofAll) \(ofShard)")
    }

    private func mark(in path: String) throws(SystemError) -> String {
        if let status = Directory.status(of: "\(path)/\(Self.lockName)") { return Self.mark(status) }
        return Self.mark(try openFile(Self.lockName, in: path, O_RDWR | O_CREAT).status())
    }

    private static func mark(_ status: FileStatus) -> String {
        "\(status.inode) \(status.modified.timeIntervalSinceReferenceDate.bitPattern)"
    }

    /// Changes the generation of a shard. The caller holds its lock.
    func advanceGeneration(_ lock: Lock) throws(SystemError) {
        let old = Self.mark(lock.status)
        // A random time, which no clock and no other process sets.
        for _ in 0..<3 {
            lock.file.touch(Date(timeIntervalSince1970: .random(in: 1...2_000_000_000)))
            if Self.mark(try lock.file.status()) != old { return }
        }
        throw SystemError("futimens", code: EIO)
    }

    // MARK: Removing

    /// Removes a file under the lock of its shard. Returns whether it is gone. If not, this process no longer finds it.
    func removeFile(_ file: String, in shard: String) -> Bool {
        let path = path(of: file, in: shard)
        defer { lookups.forget(file, in: shard) }
        if Directory.remove(path) { return true }
        guard let status = Directory.status(of: path) else { return true }
        DiskTombstones.shared.add(path, inode: status.inode)
        return false
    }

    /// Returns the names in the order of removal, under the lock: entries of one key from the oldest on, bodies last. No reader finds an older entry.
    func oldestFirst(_ names: [String], in shard: String) -> [String] {
        var counts: [Substring: Int] = [:]
        for name in names where name.utf8.count == DiskName.length {
            counts[name.prefix(DiskName.prefixLength), default: 0] += 1
        }
        let times = names.map { name in
            guard name.utf8.count == DiskName.length else { return Date.distantFuture }
            // Most are alone under their keys, and need not be read.
            guard counts[name.prefix(DiskName.prefixLength)] != 1 else { return Date.distantPast }
            return find(name, in: shard, isLocked: true)?.record.entry.responseTime ?? .distantPast
        }
        return zip(names, times).sorted { $0.1 < $1.1 }.map(\.0)
    }

    /// Removes an entry and its body. Throws ``SystemError`` if the entry still exists, which this process no longer finds.
    func remove(_ file: String, in shard: String) throws {
        do {
            try withLock(on: shard, makesFolder: false) { _ in try removeLocked(file, in: shard) }
        } catch let error as SystemError {
            // ENOENT means that there is no entry. Otherwise, remove it without the lock rather than keep it.
            if error.code != ENOENT { try removeLocked(file, in: shard) }
        }
    }

    private func removeLocked(_ file: String, in shard: String) throws(SystemError) {
        let body = find(file, in: shard, isLocked: true).flatMap { $0.record.bodyFile(of: file) }
        let isGone = removeFile(file, in: shard)
        if let body { Directory.remove(path(of: body, in: shard)) }
        if !isGone { throw SystemError("unlink", path(of: file, in: shard), code: EACCES) }
    }

    /// Removes a damaged file, unless a whole entry has replaced it.
    func discard(_ file: DiskFile, at path: String, in shard: String, isLocked: Bool) {
        func removeIfSame() { if isSame(file, at: path) { Directory.remove(path) } }
        if isLocked { return removeIfSame() }
        // If this fails, the next reader finds it damaged again.
        try? withLock(on: shard, makesFolder: false) { _ in removeIfSame() }
    }

    /// Whether the open file is still the one at that path.
    func isSame(_ file: DiskFile, at path: String) -> Bool {
        guard let open = try? file.status(), let there = Directory.status(of: path) else { return false }
        return open.inode == there.inode && open.hasName
    }
}

/// Files that could not be removed. No ``DiskCache`` of this process reads them.
final class DiskTombstones: Sendable {
    static let shared = DiskTombstones()

    /// The maximum number of files. Beyond it, no file is read at all.
    private static let limit = 50_000

    /// The inode of each file, so that a new file with the same name is readable.
    private let files = Locked<[String: UInt64]>([:])

    func add(_ path: String, inode: UInt64) { files.withLock { $0[path] = inode } }

    func hides(_ file: DiskFile, at path: String) -> Bool {
        files.withLock { files in
            guard !files.isEmpty else { return false }
            guard files.count < Self.limit else { return true }
            guard let inode = files[path], let status = try? file.status() else { return false }
            if status.inode == inode, status.hasName { return true }
            files[path] = nil
            return false
        }
    }
}
