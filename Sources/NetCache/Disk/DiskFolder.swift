import NetCore

/// The folder of a ``DiskCache``, for any number of processes. A file is written under a temporary name, and renamed when it is complete. There is no
/// index that could be damaged. A change of names in a shard takes its lock: see `DiskFolder+Locking.swift`.
final class DiskFolder: Sendable {
    let path: String
    let clock: any NetworkClock
    let recency = DiskRecency()
    let lookups = DiskLookups()
    /// Syncs the names in a folder to the medium.
    let sync: @Sendable (String) -> Void

    /// The bytes of the first read: enough for the head and a small body, so that most hits take one system call.
    static let firstRead = 16 * 1024

    init(
        _ directory: URL, clock: any NetworkClock, sync: @escaping @Sendable (String) -> Void = { Directory.sync($0) }
    ) {
        self.sync = sync
        path = directory.path.hasSuffix("/") ? directory.path + "v1" : directory.path + "/v1"
        self.clock = clock
    }

    /// The key that separates users: see ``CacheIdentityKey``.
    func identityKey() throws -> CacheIdentityKey {
        try Directory.make(path)
        return try CacheIdentityKey.stored(at: "\(path)/identity.key")
    }

    func path(of file: String, in shard: String) -> String { "\(path)/\(shard)/\(file)" }

    // MARK: Reading

    struct Found {
        let record: DiskRecord
        let file: DiskFile
        let name: String
        let path: String
        let shard: String
        /// The first bytes of the file. The head ends at `bodyPosition`.
        let start: Data
        let bodyPosition: Int
    }

    /// Returns the entry in a file, or nil if there is no whole one. Removes a damaged file, under the lock of the shard, which the caller may hold.
    func find(_ file: String, in shard: String, isLocked: Bool = false) -> Found? {
        let path = path(of: file, in: shard)
        guard let open = try? DiskFile(path, O_RDONLY), !DiskTombstones.shared.hides(open, at: path),
            var start = try? open.read(Self.firstRead, at: 0)
        else { return nil }
        let whole = DiskRecord.prefixLength + (DiskRecord.headLength(of: start) ?? 0)
        if start.count < whole, start.count == Self.firstRead {
            guard let more = try? open.read(whole, at: 0) else { return nil }
            start = more
        }
        guard let record = try? DiskRecord(start) else {
            discard(open, at: path, in: shard, isLocked: isLocked)
            return nil
        }
        return Found(
            record: record, file: open, name: file, path: path, shard: shard, start: start, bodyPosition: whole)
    }

    /// Returns the entry with that ID and key, or nil if it is missing or damaged. Removes a damaged file.
    func find(_ id: String, key: DiskKey) -> Found? {
        let name = DiskName(key)
        guard let found = find(name.file(id: id), in: name.shard), found.record.isOf(id, key) else { return nil }
        return found
    }

    /// Returns an entry of ``lookups`` without opening its file again, or nil if it is not one of them or its file was replaced or removed.
    func lookedUp(_ id: String, key: DiskKey) -> Found? {
        guard let found = lookups.take(id, key: key), isSame(found.file, at: found.path),
            !DiskTombstones.shared.hides(found.file, at: found.path)
        else { return nil }
        return found
    }

    /// Whether the entry of a body's own file refers to it.
    func refersToBody(_ name: String, in shard: String) -> Bool {
        let file = String(name.prefix(DiskName.length))
        return find(file, in: shard)?.record.bodyFile(of: file) == name
    }

    /// Returns the names of the entries with that prefix, and whether they are certainly all at one moment. They may not be if names have changed in
    /// the last tenth of a second, by the system's clock, which is also the file system's.
    func files(withPrefix prefix: String, in shard: String) -> (names: [String], areCertain: Bool) {
        var names: [String] = []
        let prefix = Array(prefix.utf8)
        let folder = "\(path)/\(shard)"
        Directory.forEachName(in: folder) { name in
            if name.count == DiskName.length, name.starts(with: prefix) {
                names.append(String(decoding: name, as: UTF8.self))
            }
        }
        guard let changed = Directory.status(of: folder)?.modified else { return (names, true) }
        return (names, abs(changed.timeIntervalSinceNow) >= 0.1)
    }

    /// Returns the body that is stored behind the head, checked. Removes a damaged entry and returns nil.
    func inlineBody(of found: Found) -> Data? {
        guard case .inline(let length, let checksum) = found.record.body else { return nil }
        var body = found.start.dropFirst(found.bodyPosition)
        if body.count < length {
            // The length in the head is not trusted unless the file has that size.
            guard let size = try? found.file.status().size, size == Int64(found.bodyPosition) + Int64(length),
                let whole = try? found.file.read(length, at: Int64(found.bodyPosition))
            else { return discard(found) }
            body = whole
        }
        guard body.count == length, XXHash64.hash(body) == checksum else { return discard(found) }
        // A copy, so that a small body does not keep the whole buffer in memory, and that its indices begin at 0.
        return length < Self.firstRead / 2 || body.startIndex > 0 ? body.withUnsafeBytes { Data($0) } : body
    }

    /// Removes an entry, unless another entry has replaced it.
    func discard(_ found: Found) -> Data? {
        discard(found.file, at: found.path, in: found.shard, isLocked: false)
        return nil
    }

    /// Records a use, for eviction.
    func touch(_ found: Found) {
        let now = clock.now
        if recency.record(found.name, at: now) { found.file.touch(now) }
    }

    /// Records a use without reading the entry.
    func recordUse(of id: String, key: DiskKey) {
        let now = clock.now
        let name = DiskName(key)
        let file = name.file(id: id)
        if recency.record(file, at: now) { (try? DiskFile(path(of: file, in: name.shard), O_RDONLY))?.touch(now) }
    }

    // MARK: Writing

    /// Creates a temporary file in a shard. Its lock shows other processes that it is being written.
    func makeTemporary(in shard: String) throws(SystemError) -> DiskTemporary {
        for _ in 0..<10 {
            let name = "\(getpid())-\(DiskName.hex(.random(in: 0 ... .max)))\(DiskName.temporarySuffix)"
            let file = try openFile(name, in: "\(path)/\(shard)", O_RDWR | O_CREAT | O_EXCL)
            // Before the lock, a walk may have removed the file as a remainder of a crash.
            guard file.lock(.shared), try file.status().hasName else { continue }
            return DiskTemporary(file: file, path: path(of: name, in: shard))
        }
        throw SystemError("lock", path, code: EAGAIN)
    }

    /// - Parameter makesFolder: whether to create the folder if it does not exist: a shard is new, or another process has deleted it.
    func openFile(
        _ name: String, in folder: String, _ flags: Int32, makesFolder: Bool = true
    ) throws(SystemError) -> DiskFile {
        do {
            return try DiskFile("\(folder)/\(name)", flags)
        } catch  where error.code == ENOENT && makesFolder {
            try Directory.make(folder)
            return try DiskFile("\(folder)/\(name)", flags)
        }
    }

    /// Puts an entry in its place in one step, and removes the file of the body that it replaces. Returns the size of the file in bytes.
    ///
    /// - Parameters:
    ///   - body: the bytes behind the head; empty for a body in a file of its own.
    ///   - generation: the generation that the shard must still have; nil for any.
    ///   - expected: the entry that must still be there; nil for any or none. A removed one must not come back.
    /// - Throws: `CancellationError` if the shard has another generation or entry; ``SystemError`` if that fails (`EWOULDBLOCK`: without `mayWait`).
    func write(
        _ record: DiskRecord, body: Data = Data(), to file: String, in shard: String, mayWait: Bool = true,
        since generation: HTTPCacheEntry.Generation?, replacing expected: Found? = nil
    ) throws -> Int64 {
        var bytes = try record.encoded()
        let temporary = try makeTemporary(in: shard)
        // Its release before the renaming would remove it.
        defer { withExtendedLifetime(temporary) {} }
        // One system call for a small body. Copying a large one is not worth it.
        let isSmall = body.count <= Self.firstRead
        if isSmall { bytes.append(body) }
        try temporary.file.write(bytes)
        if !isSmall { try temporary.file.write(body) }
        // The write has set the time of the system's clock.
        if !(clock is SystemClock) { temporary.file.touch(clock.now) }
        let replaced = try withLock(on: shard, mayWait: mayWait) { lock -> String? in
            guard try generation == nil || self.generation(of: shard, lock: lock) == generation,
                expected.map({ isSame($0.file, at: $0.path) }) ?? true
            else { throw CancellationError() }
            let destination = path(of: file, in: shard)
            guard let old = expected ?? find(file, in: shard, isLocked: true) else {
                try Directory.move(temporary.path, to: destination)
                return nil
            }
            try Directory.replace(destination, by: temporary.path)
            return old.record.bodyFile(of: file)
        }
        lookups.forget(file, in: shard)
        // Without the lock, since removing a large file takes long. No entry names it any more.
        if let replaced, replaced != record.bodyFile(of: file) { Directory.remove(path(of: replaced, in: shard)) }
        return Int64(bytes.count) + (isSmall ? 0 : Int64(body.count))
    }
}

/// A file that is being written under a temporary name. It is removed when it is released, unless it was renamed before.
final class DiskTemporary: Sendable {
    let file: DiskFile
    let path: String

    init(file: DiskFile, path: String) {
        self.file = file
        self.path = path
    }

    deinit { Directory.remove(path) }
}

extension DiskRecord {
    func isOf(_ id: String, _ key: DiskKey) -> Bool { entry.id == id && self.key == key }

    /// The name of the body's own file, if it has one.
    func bodyFile(of file: String) -> String? {
        guard case .file(let body) = body else { return nil }
        return DiskName.body(of: file, token: body.token)
    }
}

/// The up to eight entries that were looked up last, except those with a large head. A hit opens the file once, for the head and then the body.
final class DiskLookups: Sendable {
    private static let limit = 8

    private let last = Locked<[DiskFolder.Found]>([])

    func add(_ found: [DiskFolder.Found]) {
        let small = found.filter { $0.start.count <= DiskFolder.firstRead }.suffix(Self.limit)
        // Closes the files outside of the lock.
        _ = last.withLock { last in
            last += small
            defer { last.removeFirst(max(0, last.count - Self.limit)) }
            return last.prefix(max(0, last.count - Self.limit))
        }
    }

    /// Forgets an entry that was removed or replaced, and closes its file. Otherwise the file would stay in memory, and its space on the disk in use.
    func forget(_ file: String, in shard: String) { forget { $0.name == file && $0.shard == shard } }
    func removeAll() { forget { _ in true } }

    private func forget(where matches: (DiskFolder.Found) -> Bool) {
        // Closes the files outside of the lock.
        _ = last.withLock { last in
            let forgotten = last.filter(matches)
            if !forgotten.isEmpty { last.removeAll(where: matches) }
            return forgotten
        }
    }

    func take(_ id: String, key: DiskKey) -> DiskFolder.Found? {
        last.withLock { last in
            last.lastIndex { $0.record.isOf(id, key) }.map { last.remove(at: $0) }
        }
    }
}
