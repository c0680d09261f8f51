import NetCore

/// What a ``DiskCache`` and its writers share: the folder, and how full it is.
final class DiskCacheCore: Sendable {
    let folder: DiskFolder
    let limits: DiskLimits

    /// How full the folder was when somebody looked, and what was written since. It may be wrong, since others write too; it
    /// only says when to look again.
    private struct Load {
        var bytes: Int64 = 0
        var entries = 0
        var bytesSince: Int64 = 0
        var entriesSince = 0
        var isTrimming = false
    }

    private let load = Locked(Load())
    private let queue = IOQueue(label: "networking.cache.trim")

    init(folder: DiskFolder, limits: DiskLimits) {
        self.folder = folder
        self.limits = limits
    }

    /// Changes when the URL's responses, or all, are removed: what was begun before is not stored afterwards.
    func generation(of url: String) throws(SystemError) -> HTTPCacheGeneration {
        try folder.generation(of: DiskName(url: url).shard)
    }

    // MARK: Storing

    /// When an entry may be put in its place.
    enum Condition {
        case always
        /// If nothing was invalidated since; nil for a generation that could not be read, which is never.
        case since(HTTPCacheGeneration?)
    }

    func store(_ record: DiskRecord, body: Data, if condition: Condition = .always) throws {
        guard body.count <= limits.maxBytes else { throw SystemError("store", code: EFBIG) }
        var record = record
        record.body = .inline(length: body.count, checksum: XXHash64.hash(body))
        try put(record, body: body, others: 0, if: condition)
    }

    func store(_ record: DiskRecord, body: inout DiskBodyFile, if condition: Condition) throws {
        let name = DiskName(record.key)
        let file = name.file(id: record.entry.id)
        let body = try body.finish(in: folder, shard: name.shard, as: file)
        var record = record
        record.body = .file(body)
        do {
            try put(record, body: Data(), others: body.length, if: condition)
        } catch {
            Directory.remove(folder.path(of: DiskName.body(of: file, token: body.token), in: name.shard))
            throw error
        }
    }

    private func put(_ record: DiskRecord, body: Data, others: Int64, if condition: Condition) throws {
        let name = DiskName(record.key)
        let file = name.file(id: record.entry.id)
        var old: String?
        let written = try folder.write(record, body: body, to: file, in: name.shard) {
            if case .since(let generation) = condition, try folder.generation(of: name.shard) != generation {
                return false
            }
            old = folder.find(file, in: name.shard, isLocked: true)?.record.bodyFile(of: file)
            return true
        }
        if let old, old != record.bodyFile(of: file) { Directory.remove(folder.path(of: old, in: name.shard)) }
        count(bytes: written + others)
    }

    /// Writes another head for the body that an entry has.
    ///
    /// - Parameters:
    ///   - old: the head that has to be there; nil for any.
    ///   - generation: what nothing may have invalidated since; nil for any.
    /// - Returns: whether it was written.
    func update(
        _ entry: HTTPCacheEntry, key: DiskKey, replacing old: HTTPCacheEntry? = nil,
        since generation: HTTPCacheGeneration? = nil
    ) throws -> Bool {
        let name = DiskName(key)
        let file = name.file(id: entry.id)
        guard let found = folder.find(file, in: name.shard), found.record.key == key, found.record.entry.id == entry.id,
            old.map({ found.record.entry.isSameHead(as: $0) }) ?? true
        else { return false }
        var record = found.record
        record.entry = entry
        var body = Data()
        if case .inline = record.body {
            guard let data = folder.inlineBody(of: found) else { return false }
            body = data
        }
        do {
            let written = try folder.write(record, body: body, to: file, in: name.shard) {
                // The very file that was read: one that was removed meanwhile must not come back.
                guard folder.isSame(found.file, at: found.path) else { return false }
                return try generation == nil || folder.generation(of: name.shard) == generation
            }
            count(bytes: written)
            return true
        } catch is CancellationError {
            return false
        }
    }

    // MARK: Removing

    /// Removes one entry.
    func remove(id: String, key: DiskKey) throws {
        let name = DiskName(key)
        try folder.remove(name.file(id: id), in: name.shard)
    }

    /// Changes the generation of a URL.
    func advanceGeneration(of url: String) throws {
        try folder.withLock(on: DiskName(url: url).shard) { try folder.advanceGeneration($0) }
    }

    /// Removes all files of a URL, for good: it returns when the medium has it.
    ///
    /// - Throws: ``SystemError`` if any may still be there. This process does not find it any more.
    func removeAll(url: String) throws {
        let name = DiskName(url: url)
        try remove(inShard: name.shard, advancing: true, syncing: true) { $0.starts(with: name.urlPart.utf8) }
    }

    /// Removes all.
    ///
    /// - Throws: as for one URL.
    func removeAll() throws {
        var failure: (any Error)?
        // Without a folder nothing is there, and nothing has to be made.
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
        // At the end: the first one writes down what was removed from all of them, as a rule.
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
                // Nothing was stored, nor looked up.
                return
            case EACCES, EPERM, EROFS:
                // Nothing can be stored there: what counts is what is there.
                try removeFiles(inShard: shard, syncing: syncing, where: matches)
            default:
                // A process that holds the lock was stopped, or the disk fails.
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
        let left = names.filter { !folder.removeFile($0, in: shard) }
        // Otherwise the old response could be there again after a power failure.
        if syncing { folder.sync("\(folder.path)/\(shard)") }
        if let name = left.first { throw SystemError("unlink", folder.path(of: name, in: shard), code: EACCES) }
    }

    // MARK: Trimming

    private func count(bytes: Int64) {
        let isDue = load.withLock { load in
            load.bytesSince += bytes
            load.entriesSince += 1
            let isFull =
                load.bytes + load.bytesSince > limits.maxBytes || load.entries + load.entriesSince > limits.maxEntries
            // Others may write too: whoever has written a tenth looks at the whole.
            let isMuch = load.bytesSince > limits.maxBytes / 10 || load.entriesSince > limits.maxEntries / 10
            guard isFull || isMuch, !load.isTrimming else { return false }
            load.isTrimming = true
            return true
        }
        if isDue { queue.start { [self] in _ = trimNow() } }
    }

    /// Looks at the folder for the first time, some time soon.
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
        load.withLock { load in
            load.bytes = summary.byteCount
            load.entries = summary.entryCount
            load.bytesSince -= before.0
            load.entriesSince -= before.1
            load.isTrimming = false
        }
        return summary
    }
}

/// How much a ``DiskCache`` may hold.
struct DiskLimits {
    let maxBytes: Int64
    let maxEntries: Int
    let maxAge: TimeInterval?
}
