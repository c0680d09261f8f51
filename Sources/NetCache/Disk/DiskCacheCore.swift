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
        var generation: UInt64 = 0
    }

    private let load = Locked(Load())
    private let queue = IOQueue(label: "networking.cache.trim")

    init(folder: DiskFolder, limits: DiskLimits) {
        self.folder = folder
        self.limits = limits
    }

    /// Changes when all is removed: what was begun before is not stored afterwards.
    var generation: UInt64 { load.withLock { $0.generation } }

    // MARK: Storing

    func store(_ record: DiskRecord, body: Data, generation: UInt64? = nil) throws {
        guard body.count <= limits.maxBytes else { throw SystemError("store", code: EFBIG) }
        var record = record
        record.body = .inline(length: body.count, checksum: XXHash64.hash(body))
        try put(record, body: body, others: 0, generation: generation)
    }

    func store(_ record: DiskRecord, body: inout DiskBodyFile, generation: UInt64) throws {
        let name = DiskName(record.key)
        let file = name.file(id: record.entry.id)
        let body = try body.finish(in: folder, shard: name.shard, as: file)
        var record = record
        record.body = .file(body)
        do {
            try put(record, body: Data(), others: body.length, generation: generation)
        } catch {
            Directory.remove(folder.path(of: DiskName.body(of: file, token: body.token), in: name.shard))
            throw error
        }
    }

    private func put(_ record: DiskRecord, body: Data, others: Int64, generation: UInt64?) throws {
        let name = DiskName(record.key)
        let file = name.file(id: record.entry.id)
        let old = folder.find(file, in: name.shard)?.record.bodyFile(of: file)
        let written = try folder.write(record, body: body, to: file, in: name.shard) { [self] in
            generation.map { $0 != self.generation } ?? false
        }
        if let old, old != record.bodyFile(of: file) { Directory.remove(folder.path(of: old, in: name.shard)) }
        count(bytes: written + others)
    }

    /// Writes another head for the body that an entry has.
    func update(_ entry: HTTPCacheEntry, key: DiskKey) throws {
        let name = DiskName(key)
        let file = name.file(id: entry.id)
        guard let found = folder.find(file, in: name.shard), found.record.key == key, found.record.entry.id == entry.id
        else { return }
        var record = found.record
        record.entry = entry
        var body = Data()
        if case .inline = record.body {
            guard let data = folder.inlineBody(of: found) else { return }
            body = data
        }
        count(bytes: try folder.write(record, body: body, to: file, in: name.shard))
    }

    // MARK: Removing

    /// All files of a URL, or of all.
    func removeAll(url: String?) {
        if let url {
            let name = DiskName(url: url)
            remove(inShard: name.shard) { $0.starts(with: name.urlPart.utf8) }
            return
        }
        load.withLock { $0.generation += 1 }
        Directory.forEachName(in: folder.path) { shard in
            guard shard.count == 3 else { return }
            remove(inShard: String(decoding: shard, as: UTF8.self)) { _ in true }
        }
        load.withLock {
            $0.bytes = 0; $0.entries = 0
        }
    }

    private func remove(inShard shard: String, where matches: (UnsafeBufferPointer<UInt8>) -> Bool) {
        var names: [String] = []
        Directory.forEachName(in: "\(folder.path)/\(shard)") { name in
            if name.count >= DiskName.length, matches(name) { names.append(String(decoding: name, as: UTF8.self)) }
        }
        for name in names { Directory.remove(folder.path(of: name, in: shard)) }
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
