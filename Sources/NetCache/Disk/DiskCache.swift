public import NetCore

/// Responses on disk: they outlive the process, and may be shared by several.
///
/// It is both kinds of store: an ``HTTPCacheStore`` of whole responses for ``ResponseCache``, and a ``ResponseCaching`` of bytes
/// by URL for ``CachePolicyInterceptor`` and ``DataCache``. The two see nothing of each other in one folder, and share its limits.
///
/// ```swift
/// let folder = URL(fileURLWithPath: "/var/cache/shop", isDirectory: true)
/// let cache = DiskCache(directory: folder, maxBytes: 200 << 20)
/// ```
///
/// **Crashes.** An entry is written under another name and moved to its place when it is whole, and every byte is checked
/// against a checksum before it is handed out. So a process may be killed at any moment: what it was writing is not there,
/// everything else is, and what is left of it is removed on a later walk through the folder. There is no index that could be
/// lost. A large body is synced before it can be found; a small one is not, and may be lost, never torn, in a power failure.
///
/// **Several processes** may use one folder at the same time, with the same limits. An invalidation holds for all of them: a response
/// that another process asked for before is not stored after it. Writers wait for each other for some microseconds, if they write to the
/// same 4096th of all URLs; readers wait for nothing.
///
/// **Invalidations** are on the medium when ``removeAll(url:)`` returns.
///
/// **If the disk fails** (it is full, the folder is read-only, somebody deleted it), responses are not found and not stored;
/// no request fails for it. A folder that was deleted is made again. What cannot be removed from a read-only folder is not found any
/// more by this process, and removing it throws; another process may still find it.
///
/// **Eviction.** The entries that were not read for longest go first, when there is more than `maxBytes` or `maxEntries`. For a
/// moment there may be a tenth more, for each process. Of this process each read counts; of others the minute in which it was.
///
/// **Privacy.** Files are for this user alone (0600, in a folder of mode 0700) and are named by digests. They are not
/// encrypted: their heads have URLs and header fields in clear text, but no user information of a URL.
public final class DiskCache: Sendable {
    let core: DiskCacheCore

    /// What a walk through the folder has found and done.
    public struct Summary: Hashable, Sendable {
        /// The entries that are there now.
        public internal(set) var entryCount = 0
        /// The bytes of their files.
        public internal(set) var byteCount: Int64 = 0
        /// The entries that went because they were too old, or too much.
        public internal(set) var evictedCount = 0
        /// The files that went because whoever wrote them has ended before they were whole.
        public internal(set) var leftoverCount = 0
    }

    /// A cache in a folder. It never fails: see above.
    ///
    /// Takes no time by the number of entries; a walk that counts them begins in the background.
    ///
    /// - Parameters:
    ///   - directory: where to keep the folder `v1` with all files. It is made if it is not there; other files in it are left
    ///     alone. On iOS, the system empties `Library/Caches` when it needs room.
    ///   - maxBytes: the most bytes of files; 100 MiB unless given. Zero or a negative number stores nothing.
    ///   - maxEntries: the most entries. Zero or a negative number stores nothing.
    ///   - maxAge: how long an entry may stay unused, in seconds; nil for no limit.
    ///   - clock: says when something has expired, and was used.
    public init(
        directory: URL, maxBytes: Int64 = 100 << 20, maxEntries: Int = 200_000, maxAge: TimeInterval? = nil,
        clock: any NetworkClock = .system
    ) {
        core = DiskCacheCore(
            folder: DiskFolder(directory, clock: clock),
            limits: DiskLimits(maxBytes: max(0, maxBytes), maxEntries: max(0, maxEntries), maxAge: maxAge))
        core.startTrimming()
    }

    /// Walks through the folder now: removes what is too old, too much, or left by a crash, and counts what stays.
    ///
    /// It runs by itself when the cache is made and when it is full. While another process does the same, this one only
    /// counts.
    @discardableResult
    public func trim() async -> Summary {
        await core.trim()
    }

    var canStore: Bool { core.limits.maxBytes > 0 && core.limits.maxEntries > 0 }
}

extension DiskCache: HTTPCacheStore {
    /// The key of the folder, in a file that only its owner can read (mode 0600), made when it is first asked for.
    public func identityKey() throws -> CacheIdentityKey? {
        try core.folder.identityKey()
    }

    /// The responses stored under a key, the newest first. Only their heads are read.
    public func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] {
        let key = DiskKey(key)
        let name = DiskName(key)
        var records: [DiskRecord] = []
        for _ in 0..<4 {
            let files = core.folder.files(withPrefix: name.prefix, in: name.shard)
            records = files.compactMap { core.folder.find($0, in: name.shard)?.record }
            // One that went meanwhile may have been replaced by one that was not there before. A folder that changes while its names are
            // read may show neither.
            if records.count == files.count, !records.isEmpty || !core.folder.changedJustNow(name.shard) { break }
        }
        return records.filter { $0.key == key }.map(\.entry).sorted { $0.responseTime > $1.responseTime }
    }

    /// The body of a stored response; nil if the entry is gone, or is damaged.
    ///
    /// A body of up to 64 KiB is in memory and checked. Of a larger one, each piece is checked before it is given; should one
    /// have rotted on the disk, reading ends there with a ``TransportError/Code/truncatedBody``.
    public func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws -> HTTPBody? {
        let key = DiskKey(key)
        let name = DiskName(key)
        let file = name.file(id: entry.id)
        guard let found = core.folder.find(file, in: name.shard), found.record.key == key,
            found.record.entry.id == entry.id
        else { return nil }
        defer { core.folder.touch(found) }
        switch found.record.body {
        case .inline: return core.folder.inlineBody(of: found).map { HTTPBody($0) }
        case .file(let body): return self.body(body, of: file, in: name.shard)
        }
    }

    private func body(_ body: DiskBody, of file: String, in shard: String) -> HTTPBody? {
        let path = core.folder.path(of: DiskName.body(of: file, token: body.token), in: shard)
        guard let open = try? DiskFile(path, O_RDONLY) else {
            core.removeQuietly(file, in: shard)
            return nil
        }
        let stream = DiskBodyStream(file: open, body: body) { [core] in core.removeQuietly(file, in: shard) }
        // A file that was cut off is seen before anything of it is given.
        guard let size = try? open.status().size, size == body.length else {
            stream.damaged()
            return nil
        }
        return HTTPBody(length: body.length, replaying: { stream })
    }

    /// Begins to store a response. Nil for one that is larger than the whole cache.
    public func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?
    ) async throws -> (any HTTPCacheWriter)? {
        try await beginStoring(entry, for: key, length: length, since: nil)
    }

    /// Begins to store a response, unless its URL is invalidated before the commit, in whichever process. Nil for one that is larger
    /// than the whole cache.
    public func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?, since generation: HTTPCacheGeneration?
    ) async throws -> (any HTTPCacheWriter)? {
        guard canStore, length ?? 0 <= core.limits.maxBytes else { return nil }
        // If there is none, the commit says so.
        let generation = generation ?? (try? core.generation(of: key.url))
        return DiskCacheWriter(cache: core, key: DiskKey(key), entry: entry, generation: generation)
    }

    /// The generation of a URL, which all processes on this folder see change. Some URLs share one.
    ///
    /// - Throws: what makes the folder unusable. Then nothing can be stored.
    public func generation(of url: String) async throws -> HTTPCacheGeneration? {
        try core.generation(of: url)
    }

    /// Changes the generation of a URL.
    public func advanceGeneration(of url: String) async throws {
        try await IOQueue.lane().run { [core] in try core.advanceGeneration(of: url) }
    }

    /// Replaces the head of a stored response.
    public func update(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
        _ = try await IOQueue.lane().run { [core] in try core.update(entry, key: DiskKey(key)) }
    }

    /// Replaces the head of a stored response if it is the one that was validated, and nothing was invalidated since.
    public func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheGeneration?
    ) async throws -> Bool {
        try await IOQueue.lane().run { [core] in
            try core.update(entry, key: DiskKey(key), replacing: old, since: generation)
        }
    }

    /// Removes one response.
    ///
    /// - Throws: if it cannot be removed. No ``DiskCache`` of this process finds it any more.
    public func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
        try await IOQueue.lane().run { [core] in try core.remove(id: entry.id, key: DiskKey(key)) }
    }

    /// Removes all that is stored for one URL. Returns when the medium has it, so that it holds after a power failure too.
    ///
    /// - Throws: if any cannot be removed, for instance from a folder that is read-only. No ``DiskCache`` of this process finds it any
    ///   more; another process may.
    public func removeAll(url: String) async throws {
        try await IOQueue.lane().run { [core] in try core.removeAll(url: url) }
    }

    /// Removes all responses, and all data. What is being stored at this moment, in whichever process, is not stored any more.
    ///
    /// - Throws: as ``removeAll(url:)``.
    public func removeAll() async throws {
        try await IOQueue.lane().run { [core] in try core.removeAll() }
    }

    /// Notes a use, for eviction.
    public func recordUse(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async {
        core.folder.recordUse(of: entry.id, key: DiskKey(key))
    }
}

extension DiskCache: ResponseCaching {
    /// The id of the only entry that data has.
    private static let dataID = "data"

    /// Stores the bytes, in place of what was stored for that URL. With an `expireTime` that has passed, nothing is stored
    /// for that URL afterwards. Writes on the calling thread, without waiting for the medium.
    public func setResponse(_ data: Data, for url: URL, expireTime: Date?) {
        guard let key = dataKey(for: url) else { return }
        let now = core.folder.clock.now
        guard canStore, data.count <= core.limits.maxBytes, expireTime.map({ $0 >= now }) ?? true else {
            return removeResponse(for: url)
        }
        let entry = HTTPCacheEntry(
            id: Self.dataID, status: 200, headers: HTTPHeaders(), responseURL: nil, requestHeaders: HTTPHeaders(),
            requestTime: now, responseTime: now, expireTime: expireTime)
        let record = DiskRecord(key: key, entry: entry, body: .inline(length: 0, checksum: 0))
        do {
            try core.store(record, body: data)
        } catch {
            // The cache is silent; but what stands there is out of date.
            removeResponse(for: url)
        }
    }

    /// The bytes stored for that URL, checked; nil if there are none, or if they have expired. Bytes that expire, and were stored at a
    /// time that has not come yet, have expired: the clock was set back.
    public func getResponse(for url: URL) -> Data? {
        guard let key = dataKey(for: url) else { return nil }
        let name = DiskName(key)
        guard let found = core.folder.find(name.file(id: Self.dataID), in: name.shard), found.record.key == key else {
            return nil
        }
        let now = core.folder.clock.now
        let entry = found.record.entry
        if let end = entry.expireTime, end < now || entry.responseTime.isAhead(of: now) {
            return core.folder.discard(found)
        }
        core.folder.touch(found)
        return core.folder.inlineBody(of: found)
    }

    /// Removes the bytes stored for that URL. What cannot be removed is not found any more by this process.
    public func removeResponse(for url: URL) {
        guard let key = dataKey(for: url) else { return }
        let name = DiskName(key)
        core.removeQuietly(name.file(id: Self.dataID), in: name.shard)
    }

    /// Removes all responses, and all data. What cannot be removed is not found any more by this process.
    public func clear() {
        do {
            try core.removeAll()
        } catch {
            // There is no way to say so here; `removeAll()` throws.
            return
        }
    }

    /// The key of bytes. User information of the URL stands in it as a digest; nil if there is no key to make that with.
    private func dataKey(for url: URL) -> DiskKey? {
        guard let information = url.userInformation else {
            return DiskKey(kind: .data, url: url.absoluteString, owner: "")
        }
        guard let key = try? core.folder.identityKey() else { return nil }
        let digest = SHA256.hmac(Array(information.utf8), key: key.bytes).hexadecimal
        return DiskKey(kind: .data, url: url.withoutUserInformation.absoluteString, owner: digest)
    }
}

extension DiskCacheCore {
    /// Removes an entry. One that cannot be removed is not found any more by this process.
    func removeQuietly(_ file: String, in shard: String) {
        do {
            try folder.remove(file, in: shard)
        } catch {
            return
        }
    }
}
