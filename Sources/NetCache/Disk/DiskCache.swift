public import NetCore

/// Stores responses on disk. They survive the process, and several processes may share them.
///
/// It is both kinds of store: an ``HTTPCacheStore`` of whole responses for ``ResponseCache``, and a ``ResponseCaching`` of bytes
/// by URL for ``CachePolicyInterceptor`` and ``DataCache``. Both kinds are separate within one folder, and share its limits.
///
/// ```swift
/// let folder = URL(fileURLWithPath: "/var/cache/shop", isDirectory: true)
/// let cache = DiskCache(directory: folder, maxBytes: 200 << 20)
/// ```
///
/// **Crashes.** The cache writes an entry under a temporary name and renames it when it is complete. It checks every byte against a checksum before
/// it returns it. A process may be killed at any moment: only the entry it was writing is lost, and a later walk through the folder removes the
/// remains. It has no index that could be damaged. A large body is synced before it can be found. A power failure may lose a small body, but never
/// tears it.
///
/// **Several processes** may use one folder at the same time, with the same limits. An invalidation holds for all of them: a response that another
/// process requested earlier is not stored afterwards. Writers to the same 4096th of all URLs wait for each other for some microseconds.
/// Readers never wait.
///
/// **Invalidations** are on the medium when ``removeAll(url:)`` returns.
///
/// **If the disk fails** (full, read-only, or the folder was deleted), responses are not found and not stored, and no request fails. The cache
/// creates a deleted folder again. Removing from a read-only folder throws. This process then no longer finds the entry, but another process may.
///
/// **Eviction.** If there are more than `maxBytes` or `maxEntries`, the least recently read entries are removed. Each process may
/// exceed the limits by a tenth for a moment. Reads of this process count exactly, reads of other processes to the minute.
///
/// **Privacy.** Files have mode 0600, in a folder with mode 0700, and digests as names. They are not encrypted. Their heads hold
/// URLs and header fields in clear text, but not the user information of a URL.
public final class DiskCache: Sendable {
    let folder: DiskFolder
    let maxBytes: Int64
    let maxEntries: Int
    let maxAge: TimeInterval?
    let load = Locked(Load())
    let trimming = IOQueue(label: "networking.cache.trim")

    /// The result of a walk through the folder.
    public struct Summary: Hashable, Sendable {
        /// The number of entries in the folder.
        public internal(set) var entryCount = 0
        /// The size of their files, in bytes.
        public internal(set) var byteCount: Int64 = 0
        /// The number of entries that were removed because of age or number.
        public internal(set) var evictedCount = 0
        /// The number of incomplete files that crashed processes had left.
        public internal(set) var leftoverCount = 0
    }

    /// Creates a cache in a folder. It never fails: see above.
    ///
    /// The initialiser takes constant time. It starts a walk in the background that counts the entries.
    ///
    /// - Parameters:
    ///   - directory: the parent of the folder `v1` with all files. It is created if it does not exist. Other files in it are
    ///     left alone. On iOS, the system empties `Library/Caches` when it needs space.
    ///   - maxBytes: the maximum size of all files, in bytes; 100 MiB by default. With zero or a negative number, nothing is stored.
    ///   - maxEntries: the maximum number of entries. With zero or a negative number, nothing is stored.
    ///   - maxAge: the time for which an unused entry stays, in seconds; nil for no limit.
    ///   - clock: the clock for expiration and eviction.
    public convenience init(
        directory: URL, maxBytes: Int64 = 100 << 20, maxEntries: Int = 200_000, maxAge: TimeInterval? = nil,
        clock: any NetworkClock = .system
    ) {
        self.init(
            folder: DiskFolder(directory, clock: clock), maxBytes: maxBytes, maxEntries: maxEntries, maxAge: maxAge)
    }

    init(folder: DiskFolder, maxBytes: Int64, maxEntries: Int, maxAge: TimeInterval? = nil) {
        self.folder = folder
        self.maxBytes = max(0, maxBytes)
        self.maxEntries = max(0, maxEntries)
        self.maxAge = maxAge
        startTrimming()
    }

    /// Walks through the folder now. Removes entries beyond the limits and the remains of crashes, and counts the rest.
    ///
    /// The cache does so by itself when it is created and when it is full. While another process does the same, this one only counts.
    @discardableResult
    public func trim() async -> Summary { await trimming.run { [self] in trimNow() } }
    private var canStore: Bool { maxBytes > 0 && maxEntries > 0 }
}

extension DiskCache: HTTPCacheStore {
    /// Returns the key in the folder's key file (mode 0600). Creates the file at the first call.
    public func identityKey() throws -> CacheIdentityKey? { try folder.identityKey() }

    /// Returns the responses stored under a key, the newest first. Reads only their heads.
    public func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] {
        let key = DiskKey(key)
        let name = DiskName(key)
        var found: [DiskFolder.Found] = []
        var last: [String]?
        for _ in 0..<4 {
            let files = folder.files(withPrefix: name.prefix, in: name.shard)
            found = files.names.compactMap { folder.find($0, in: name.shard) }
            // An entry that disappeared meanwhile may have been replaced by one that was not there before. Reading the names of a
            // folder that changes may show neither, but an older one. The second time it shows both.
            if found.count == files.names.count, files.areCertain || files.names == last { break }
            last = files.names
        }
        found.removeAll { $0.record.key != key }
        folder.lookups.add(found)
        return found.map(\.record.entry).sorted { $0.responseTime > $1.responseTime }
    }

    /// Returns the body of a stored response, or nil if the entry is gone or damaged.
    ///
    /// A body of up to 64 KiB is read into memory and checked. Each chunk of a larger one is checked before it is returned. Reading a damaged chunk
    /// throws ``TransportError/Code/truncatedBody``.
    public func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws -> HTTPBody? {
        let key = DiskKey(key)
        guard let found = folder.lookedUp(entry.id, key: key) ?? folder.find(entry.id, key: key) else { return nil }
        defer { folder.touch(found) }
        switch found.record.body {
        case .inline: return folder.inlineBody(of: found).map { HTTPBody($0) }
        case .file(let body): return self.body(body, of: found.name, in: found.shard)
        }
    }

    private func body(_ body: DiskBody, of file: String, in shard: String) -> HTTPBody? {
        let path = folder.path(of: DiskName.body(of: file, token: body.token), in: shard)
        let open: DiskFile
        do throws(SystemError) {
            open = try DiskFile(path, O_RDONLY)
        } catch {
            // Any other error, such as too many open files, says nothing about the entry.
            if error.code == ENOENT { try? folder.remove(file, in: shard) }
            return nil
        }
        let stream = DiskBodyStream(file: open, body: body) { [folder] in try? folder.remove(file, in: shard) }
        // Detects a truncated file before any byte is returned.
        guard let size = try? open.status().size, size == body.length else {
            stream.damaged()
            return nil
        }
        return HTTPBody(length: body.length, replaying: { stream })
    }

    /// Starts to store a response, unless any process invalidates its URL before the commit. Returns nil for a body beyond the limit of the cache.
    public func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?, since generation: HTTPCacheEntry.Generation?
    ) async throws -> (any HTTPCacheEntry.Writer)? {
        guard canStore, length ?? 0 <= maxBytes else { return nil }
        let key = DiskKey(key)
        let name = DiskName(key)
        let generation = try generation ?? folder.generation(of: name.shard)
        return DiskCacheWriter(cache: self, key: key, name: name, entry: entry, generation: generation)
    }

    /// Returns the generation of a URL, which all processes on this folder share. Some URLs share one.
    ///
    /// - Throws: an error if the folder is unusable. Nothing can be stored then.
    public func generation(of url: String) async throws -> HTTPCacheEntry.Generation? {
        try folder.generation(of: DiskName(url: url).shard)
    }

    public func advanceGeneration(of url: String) async throws {
        try await IOQueue.lane().run { [folder] in
            try folder.withLock(on: DiskName(url: url).shard) { try folder.advanceGeneration($0) }
        }
    }

    public func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheEntry.Generation?
    ) async throws -> Bool {
        try await IOQueue.lane().run { [self] in
            try update(entry, key: DiskKey(key), replacing: old, since: generation)
        }
    }

    /// Removes one response.
    ///
    /// - Throws: an error if it cannot be removed. No ``DiskCache`` of this process finds it any more.
    public func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
        let name = DiskName(DiskKey(key))
        try await IOQueue.lane().run { [folder] in try folder.remove(name.file(id: entry.id), in: name.shard) }
    }

    /// Removes all responses for one URL. They stay removed after a power failure.
    ///
    /// - Throws: an error if any cannot be removed, as from a read-only folder. No ``DiskCache`` of this process finds it then. Another process may.
    public func removeAll(url: String) async throws {
        try await IOQueue.lane().run { [self] in try removeFiles(of: url) }
    }

    /// Removes all responses and all data. Responses that any process is storing at this moment are discarded.
    ///
    /// - Throws: the same errors as ``removeAll(url:)``.
    public func removeAll() async throws { try await IOQueue.lane().run { [self] in try removeFiles() } }

    public func recordUse(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async {
        folder.recordUse(of: entry.id, key: DiskKey(key))
    }
}

extension DiskCache: ResponseCaching {
    /// The ID of the single entry of a URL's data.
    private static let dataID = "data"

    /// Stores the bytes in place of those stored for that URL, or removes these if `expireTime` has passed. Writes on the calling thread, without a
    /// sync.
    public func setResponse(_ data: Data, for url: URL, expireTime: Date?) {
        guard let key = dataKey(for: url) else { return }
        let now = folder.clock.now
        guard canStore, data.count <= maxBytes, expireTime.map({ $0 >= now }) ?? true else {
            return removeResponse(for: url)
        }
        let entry = HTTPCacheEntry(
            id: Self.dataID, status: 200, headers: HTTPHeaders(), responseURL: nil, requestHeaders: HTTPHeaders(),
            requestTime: now, responseTime: now, expireTime: expireTime)
        let record = DiskRecord(key: key, entry: entry, body: .inline(length: 0, checksum: 0))
        do {
            try store(record, named: DiskName(key), body: data)
        } catch {
            // The method cannot throw, but the old bytes are out of date.
            removeResponse(for: url)
        }
    }

    /// Returns the bytes stored for that URL, checked, or nil if there are none or they have expired. Bytes with an expiration
    /// time also count as expired if they were stored in the future: the clock was set back.
    public func getResponse(for url: URL) -> Data? {
        guard let key = dataKey(for: url), let found = folder.find(Self.dataID, key: key) else { return nil }
        let now = folder.clock.now
        let entry = found.record.entry
        if let end = entry.expireTime, end < now || entry.responseTime.isAhead(of: now) {
            return folder.discard(found)
        }
        folder.touch(found)
        return folder.inlineBody(of: found)
    }

    /// Removes the bytes stored for that URL. This process no longer finds bytes that cannot be removed.
    public func removeResponse(for url: URL) {
        guard let key = dataKey(for: url) else { return }
        let name = DiskName(key)
        try? folder.remove(name.file(id: Self.dataID), in: name.shard)
    }

    /// Removes all responses and all data. This process no longer finds what cannot be removed.
    public func clear() {
        // This method cannot throw. `removeAll()` does.
        try? removeFiles()
    }

    /// Returns the key of the bytes of a URL, with a digest of the URL's user information; nil if the key for the digest cannot be read.
    private func dataKey(for url: URL) -> DiskKey? {
        guard let information = url.userInformation else {
            return DiskKey(kind: .data, url: url.absoluteString, owner: "")
        }
        guard let key = try? folder.identityKey() else { return nil }
        let digest = SHA256.hmac(Array(information.utf8), key: key.bytes).hexadecimal
        return DiskKey(kind: .data, url: url.withoutUserInformation.absoluteString, owner: digest)
    }
}
