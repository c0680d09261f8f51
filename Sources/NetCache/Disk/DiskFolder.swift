import NetCore

/// The folder of a ``DiskCache``, and reading and writing of single files in it. Any number of processes may do so at once:
/// a file is written under a name of its own, and moved to its place when it is whole.
///
/// There is no index that could be lost: an entry is found by its name, and found whole or not at all. What changes the names in a shard
/// holds the shard's lock: see `DiskFolder+Locking.swift`.
final class DiskFolder: Sendable {
    let path: String
    let clock: any NetworkClock
    let recency = DiskRecency()
    /// Puts the names in a folder on the medium.
    let sync: @Sendable (String) -> Void

    /// What is read at first: enough for the head and a small body, so that most hits take one call.
    private static let firstRead = 16 * 1024

    init(
        _ directory: URL, clock: any NetworkClock, sync: @escaping @Sendable (String) -> Void = { Directory.sync($0) }
    ) {
        self.sync = sync
        path = directory.path.hasSuffix("/") ? directory.path + "v1" : directory.path + "/v1"
        self.clock = clock
    }

    /// The key by which owners are told apart: see ``CacheIdentityKey``.
    func identityKey() throws -> CacheIdentityKey {
        try Directory.make(path)
        return try CacheIdentityKey.stored(at: "\(path)/identity.key")
    }

    func path(of file: String, in shard: String) -> String { "\(path)/\(shard)/\(file)" }

    // MARK: Reading

    /// What an entry's file holds.
    struct Found {
        let record: DiskRecord
        let file: DiskFile
        let path: String
        let shard: String
        /// The beginning of the file, and where in it the head ends.
        let start: Data
        let bodyPosition: Int
    }

    /// The entry in a file; nil if there is none, or none that is whole. What is damaged is removed.
    ///
    /// - Parameter isLocked: whether the caller holds the lock of the shard.
    func find(_ file: String, in shard: String, isLocked: Bool = false) -> Found? {
        let path = path(of: file, in: shard)
        guard let open = try? DiskFile(path, O_RDONLY), !DiskTombstones.shared.hides(open, at: path),
            var start = try? open.read(Self.firstRead, at: 0)
        else { return nil }
        guard let length = DiskRecord.headLength(of: start) else {
            discard(open, at: path, in: shard, isLocked: isLocked)
            return nil
        }
        let whole = DiskRecord.prefixLength + length
        if start.count < whole, start.count == Self.firstRead {
            guard let more = try? open.read(whole, at: 0) else { return nil }
            start = more
        }
        guard let record = try? DiskRecord(start) else {
            discard(open, at: path, in: shard, isLocked: isLocked)
            return nil
        }
        return Found(record: record, file: open, path: path, shard: shard, start: start, bodyPosition: whole)
    }

    /// The names of the entries whose names begin so.
    func files(withPrefix prefix: String, in shard: String) -> [String] {
        var names: [String] = []
        let prefix = Array(prefix.utf8)
        Directory.forEachName(in: "\(path)/\(shard)") { name in
            if name.count == DiskName.length, name.starts(with: prefix) {
                names.append(String(decoding: name, as: UTF8.self))
            }
        }
        return names
    }

    /// Whether names came or went in the last tenth of a second, by the system's clock, which is also the folder's.
    func changedJustNow(_ shard: String) -> Bool {
        guard let changed = Directory.status(of: "\(path)/\(shard)")?.modified else { return false }
        return abs(changed.timeIntervalSinceNow) < 0.1
    }

    /// The body of an entry that has it in the same file, checked; nil if it is damaged, and then it is removed.
    func inlineBody(of found: Found) -> Data? {
        guard case .inline(let length, let checksum) = found.record.body else { return nil }
        var body = found.start.dropFirst(found.bodyPosition)
        if body.count < length {
            // The length is not to be believed before the file has it.
            guard let size = try? found.file.status().size, size == Int64(found.bodyPosition) + Int64(length),
                let whole = try? found.file.read(length, at: Int64(found.bodyPosition))
            else { return discard(found) }
            body = whole
        }
        guard body.count == length, XXHash64.hash(body) == checksum else { return discard(found) }
        // A copy, so that a small body does not keep the whole buffer.
        return length < Self.firstRead / 2 ? body.withUnsafeBytes { Data($0) } : body
    }

    /// Removes what was found, unless another entry has taken its place.
    func discard(_ found: Found) -> Data? {
        discard(found.file, at: found.path, in: found.shard, isLocked: false)
        return nil
    }

    /// Notes that the entry was used, for eviction.
    func touch(_ found: Found) {
        let now = clock.now
        if recency.record(DiskRecency.Use(key: found.record.key, id: found.record.entry.id), at: now) {
            found.file.touch(now)
        }
    }

    /// Notes that the entry was used, without reading it.
    func recordUse(of id: String, key: DiskKey) {
        let now = clock.now
        guard recency.record(DiskRecency.Use(key: key, id: id), at: now) else { return }
        let name = DiskName(key)
        (try? DiskFile(path(of: name.file(id: id), in: name.shard), O_RDONLY))?.touch(now)
    }

    // MARK: Writing

    /// A new file in a shard that nobody else writes, and that others see is being written: it is locked.
    func makeTemporary(in shard: String) throws(SystemError) -> (file: DiskFile, path: String) {
        for _ in 0..<10 {
            let name = "\(getpid())-\(DiskName.hex(.random(in: 0 ... .max)))\(DiskName.temporarySuffix)"
            let path = path(of: name, in: shard)
            let file: DiskFile
            do {
                file = try DiskFile(path, O_RDWR | O_CREAT | O_EXCL)
            } catch  where error.code == ENOENT {
                // The first in this shard, or somebody has deleted the folder.
                try Directory.make("\(self.path)/\(shard)")
                file = try DiskFile(path, O_RDWR | O_CREAT | O_EXCL)
            }
            // Before it was locked, somebody who cleans up may have taken it for one that a crash has left.
            if file.lock(.shared), try file.status().hasName { return (file, path) }
        }
        throw SystemError("lock", path, code: EAGAIN)
    }

    /// Puts an entry in its place, all of it at once.
    ///
    /// - Parameter isCurrent: asked while the lock of the shard is held, before the entry can be seen.
    /// - Returns: the bytes that the file has.
    /// - Throws: `CancellationError` if it is not current; ``SystemError`` if it cannot be written.
    func write(
        _ record: DiskRecord, body: Data, to file: String, in shard: String, if isCurrent: () throws -> Bool
    ) throws -> Int64 {
        var bytes = try record.encoded()
        let temporary = try makeTemporary(in: shard)
        do {
            // One call for small ones; a large body is not worth the copy.
            if body.count <= Self.firstRead {
                bytes.append(body)
                try temporary.file.write(bytes)
            } else {
                try temporary.file.write(bytes)
                try temporary.file.write(body)
            }
            temporary.file.touch(clock.now)
            try withLock(on: shard) { _ in
                guard try isCurrent() else { throw CancellationError() }
                try Directory.move(temporary.path, to: path(of: file, in: shard))
            }
        } catch {
            Directory.remove(temporary.path)
            throw error
        }
        return Int64(bytes.count) + (body.count <= Self.firstRead ? 0 : Int64(body.count))
    }
}

extension DiskRecord {
    /// The name of the file that the body has to itself, if it has one.
    func bodyFile(of file: String) -> String? {
        guard case .file(let body) = body else { return nil }
        return DiskName.body(of: file, token: body.token)
    }
}
