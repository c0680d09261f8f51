public import NetCore

/// Two stores as one: a small fast one, such as a ``NetworkCache``, over a large slow one, such as a ``DiskCache``.
///
/// ```swift
/// let folder = URL(fileURLWithPath: "/var/cache/shop", isDirectory: true)
/// let store = TieredCache(upper: NetworkCache(), lower: DiskCache(directory: folder))
/// ```
///
/// Everything is stored in both, as far as the upper one takes it. What is read from the lower one comes into the upper one, up to
/// 64 KiB. A failure of one of them is not seen while the other works.
///
/// If several processes share the lower one, each has an upper one of its own: what one of them removes or refreshes, another
/// may still find in its memory, for as long as it is fresh.
public struct TieredCache<Upper: HTTPCacheStore, Lower: HTTPCacheStore>: HTTPCacheStore {
    private let upper: Upper
    private let lower: Lower

    /// What is copied up while it is read. A ``DiskCache`` has such bodies in memory at that moment anyway.
    private static var promotionLimit: Int64 { 64 << 10 }

    /// A store over two.
    public init(upper: Upper, lower: Lower) {
        self.upper = upper
        self.lower = lower
    }

    /// The responses of the upper store if it has some that do not vary; otherwise those of both.
    public func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] {
        let near = await ignoringFailure { try await upper.entries(for: key) } ?? []
        // Of a response that varies, the upper store may have lost the variant that is wanted.
        if !near.isEmpty, near.allSatisfy({ $0.headers["Vary"] == nil }) { return near }
        guard let far = await ignoringFailure({ try await lower.entries(for: key) }) else { return near }
        let known = Set(near.map(\.id))
        return (near + far.filter { !known.contains($0.id) }).sorted { $0.responseTime > $1.responseTime }
    }

    /// The body from the upper store, or from the lower one.
    public func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws -> HTTPBody? {
        if let body = await ignoringFailure({ try await upper.body(of: entry, for: key) }) ?? nil {
            // A use of both, or the lower one would give up what is used most.
            await lower.recordUse(of: entry, for: key)
            return body
        }
        // Taken before the lower one is read: what is invalidated meanwhile does not come up.
        let generation = await ignoringFailure { try await upper.generation(of: key.url) } ?? nil
        guard let body = try await lower.body(of: entry, for: key) else {
            // Nobody has it: the head alone is of no use.
            await ignoringFailure { try await upper.remove(entry, for: key) }
            return nil
        }
        if let data = body.data, data.count <= Self.promotionLimit {
            await ignoringFailure {
                guard
                    let writer = try await upper.beginStoring(
                        entry, for: key, length: Int64(data.count), since: generation)
                else { return }
                try await writer.write(data)
                try await writer.commit()
            }
        }
        return body
    }

    /// Begins to store a response in both; nil if neither takes it.
    public func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?
    ) async throws -> (any HTTPCacheWriter)? {
        try await beginStoring(entry, for: key, length: length, since: nil)
    }

    /// Begins to store a response in both, unless its URL is invalidated before the commit; nil if neither takes it.
    public func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?, since generation: HTTPCacheGeneration?
    ) async throws -> (any HTTPCacheWriter)? {
        let generation = TieredGeneration(generation)
        let near =
            await ignoringFailure {
                try await upper.beginStoring(entry, for: key, length: length, since: generation.upper)
            } ?? nil
        let far =
            await ignoringFailure {
                try await lower.beginStoring(entry, for: key, length: length, since: generation.lower)
            } ?? nil
        if near == nil {
            // What it has under this id is out of date.
            await ignoringFailure { try await upper.remove(entry, for: key) }
        }
        return near == nil && far == nil
            ? nil
            : TieredWriter(near: near, far: far) { [upper] in try await upper.remove(entry, for: key) }
    }

    /// The generations of both stores, as far as they have any.
    public func generation(of url: String) async throws -> HTTPCacheGeneration? {
        let near = await ignoringFailure { try await upper.generation(of: url) } ?? nil
        let far = await ignoringFailure { try await lower.generation(of: url) } ?? nil
        return TieredGeneration(upper: near, lower: far).whole
    }

    /// Changes the generation in both.
    public func advanceGeneration(of url: String) async throws {
        try await both(
            { try await upper.advanceGeneration(of: url) }, { try await lower.advanceGeneration(of: url) })
    }

    /// Notes a use in both.
    public func recordUse(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async {
        await upper.recordUse(of: entry, for: key)
        await lower.recordUse(of: entry, for: key)
    }

    /// Replaces the head in both.
    public func update(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
        try await both({ try await upper.update(entry, for: key) }, { try await lower.update(entry, for: key) })
    }

    /// Replaces the head in both, where it is the one that was validated.
    ///
    /// - Returns: whether either has it. What was invalidated in the lower one, the upper one gives up.
    public func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheGeneration?
    ) async throws -> Bool {
        let generation = TieredGeneration(generation)
        let far = await ignoringFailure {
            try await lower.update(entry, for: key, replacing: old, since: generation.lower)
        }
        if far == false, let began = generation.lower,
            await ignoringFailure({ try await lower.generation(of: key.url) }) != began
        {
            // Another process has invalidated it.
            try await upper.remove(entry, for: key)
            return false
        }
        let near = await ignoringFailure {
            try await upper.update(entry, for: key, replacing: old, since: generation.upper)
        }
        return far == true || near == true
    }

    /// Removes the response from both.
    public func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
        try await both({ try await upper.remove(entry, for: key) }, { try await lower.remove(entry, for: key) })
    }

    /// The key of the lower store, or else of the upper one.
    public func identityKey() throws -> CacheIdentityKey? {
        try lower.identityKey() ?? upper.identityKey()
    }

    /// Removes all that is stored for one URL from both.
    public func removeAll(url: String) async throws {
        try await both({ try await upper.removeAll(url: url) }, { try await lower.removeAll(url: url) })
    }

    /// Removes all from both.
    public func removeAll() async throws {
        try await both({ try await upper.removeAll() }, { try await lower.removeAll() })
    }

    /// What is to be gone must be gone from both: a failure of the first does not spare the second, and is not hidden.
    private func both(_ first: () async throws -> Void, _ second: () async throws -> Void) async throws {
        do {
            try await first()
        } catch {
            try await second()
            throw error
        }
        try await second()
    }

    /// What the other store can stand in for.
    @discardableResult
    private func ignoringFailure<Result>(_ work: () async throws -> Result) async -> Result? {
        do { return try await work() } catch { return nil }
    }
}
