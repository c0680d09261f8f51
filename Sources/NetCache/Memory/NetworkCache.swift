public import NetCore

/// Responses in memory, for this process (seed 000): the least recently used go first when it is full.
///
/// It is both kinds of store at once, within one limit: ``ResponseCaching`` for bodies by URL, and ``HTTPCacheStore`` for the
/// whole responses of a ``ResponseCache``.
///
/// Thread-safe. Storing, reading and removing one response take constant time, whatever the number of entries. It holds
/// copies, so that a small part of a large buffer does not keep all of it. What has expired is removed from time to time, and
/// memory is given back when the system runs short of it: see ``trim(toBytes:)``.
///
/// ```swift
/// let cache = NetworkCache(maxBytes: 10 * 1024 * 1024)
/// let networking = Networking(cache: cache)
/// ```
public final class NetworkCache: ResponseCaching {
    let storage: Locked<MemoryStorage>
    private let clock: any NetworkClock
    private let purgeInterval: TimeInterval
    private let purging = Locked<Task<Void, Never>?>(nil)
    private let watch = MemoryPressureWatch()

    /// An empty cache.
    ///
    /// - Parameters:
    ///   - maxBytes: the most bytes of bodies to hold; 50 MiB unless given. A larger body is not stored.
    ///   - maxEntries: the most responses to hold.
    ///   - clock: says when a response has expired.
    ///   - purgeInterval: after how many seconds what has expired is removed in the background, again and again while there is
    ///     anything; a minute unless given. Zero, a negative number or infinity turn that off.
    ///
    /// Zero or a negative number for a limit makes a cache that stores nothing.
    public init(
        maxBytes: Int = 50 * 1024 * 1024, maxEntries: Int = 1000, clock: any NetworkClock = .system,
        purgeInterval: TimeInterval = 60
    ) {
        storage = Locked(MemoryStorage(maxBytes: maxBytes, maxEntries: maxEntries))
        self.clock = clock
        self.purgeInterval = purgeInterval
        watch.start { [weak self] in self?.relieve($0) }
    }

    deinit {
        purging.withLock { $0?.cancel() }
        watch.stop()
    }

    /// Stores the bytes, in place of what was stored for that URL. With an `expireTime` that has passed, or more bytes than
    /// the cache may hold, nothing is stored for that URL afterwards.
    public func setResponse(_ data: Data, for url: URL, expireTime: Date?) {
        let copy = data.withUnsafeBytes { Data($0) }
        let now = clock.now
        let key = url.absoluteString
        storage.withLock { $0.setBody(copy, for: key, expireTime: expireTime, now: now) }
        startPurging()
    }

    /// The bytes stored for that URL, which are then the most recently used; nil if there are none. Expired ones are
    /// removed.
    public func getResponse(for url: URL) -> Data? {
        let now = clock.now
        let key = url.absoluteString
        return storage.withLock { $0.body(for: key, now: now) }
    }

    /// Nil: what is stored does not leave the process.
    public func identityKey() throws -> CacheIdentityKey? { nil }

    /// Removes what is stored for that URL.
    public func removeResponse(for url: URL) {
        let key = url.absoluteString
        storage.withLock { $0.removeBody(for: key) }
    }

    /// Removes what has expired. It happens by itself as well, when something is read or after the interval that was given. Takes
    /// time by the number of entries.
    ///
    /// Of whole responses those go that are stale, cannot be validated, and may not stand in for an error.
    public func purgeExpired() {
        let now = clock.now
        let entries = storage.withLock { storage in
            storage.purgeBodies(now: now)
            return storage.entries
        }
        // Outside of the lock, since looking at many takes time.
        let rules = CacheRules()
        for (key, list) in entries {
            for entry in list where StoredResponse(entry, rules: rules, now: now).isSpent {
                storage.withLock { $0.removeIfUnchanged(entry, for: key) }
            }
        }
    }

    /// Removes everything. What is being stored at this moment is not stored any more.
    public func clear() {
        storage.withLock { storage in
            storage.generations.advanceAll()
            storage.removeAll()
        }
    }

    /// Removes the least recently used responses until the bodies have no more bytes than that.
    ///
    /// The cache also gives back memory by itself, when the system runs short: half of it, or all of it in an emergency. Apple's systems
    /// tell the cache. On Linux it reads `/proc/pressure/memory` whenever it purges.
    public func trim(toBytes bytes: Int) {
        storage.withLock { $0.trim(toBytes: bytes, entries: .max) }
    }

    /// Gives back half of the memory, or all of it.
    func relieve(_ pressure: MemoryPressure) {
        storage.withLock { storage in
            switch pressure {
            case .warning: storage.trim(toBytes: storage.byteCount / 2, entries: storage.count / 2)
            case .critical: storage.removeAll()
            }
        }
    }

    /// The number of responses held, expired ones included until they are read or purged.
    public var entryCount: Int { storage.withLock { $0.count } }

    /// The bytes of the bodies held. Keys and bookkeeping come on top.
    public var byteCount: Int { storage.withLock { $0.byteCount } }

    // MARK: In the background

    /// Begins to purge, unless it is under way. Called after something was stored.
    func startPurging() {
        guard purgeInterval > 0, purgeInterval < .infinity else { return }
        purging.withLock { task in
            guard task == nil else { return }
            task = Task(priority: .utility) { [weak self, clock, purgeInterval] in
                // A sleep that ends early was cancelled, with the cache.
                while (try? await clock.sleep(for: purgeInterval)) != nil, self?.purgeAgain() == true {}
            }
        }
    }

    /// Whether there is anything left to purge later.
    private func purgeAgain() -> Bool {
        purgeExpired()
        // A clock that is moved by hand is a test's, and has nothing to do with the machine.
        if clock is SystemClock, let pressure = MemoryPressure.current { relieve(pressure) }
        return purging.withLock { task in
            // Under this lock, so that who stores something now begins anew.
            guard storage.withLock({ $0.count }) == 0 else { return true }
            task = nil
            return false
        }
    }
}

extension NetworkCache: HTTPCacheStore {
    /// The responses under a key, the newest first.
    public func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry] {
        storage.withLock { $0.entries(for: key) }
    }

    /// The body of a response, which is then the most recently used; nil if it is gone.
    public func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async -> HTTPBody? {
        storage.withLock { $0.body(of: entry, for: key) }.map { HTTPBody($0) }
    }

    /// Begins to store a response; nil if its body is larger than the whole cache may be.
    public func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?
    ) async -> (any HTTPCacheWriter)? {
        await beginStoring(entry, for: key, length: length, since: nil)
    }

    /// Begins to store a response, unless its URL is invalidated before the commit; nil if its body is larger than the whole cache may
    /// be.
    public func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?, since generation: HTTPCacheGeneration?
    ) async -> (any HTTPCacheWriter)? {
        let expected = length.map { Int(clamping: $0) } ?? 0
        return storage.withLock { storage in
            guard storage.canHold(bytes: expected) else { return nil }
            let generation = generation ?? storage.generations.generation(of: key.url)
            return MemoryWriter(cache: self, entry: entry, key: key, generation: generation)
        }
    }

    /// The generation of a URL. Some URLs share one.
    public func generation(of url: String) async -> HTTPCacheGeneration? {
        storage.withLock { $0.generations.generation(of: url) }
    }

    /// Changes the generation of a URL.
    public func advanceGeneration(of url: String) async {
        storage.withLock { $0.generations.advance(url) }
    }

    /// Replaces the head of a response if it is the one that was validated.
    public func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheGeneration?
    ) async -> Bool {
        storage.withLock { $0.update(entry, for: key, replacing: old, since: generation) }
    }

    /// Makes the response the most recently used.
    public func recordUse(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async {
        storage.withLock { $0.recordUse(of: entry, for: key) }
    }

    /// Replaces the head of a response that is there.
    public func update(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async {
        storage.withLock { _ = $0.update(entry, for: key) }
    }

    /// Removes one response.
    public func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async {
        storage.withLock { $0.remove(entry, for: key) }
    }

    /// Removes all responses for one URL; not what was stored by ``setResponse(_:for:expireTime:)``.
    public func removeAll(url: String) async {
        storage.withLock { $0.removeAll(url: url) }
    }

    /// Removes everything, as ``clear()`` does.
    public func removeAll() async {
        clear()
    }
}
