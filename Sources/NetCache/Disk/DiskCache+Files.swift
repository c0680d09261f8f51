import NetCore

// Methods that block: the public ones run long ones on an ``IOQueue``.
extension DiskCache {
    // MARK: Storing

    /// Stores an entry and its body in one file. Throws `EWOULDBLOCK` if another writer holds the lock of the shard, without `mayWait`.
    ///
    /// - Parameter generation: the generation that the URL must still have; nil for any.
    /// - Throws: `CancellationError` if the URL has another generation; ``SystemError`` if the entry cannot be written (`EFBIG`: it is too large).
    func store(
        _ record: DiskRecord, named name: DiskName, body: Data, mayWait: Bool = true,
        since generation: HTTPCacheEntry.Generation? = nil
    ) throws {
        guard body.count <= maxBytes else { throw SystemError("store", code: EFBIG) }
        var record = record
        record.body = .inline(length: body.count, checksum: XXHash64.hash(body))
        let file = name.file(id: record.entry.id)
        let written = try folder.write(
            record, body: body, to: file, in: name.shard, mayWait: mayWait, since: generation)
        count(bytes: written)
    }

    /// Stores an entry, and gives the file of its body the name to which the entry refers.
    func store(
        _ record: DiskRecord, named name: DiskName, body: DiskBodyFile, since generation: HTTPCacheEntry.Generation
    ) throws {
        let file = name.file(id: record.entry.id)
        var (record, unfinished) = (record, body)
        let body = try unfinished.finish(in: folder, shard: name.shard, as: file)
        record.body = .file(body)
        do {
            count(bytes: try folder.write(record, to: file, in: name.shard, since: generation) + body.length)
        } catch {
            Directory.remove(folder.path(of: DiskName.body(of: file, token: body.token), in: name.shard))
            throw error
        }
    }

    /// Writes a new head for the body of an entry, if the stored one is `old` and the URL has that generation (nil for any). Returns whether it did.
    func update(
        _ entry: HTTPCacheEntry, key: DiskKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheEntry.Generation?
    ) throws -> Bool {
        guard let found = folder.find(entry.id, key: key), found.record.entry.isSameHead(as: old) else { return false }
        var record = found.record
        record.entry = entry
        var body = Data()
        if case .inline = record.body {
            guard let data = folder.inlineBody(of: found) else { return false }
            body = data
        }
        do {
            count(
                bytes: try folder.write(
                    record, body: body, to: found.name, in: found.shard, since: generation, replacing: found))
            return true
        } catch is CancellationError {
            return false
        }
    }

    // MARK: Removing

    /// Removes all files of a URL, on the medium. Throws ``SystemError`` if any may still exist, which this process no longer finds.
    func removeFiles(of url: String) throws {
        let name = DiskName(url: url)
        let remove = { [self] in
            try removeFiles(inShard: name.shard, syncing: true) { $0.starts(with: name.urlPart.utf8) }
        }
        try withLock(on: name.shard, orWithoutIt: remove) { lock in
            let advancing = Result { try folder.advanceGeneration(lock) }
            try remove()
            try advancing.get()
        }
    }

    /// Removes all files. Throws the same errors as for one URL.
    func removeFiles() throws {
        // Another process may have removed their names, which the walk below looks for.
        folder.lookups.removeAll()
        // Without a folder there is nothing to remove.
        var results = [
            Result {
                guard Directory.status(of: folder.path) != nil else { return }
                try folder.withLock(on: ".") { try folder.advanceGeneration($0) }
            }
        ]
        var shards: [String] = []
        Directory.forEachName(in: folder.path) { shard in
            if shard.count == 3 { shards.append(String(decoding: shard, as: UTF8.self)) }
        }
        for shard in shards {
            let remove = { [self] in try removeFiles(inShard: shard, syncing: false) { _ in true } }
            results.append(Result { try withLock(on: shard, orWithoutIt: remove) { _ in try remove() } })
        }
        // At the end, since the first sync usually writes the changes of all folders.
        for shard in shards { folder.sync("\(folder.path)/\(shard)") }
        load.withLock { ($0.bytes, $0.entries) = (0, 0) }
        for result in results { try result.get() }
    }

    /// Runs the work under the lock of a shard. If it fails, removes the files without the lock, rather than keep them.
    private func withLock(
        on shard: String, orWithoutIt remove: () throws -> Void, _ work: (DiskFolder.Lock) throws -> Void
    ) throws {
        do {
            try folder.withLock(on: shard, makesFolder: false, work)
        } catch let error as SystemError {
            // The shard does not exist.
            if error.code == ENOENT || error.code == ENOTDIR { return }
            try remove()
            // Where no process can store, no lock is needed. Otherwise its holder was stopped, or the disk fails.
            if ![EACCES, EPERM, EROFS].contains(error.code) { throw error }
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
}
