import NetCache

/// A store in memory with the faults that a test sets.
final class LossyStore: HTTPCacheStore {
    struct Broken: Error {}

    let memory = NetworkCache()
    let losesBodies = Locked(false)
    let failsReading = Locked(false)
    /// Called after a body is read, before the caller gets it.
    let afterReading = Locked<(@Sendable () async throws -> Void)?>(nil)
    let failsWriting = Locked(false)
    let failsRemoving = Locked(false)
    /// A removal takes as long as the test wants: until then, everything is there.
    let delaysRemoving = Locked(false)
    /// The bodies of the entries that were to be removed one by one, in order.
    let removed = Locked<[String]>([])
    let ends = Locked<[String]>([])

    func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] {
        if failsReading.withLock({ $0 }) { throw Broken() }
        return await memory.entries(for: key)
    }

    func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws -> HTTPBody? {
        let body = losesBodies.withLock { $0 } ? nil : await memory.body(of: entry, for: key)
        try await afterReading.withLock { $0 }?()
        return body
    }

    func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?, since generation: HTTPCacheEntry.Generation?
    ) async throws -> (any HTTPCacheEntry.Writer)? {
        guard let writer = await memory.beginStoring(entry, for: key, length: length, since: nil) else { return nil }
        return Writer(store: self, writer: writer)
    }

    func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheEntry.Generation?
    ) async throws -> Bool {
        if failsWriting.withLock({ $0 }) { throw Broken() }
        return await memory.update(entry, for: key, replacing: old, since: nil)
    }

    func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
        if failsRemoving.withLock({ $0 }) { throw Broken() }
        let body = try await memory.body(of: entry, for: key)?.collect(upTo: 1 << 20) ?? Data()
        removed.withLock { $0.append(String(decoding: body, as: UTF8.self)) }
        if delaysRemoving.withLock({ $0 }) { return }
        await memory.remove(entry, for: key)
    }

    func removeAll(url: String) async throws {
        if failsRemoving.withLock({ $0 }) { throw Broken() }
        await memory.removeAll(url: url)
    }

    func removeAll() async throws {
        if failsRemoving.withLock({ $0 }) { throw Broken() }
        await memory.removeAll()
    }

    private struct Writer: HTTPCacheEntry.Writer {
        let store: LossyStore
        let writer: any HTTPCacheEntry.Writer
        func write(_ chunk: Data) async throws {
            if store.failsWriting.withLock({ $0 }) { throw Broken() }
            try await writer.write(chunk)
        }
        func commit() async throws {
            store.ends.withLock { $0.append("commit") }
            try await writer.commit()
        }
        func abort() async {
            store.ends.withLock { $0.append("abort") }
            await writer.abort()
        }
    }
}
