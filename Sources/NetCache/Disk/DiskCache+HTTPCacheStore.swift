public import NetCore

extension DiskCache: HTTPCacheStore {
    /// The key of the folder, in a file that only its owner can read (mode 0600), made when it is first asked for.
    public func identityKey() throws -> CacheIdentityKey? {
        try core.folder.identityKey()
    }

    /// The responses stored under a key, the newest first. Only their heads are read.
    public func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] {
        let key = DiskKey(key)
        let name = DiskName(key)
        return core.folder.files(withPrefix: name.prefix, in: name.shard)
            .compactMap { core.folder.find($0, in: name.shard)?.record }
            .filter { $0.key == key }
            .map(\.entry)
            .sorted { $0.responseTime > $1.responseTime }
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
            core.folder.remove(file, in: shard)
            return nil
        }
        let stream = DiskBodyStream(file: open, body: body) { [core] in core.folder.remove(file, in: shard) }
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
        guard canStore, length ?? 0 <= core.limits.maxBytes else { return nil }
        return DiskCacheWriter(cache: core, key: DiskKey(key), entry: entry)
    }

    /// Replaces the head of a stored response.
    public func update(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
        try await IOQueue.lane().run { [core] in try core.update(entry, key: DiskKey(key)) }
    }

    /// Removes one response.
    public func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
        let name = DiskName(DiskKey(key))
        core.folder.remove(name.file(id: entry.id), in: name.shard)
    }

    /// Removes all that is stored for one URL.
    public func removeAll(url: String) async throws {
        core.removeAll(url: url)
    }

    /// Removes all responses, and all data. What is being stored at this moment, in this process, is not stored any more.
    public func removeAll() async throws {
        await IOQueue.lane().run { [core] in core.removeAll(url: nil) }
    }
}

extension DiskCache: ResponseCaching {
    /// The id of the only entry that data has.
    private static let dataID = "data"

    /// Stores the bytes, in place of what was stored for that URL. With an `expireTime` that has passed, nothing is stored
    /// for that URL afterwards. Writes on the calling thread, without waiting for the medium.
    public func setResponse(_ data: Data, for url: URL, expireTime: Date?) {
        let key = DiskKey(kind: .data, url: url.absoluteString, owner: "")
        guard canStore, data.count <= core.limits.maxBytes, expireTime.map({ $0 >= core.folder.clock.now }) ?? true
        else {
            return removeResponse(for: url)
        }
        let now = core.folder.clock.now
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

    /// The bytes stored for that URL, checked; nil if there are none, or if they have expired.
    public func getResponse(for url: URL) -> Data? {
        let key = DiskKey(kind: .data, url: url.absoluteString, owner: "")
        let name = DiskName(key)
        guard let found = core.folder.find(name.file(id: Self.dataID), in: name.shard), found.record.key == key else {
            return nil
        }
        if let end = found.record.entry.expireTime, end < core.folder.clock.now {
            return core.folder.discard(found.path)
        }
        core.folder.touch(found)
        return core.folder.inlineBody(of: found)
    }

    /// Removes the bytes stored for that URL.
    public func removeResponse(for url: URL) {
        let name = DiskName(DiskKey(kind: .data, url: url.absoluteString, owner: ""))
        Directory.remove(core.folder.path(of: name.file(id: Self.dataID), in: name.shard))
    }

    /// Removes all responses, and all data.
    public func clear() {
        core.removeAll(url: nil)
    }
}
