import NetCore

/// The part of a ``DiskCache`` that its writers share: the folder and its load.
final class DiskCacheCore: Sendable {
    let folder: DiskFolder
    let limits: DiskLimits

    /// The load of the folder at the last walk, and what was written since. It is an estimate, since other processes write too.
    /// It only decides when to walk again.
    private struct Load {
        var bytes: Int64 = 0
        var entries = 0
        var bytesSince: Int64 = 0
        var entriesSince = 0
        var isTrimming = false

        /// Returns whether the entries stored since the last walk make another walk due. If so, it counts as running, and the caller starts it.
        mutating func startsTrimming(_ limits: DiskLimits) -> Bool {
            let isFull = bytes + bytesSince > limits.maxBytes || entries + entriesSince > limits.maxEntries
            // Other processes may write too. After a tenth of the limit, this one checks the total.
            let isMuch = bytesSince > limits.maxBytes / 10 || entriesSince > limits.maxEntries / 10
            guard entriesSince > 0, isFull || isMuch, !isTrimming else { return false }
            isTrimming = true
            return true
        }
    }

    private let load = Locked(Load())
    private let queue = IOQueue(label: "networking.cache.trim")

    init(folder: DiskFolder, limits: DiskLimits) {
        self.folder = folder
        self.limits = limits
    }

    // MARK: Storing

    /// The condition for putting an entry in its place.
    enum Condition {
        case always
        /// Nothing was invalidated since; never true for nil, a generation that could not be read.
        case since(HTTPCacheEntry.Generation?)
    }

    /// Stores an entry and its body in one file.
    ///
    /// - Parameters:
    ///   - name: the names of the record's key.
    ///   - mayWait: whether to wait if another writer holds the lock of the shard. If not, the method throws `EWOULDBLOCK`.
    /// - Throws: `CancellationError` if the condition is false; ``SystemError`` if the entry cannot be written, with `EFBIG` if the body
    ///   exceeds the limit of the cache.
    func store(
        _ record: DiskRecord, named name: DiskName, body: Data, mayWait: Bool = true, if condition: Condition = .always
    ) throws {
        guard body.count <= limits.maxBytes else { throw SystemError("store", code: EFBIG) }
        var record = record
        record.body = .inline(length: body.count, checksum: XXHash64.hash(body))
        try put(
            record, to: name.file(id: record.entry.id), in: name.shard, body: body, others: 0, mayWait: mayWait,
            if: condition)
    }

    func store(
        _ record: DiskRecord, named name: DiskName, body: inout DiskBodyFile, if condition: Condition
    ) throws {
        let file = name.file(id: record.entry.id)
        let body = try body.finish(in: folder, shard: name.shard, as: file)
        var record = record
        record.body = .file(body)
        do {
            try put(record, to: file, in: name.shard, body: Data(), others: body.length, mayWait: true, if: condition)
        } catch {
            Directory.remove(folder.path(of: DiskName.body(of: file, token: body.token), in: name.shard))
            throw error
        }
    }

    private func put(
        _ record: DiskRecord, to file: String, in shard: String, body: Data, others: Int64, mayWait: Bool,
        if condition: Condition
    ) throws {
        let written = try folder.write(record, body: body, to: file, in: shard, mayWait: mayWait) { lock in
            guard case .since(let generation) = condition else { return true }
            return try folder.generation(of: shard, lock: lock) == generation
        }
        count(bytes: written + others)
    }

    /// Writes a new head for the body of an entry.
    ///
    /// - Parameters:
    ///   - old: the head to replace.
    ///   - generation: the generation that the URL must still have; nil for any.
    /// - Returns: whether the head was written.
    func update(
        _ entry: HTTPCacheEntry, key: DiskKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheEntry.Generation?
    ) throws -> Bool {
        let name = DiskName(key)
        let file = name.file(id: entry.id)
        guard let found = folder.find(file, in: name.shard), found.record.key == key,
            found.record.entry.isSameHead(as: old)
        else { return false }
        var record = found.record
        record.entry = entry
        var body = Data()
        if case .inline = record.body {
            guard let data = folder.inlineBody(of: found) else { return false }
            body = data
        }
        do {
            let written = try folder.write(record, body: body, to: file, in: name.shard) { lock in
                // Only the file that was read may be replaced. A removed one must not come back.
                guard folder.isSame(found.file, at: found.path) else { return false }
                return try generation == nil || folder.generation(of: name.shard, lock: lock) == generation
            }
            count(bytes: written)
            return true
        } catch is CancellationError {
            return false
        }
    }

    // MARK: Removing

    func remove(id: String, key: DiskKey) throws {
        let name = DiskName(key)
        try folder.remove(name.file(id: id), in: name.shard)
    }

    func advanceGeneration(of url: String) throws {
        try folder.withLock(on: DiskName(url: url).shard) { try folder.advanceGeneration($0) }
    }

    /// Removes all files of a URL. Returns when the removal is on the medium.
    ///
    /// - Throws: ``SystemError`` if any file may still exist. This process no longer finds it.
    func removeAll(url: String) throws {
        let name = DiskName(url: url)
        try remove(inShard: name.shard, advancing: true, syncing: true) { $0.starts(with: name.urlPart.utf8) }
    }

    /// Removes all files.
    ///
    /// - Throws: the same errors as for one URL.
    func removeAll() throws {
        // Another process may have removed their names, which the walk below looks for.
        folder.lookups.removeAll()
        var failure: (any Error)?
        // Without a folder there is nothing to remove.
        if Directory.status(of: folder.path) != nil {
            do { try folder.advanceGenerationOfAll() } catch { failure = error }
        }
        var shards: [String] = []
        Directory.forEachName(in: folder.path) { shard in
            if shard.count == 3 { shards.append(String(decoding: shard, as: UTF8.self)) }
        }
        for shard in shards {
            do {
                try remove(inShard: shard, advancing: false) { _ in true }
            } catch {
                failure = error
            }
        }
        // At the end, since the first sync usually writes the changes of all folders.
        for shard in shards { folder.sync("\(folder.path)/\(shard)") }
        load.withLock {
            $0.bytes = 0; $0.entries = 0
        }
        if let failure { throw failure }
    }

    private func remove(
        inShard shard: String, advancing: Bool, syncing: Bool = false,
        where matches: (UnsafeBufferPointer<UInt8>) -> Bool
    ) throws {
        do {
            try folder.withLock(on: shard, makesFolder: false) { lock in
                var failure: (any Error)?
                if advancing {
                    do { try folder.advanceGeneration(lock) } catch { failure = error }
                }
                try removeFiles(inShard: shard, syncing: syncing, where: matches)
                if let failure { throw failure }
            }
        } catch let error as SystemError {
            switch error.code {
            case ENOENT, ENOTDIR:
                // The shard does not exist.
                return
            case EACCES, EPERM, EROFS:
                // No process can store there, so no lock is needed.
                try removeFiles(inShard: shard, syncing: syncing, where: matches)
            default:
                // The process that holds the lock was stopped, or the disk fails.
                try removeFiles(inShard: shard, syncing: syncing, where: matches)
                throw error
            }
        }
    }

    private func removeFiles(
        inShard shard: String, syncing: Bool, where matches: (UnsafeBufferPointer<UInt8>) -> Bool
    ) throws {
        var names: [String] = []
        Directory.forEachName(in: "\(folder.path)/\(shard)") { name in
            if name.count >= DiskName.length, matches(name) { names.append(String(decoding: name, as: UTF8.self)) }
        }
        guard !names.isEmpty else { return }
        let left = folder.oldestFirst(names, in: shard).filter { !folder.removeFile($0, in: shard) }
        // Otherwise the old response could come back after a power failure.
        if syncing { folder.sync("\(folder.path)/\(shard)") }
        if let name = left.first { throw SystemError("unlink", folder.path(of: name, in: shard), code: EACCES) }
    }

    // MARK: Trimming

    private func count(bytes: Int64) {
        let isDue = load.withLock { load in
            load.bytesSince += bytes
            load.entriesSince += 1
            return load.startsTrimming(limits)
        }
        if isDue { queue.start { [self] in _ = trimNow() } }
    }

    /// Starts the first walk in the background.
    func startTrimming() {
        load.withLock { $0.isTrimming = true }
        queue.start { [self] in _ = trimNow() }
    }

    func trim() async -> DiskCache.Summary {
        await queue.run { [self] in trimNow() }
    }

    private func trimNow() -> DiskCache.Summary {
        let before = load.withLock { ($0.bytesSince, $0.entriesSince) }
        let summary = DiskTrim(folder: folder, limits: limits).run()
        // Entries that were stored during the walk may have been missed by it.
        let isDue = load.withLock { load in
            load.bytes = summary.byteCount
            load.entries = summary.entryCount
            load.bytesSince -= before.0
            load.entriesSince -= before.1
            load.isTrimming = false
            return load.startsTrimming(limits)
        }
        if isDue { queue.start { [self] in _ = trimNow() } }
        return summary
    }
}

/// The limits of a ``DiskCache``.
struct DiskLimits {
    let maxBytes: Int64
    let maxEntries: Int
    let maxAge: TimeInterval?
}
