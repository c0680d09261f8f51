import NetCore

/// One writer at a time for each shard, across threads and processes, and the generations that it compares under its lock.
///
/// The lock is `flock` on a file in the shard. The generation is that file's inode and time of change: reading it takes one call, and
/// changing it needs no room on a full disk. The folder has such a file too, for invalidations of everything.
extension DiskFolder {
    static let lockName = "lock"

    /// For how long a writer waits for another one, in seconds. A lock is held for a few calls, and once for a sync.
    private static let lockTimeout: TimeInterval = 10

    /// Does the work while no other thread or process changes the shard.
    ///
    /// - Parameter makesFolder: whether to make the shard if it is not there.
    /// - Throws: what `work` throws; ``SystemError`` if there is no shard, or if another process holds the lock for too long.
    func withLock<Result>(
        on shard: String, makesFolder: Bool = true, _ work: (DiskFile) throws -> Result
    ) throws -> Result {
        let path = "\(path)/\(shard)"
        for _ in 0..<10 {
            let file = try openLock(in: path, makesFolder: makesFolder)
            try Self.wait(for: file)
            defer { file.unlock() }
            // The folder may have been deleted, and made again, while this one waited.
            if try file.status().hasName { return try work(file) }
        }
        throw SystemError("lock", path, code: EAGAIN)
    }

    private func openLock(in path: String, makesFolder: Bool) throws(SystemError) -> DiskFile {
        do {
            return try DiskFile("\(path)/\(Self.lockName)", O_RDWR | O_CREAT)
        } catch  where error.code == ENOENT && makesFolder {
            try Directory.make(path)
            return try DiskFile("\(path)/\(Self.lockName)", O_RDWR | O_CREAT)
        }
    }

    /// A waiting `flock` could wait forever for a process that was stopped.
    private static func wait(for file: DiskFile) throws(SystemError) {
        var waited: UInt32 = 0
        var pause: UInt32 = 20
        while !file.lock(.exclusive) {
            guard TimeInterval(waited) < lockTimeout * 1e6 else { throw SystemError("lock", code: ETIMEDOUT) }
            usleep(pause)
            waited += pause
            pause = min(pause * 2, 2000)
        }
    }

    // MARK: Generations

    /// The generation of the URLs in a shard. Makes the files that it needs.
    func generation(of shard: String) throws(SystemError) -> HTTPCacheGeneration {
        HTTPCacheGeneration("\(try mark(in: path)) \(try mark(in: "\(path)/\(shard)"))")
    }

    private func mark(in path: String) throws(SystemError) -> String {
        if let status = Directory.status(of: "\(path)/\(Self.lockName)") { return Self.mark(status) }
        return Self.mark(try openLock(in: path, makesFolder: true).status())
    }

    private static func mark(_ status: FileStatus) -> String {
        "\(status.inode) \(status.modified.timeIntervalSinceReferenceDate.bitPattern)"
    }

    /// Changes the generation of a shard, whose lock is held.
    func advanceGeneration(_ lock: DiskFile) throws(SystemError) {
        let old = Self.mark(try lock.status())
        // A random time: never one that a clock or another process gives.
        for _ in 0..<3 {
            lock.touch(Date(timeIntervalSince1970: .random(in: 1...2_000_000_000)))
            if Self.mark(try lock.status()) != old { return }
        }
        throw SystemError("futimens", code: EIO)
    }

    /// Changes the generation of all shards.
    func advanceGenerationOfAll() throws {
        try withLock(on: ".") { try advanceGeneration($0) }
    }

    // MARK: Removing

    /// Removes a file, whose shard's lock is held.
    ///
    /// - Returns: whether it is gone. If it is not, this process does not find it any more.
    func removeFile(_ file: String, in shard: String) -> Bool {
        let path = path(of: file, in: shard)
        if Directory.remove(path) { return true }
        guard let status = Directory.status(of: path) else { return true }
        DiskTombstones.shared.add(path, inode: status.inode)
        return false
    }

    /// Removes an entry and its body.
    ///
    /// - Throws: ``SystemError`` if the entry is still there. This process does not find it any more.
    func remove(_ file: String, in shard: String) throws {
        do {
            try withLock(on: shard, makesFolder: false) { _ in try removeLocked(file, in: shard) }
        } catch let error as SystemError {
            // No folder, no entry. Without a lock, removing is better than not removing.
            if error.code != ENOENT { try removeLocked(file, in: shard) }
        }
    }

    private func removeLocked(_ file: String, in shard: String) throws(SystemError) {
        let body = find(file, in: shard, isLocked: true).flatMap { $0.record.bodyFile(of: file) }
        let isGone = removeFile(file, in: shard)
        if let body { Directory.remove(path(of: body, in: shard)) }
        if !isGone { throw SystemError("unlink", path(of: file, in: shard), code: EACCES) }
    }

    /// Removes what cannot be read, unless a whole entry has taken its place.
    func discard(_ file: DiskFile, at path: String, in shard: String, isLocked: Bool) {
        func removeIfSame() {
            if isSame(file, at: path) { Directory.remove(path) }
        }
        if isLocked { return removeIfSame() }
        do {
            try withLock(on: shard, makesFolder: false) { _ in removeIfSame() }
        } catch {
            // Found damaged again by the next reader.
            return
        }
    }

    /// Whether the open file is still the one at that path.
    func isSame(_ file: DiskFile, at path: String) -> Bool {
        guard let open = try? file.status(), let there = Directory.status(of: path) else { return false }
        return open.inode == there.inode && open.hasName
    }
}

/// Files that were to be removed and could not be: this process does not use them, whichever ``DiskCache`` looks for them.
final class DiskTombstones: Sendable {
    static let shared = DiskTombstones()

    /// More files than that in a folder that cannot be changed, and nothing more is read at all.
    private static let limit = 50_000

    /// The inode of each, so that a new file of that name is another.
    private let files = Locked<[String: UInt64]>([:])

    func add(_ path: String, inode: UInt64) {
        files.withLock { $0[path] = inode }
    }

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
