public import NetCore

/// Combines two stores: a small fast one, such as a ``NetworkCache``, over a large slow one, such as a ``DiskCache``.
///
/// ```swift
/// let folder = URL(fileURLWithPath: "/var/cache/shop", isDirectory: true)
/// let store = TieredCache(upper: NetworkCache(), lower: DiskCache(directory: folder))
/// ```
///
/// Responses are stored in both, as far as the upper store accepts them. Reading a body of up to 64 KiB from the lower store
/// copies it to the upper one. A failure of one store stays hidden while the other works.
///
/// Processes may share the lower store. A response that one removes or refreshes may stay in the upper store of another for as long as it is fresh.
public struct TieredCache<Upper: HTTPCacheStore, Lower: HTTPCacheStore>: HTTPCacheStore {
    private let upper: Upper
    private let lower: Lower

    /// The largest body that is copied to the upper store when it is read. A ``DiskCache`` has such a body in memory at that moment anyway.
    private static var promotionLimit: Int64 { 64 << 10 }

    public init(upper: Upper, lower: Lower) {
        self.upper = upper
        self.lower = lower
    }

    /// Returns the responses of the upper store if it has some that do not vary; otherwise those of both stores.
    public func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] {
        let near = await attempt { try await upper.entries(for: key) } ?? []
        // The upper store may have lost the variant that the request needs.
        if !near.isEmpty, near.allSatisfy({ $0.headers["Vary"] == nil }) { return near }
        return await union(near, for: key)
    }

    /// Returns the responses of both stores. The upper store may have lost an older response that the lower one still has.
    public func allEntries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] {
        await union(await attempt { try await upper.entries(for: key) } ?? [], for: key)
    }

    private func union(_ near: [HTTPCacheEntry], for key: HTTPCacheKey) async -> [HTTPCacheEntry] {
        guard let far = await attempt({ try await lower.entries(for: key) }) else { return near }
        let known = Set(near.map(\.id))
        return (near + far.filter { !known.contains($0.id) }).sorted { $0.responseTime > $1.responseTime }
    }

    public func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws -> HTTPBody? {
        if let body = await attempt({ try await upper.body(of: entry, for: key) }) {
            // Counts as a use in both stores. Otherwise the lower store would evict the most used responses.
            await lower.recordUse(of: entry, for: key)
            return body
        }
        // Read before the lower store, so that an invalidation in between keeps the body out of the upper store.
        let generation = await attempt { try await upper.generation(of: key.url) }
        guard let body = try await lower.body(of: entry, for: key) else {
            // Neither store has the body, so the head is useless.
            await attempt { try await upper.remove(entry, for: key) }
            return nil
        }
        if let data = body.data, data.count <= Self.promotionLimit {
            await attempt { try await promote(entry, data, for: key, since: generation) }
        }
        return body
    }

    private func promote(
        _ entry: HTTPCacheEntry, _ data: Data, for key: HTTPCacheKey, since generation: HTTPCacheEntry.Generation?
    ) async throws {
        guard
            let writer = try await upper.beginStoring(entry, for: key, length: Int64(data.count), since: generation)
        else { return }
        try await writer.write(data)
        try await writer.commit()
        // What removes a response removes it from the lower store first. It may have done so since the body was read.
        let isCurrent = await attempt { try await lower.entries(for: key).contains { $0.isSameHead(as: entry) } }
        if isCurrent != true { try await upper.remove(entry, for: key) }
    }

    public func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?, since generation: HTTPCacheEntry.Generation?
    ) async throws -> (any HTTPCacheEntry.Writer)? {
        let generation = TieredGeneration(generation)
        let near = await attempt {
            try await upper.beginStoring(entry, for: key, length: length, since: generation.upper)
        }
        var far: (any HTTPCacheEntry.Writer)?
        var failure: (any Error)?
        do {
            far = try await lower.beginStoring(entry, for: key, length: length, since: generation.lower)
        } catch {
            failure = error
        }
        // The response under this ID is out of date.
        if near == nil { await attempt { try await upper.remove(entry, for: key) } }
        guard near != nil || far != nil else {
            if let failure { throw failure }
            return nil
        }
        return TieredWriter(near: near, far: far) { [upper] in try await upper.remove(entry, for: key) }
    }

    public func generation(of url: String) async throws -> HTTPCacheEntry.Generation? {
        let near = await attempt { try await upper.generation(of: url) }
        let far = await attempt { try await lower.generation(of: url) }
        return TieredGeneration.whole(upper: near, lower: far)
    }

    public func advanceGeneration(of url: String) async throws {
        try await both({ try await lower.advanceGeneration(of: url) }, { try await upper.advanceGeneration(of: url) })
    }

    public func recordUse(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async {
        await upper.recordUse(of: entry, for: key)
        await lower.recordUse(of: entry, for: key)
    }

    /// Replaces the head in both stores where it is the validated one. The upper store drops a response that was invalidated in the lower one.
    public func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheEntry.Generation?
    ) async throws -> Bool {
        let generation = TieredGeneration(generation)
        let far = await attempt { try await lower.update(entry, for: key, replacing: old, since: generation.lower) }
        if far == false, let began = generation.lower,
            await attempt({ try await lower.generation(of: key.url) }) != began
        {
            // Another process has invalidated the URL.
            try await upper.remove(entry, for: key)
            return false
        }
        let near = await attempt { try await upper.update(entry, for: key, replacing: old, since: generation.upper) }
        return far == true || near == true
    }

    public func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
        try await both({ try await lower.remove(entry, for: key) }, { try await upper.remove(entry, for: key) })
    }

    /// Returns the key of the lower store, or else that of the upper one.
    public func identityKey() throws -> CacheIdentityKey? { try lower.identityKey() ?? upper.identityKey() }

    public func removeAll(url: String) async throws {
        try await both({ try await lower.removeAll(url: url) }, { try await upper.removeAll(url: url) })
    }

    public func removeAll() async throws {
        try await both({ try await lower.removeAll() }, { try await upper.removeAll() })
    }

    /// Changes the lower store, then the upper one, also if the first change fails, and throws the first error. In the other order, a response
    /// that is read between the two changes would come back to the upper store.
    private func both(_ lower: () async throws -> Void, _ upper: () async throws -> Void) async throws {
        do {
            try await lower()
        } catch {
            try await upper()
            throw error
        }
        try await upper()
    }

    /// Runs work whose failure the other store makes up for.
    @discardableResult
    private func attempt<Result>(_ work: () async throws -> Result?) async -> Result? {
        do { return try await work() } catch { return nil }
    }
}
