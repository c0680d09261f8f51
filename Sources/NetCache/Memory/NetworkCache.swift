public import NetCore

/// Stores responses in memory, for this process. When the cache is full, it evicts the least recently used responses.
///
/// Within one limit, it is a ``ResponseCaching`` for bodies by URL, and an ``HTTPCacheStore`` for the whole responses of a ``ResponseCache``.
///
/// The cache is thread-safe. Storing, reading and removing one response take constant time. The cache holds copies, so that a part of a buffer does
/// not keep the whole in memory. It removes expired responses periodically, and gives back memory when the system runs short: see ``trim(toBytes:)``.
///
/// ```swift
/// let cache = NetworkCache(maxBytes: 10 * 1024 * 1024)
/// let networking = Networking(cache: cache)
/// ```
public final class NetworkCache: ResponseCaching {
    let storage: Locked<MemoryStorage>
    private let maxBytes: Int
    private let clock: any NetworkClock
    private let purgeInterval: TimeInterval
    private let purging = Locked<Task<Void, Never>?>(nil)
    /// The longest ``CacheRules/staleIfError`` of the caches over this store, in seconds.
    private let staleIfError = Locked<TimeInterval>(0)
    private let watch = MemoryPressureWatch()

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - maxBytes: the maximum number of bytes of all bodies; 50 MiB by default. A larger body is not stored.
    ///   - maxEntries: the maximum number of responses.
    ///   - clock: the clock for expiration.
    ///   - purgeInterval: the seconds between removals of expired responses in the background; a minute by default. Zero, a negative number or
    ///     infinity turns them off.
    ///
    /// With zero or a negative number as limit, the cache stores nothing.
    public init(
        maxBytes: Int = 50 * 1024 * 1024, maxEntries: Int = 1000, clock: any NetworkClock = .system,
        purgeInterval: TimeInterval = 60
    ) {
        storage = Locked(MemoryStorage(maxBytes: maxBytes, maxEntries: maxEntries))
        self.maxBytes = maxBytes
        self.clock = clock
        self.purgeInterval = purgeInterval
        watch.start { [weak self] in self?.relieve($0) }
    }

    deinit {
        purging.withLock { $0?.cancel() }
        watch.stop()
    }

    /// Stores the bytes in place of those stored for that URL, or removes these if `expireTime` has passed or the bytes exceed the cache's limit.
    public func setResponse(_ data: Data, for url: URL, expireTime: Date?) {
        let copy = data.withUnsafeBytes { Data($0) }
        let now = clock.now
        let key = url.absoluteString
        storage.withLock { $0.setBody(copy, for: key, expireTime: expireTime, now: now) }
        startPurging()
    }

    /// Returns the bytes stored for that URL and makes them the most recently used, or nil if there are none. Removes them if they have expired.
    public func getResponse(for url: URL) -> Data? {
        let now = clock.now
        let key = url.absoluteString
        return storage.withLock { $0.body(for: key, now: now) }
    }

    public func identityKey() throws -> CacheIdentityKey? { nil }

    /// Removes the bytes stored for that URL.
    public func removeResponse(for url: URL) {
        let key = url.absoluteString
        storage.withLock { $0.removeBody(for: key) }
    }

    /// Removes expired responses. This also happens when a response is read, and periodically. It takes time proportional to the number of entries.
    ///
    /// A whole response has expired if it cannot be validated (no `ETag`, no `Last-Modified`), and has been stale for longer than an hour and
    /// than its `stale-while-revalidate`, its `stale-if-error` and the ``CacheRules/staleIfError`` of a ``ResponseCache`` over this store.
    public func purgeExpired() {
        let now = clock.now
        let entries = storage.withLock { storage in
            storage.purgeBodies(now: now)
            return storage.entries
        }
        // Outside of the lock, since it takes time.
        var rules = CacheRules()
        rules.staleIfError = staleIfError.withLock { $0 }
        for (key, list) in entries {
            for entry in list where StoredResponse(entry, rules: rules, now: now).isUnusable(rules) {
                storage.withLock { $0.removeIfUnchanged(entry, for: key) }
            }
        }
    }

    /// Keeps stale responses for as long as a cache over this store may use them in place of an error.
    func keepStaleResponses(for rules: CacheRules) {
        // NaN keeps the earlier value.
        staleIfError.withLock { $0 = max($0, rules.staleIfError) }
    }

    /// Removes everything. Responses that are being stored at this moment are discarded.
    public func clear() {
        storage.withLock { storage in
            storage.generations.advanceAll()
            storage.removeAll()
        }
    }

    /// Removes the least recently used responses until the bodies have no more than that many bytes in total.
    ///
    /// The cache does so by itself when the system runs short of memory: it gives back half of its memory, or all of it in an
    /// emergency. Apple platforms notify the cache. On Linux it reads `/proc/pressure/memory` whenever it purges.
    public func trim(toBytes bytes: Int) { storage.withLock { $0.trim(toBytes: bytes, entries: .max) } }

    func relieve(_ pressure: MemoryPressure) {
        storage.withLock { storage in
            switch pressure {
            case .warning: storage.trim(toBytes: storage.byteCount / 2, entries: storage.count / 2)
            case .critical: storage.removeAll()
            }
        }
    }

    /// The number of responses, with expired ones until they are read or purged.
    public var entryCount: Int { storage.withLock { $0.count } }

    /// The number of bytes of all bodies, without keys and bookkeeping.
    public var byteCount: Int { storage.withLock { $0.byteCount } }

    // MARK: Purging

    /// Starts the periodic purge, unless it runs. Called after a response was stored.
    func startPurging() {
        guard purgeInterval > 0, purgeInterval < .infinity else { return }
        purging.withLock { task in
            guard task == nil else { return }
            task = Task(priority: .utility) { [weak self, clock, purgeInterval] in
                // A sleep that throws was cancelled, together with the cache.
                while (try? await clock.sleep(for: purgeInterval)) != nil, self?.purgeAgain() == true {}
            }
        }
    }

    /// Purges once. Returns whether responses are left for a later purge.
    private func purgeAgain() -> Bool {
        purgeExpired()
        // Any other clock belongs to a test and says nothing about the machine.
        if clock is SystemClock, let pressure = MemoryPressure.current { relieve(pressure) }
        return purging.withLock { task in
            // Inside this lock, so that storing a response now starts a new purge.
            guard storage.withLock({ $0.count }) == 0 else { return true }
            task = nil
            return false
        }
    }
}

extension NetworkCache: HTTPCacheStore {
    public func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry] { storage.withLock { $0.entries(for: key) } }

    public func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async -> HTTPBody? {
        storage.withLock { $0.body(of: entry, for: key) }.map { HTTPBody($0) }
    }

    /// Starts to store a response. Returns nil if the body exceeds the cache's limit.
    public func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?, since generation: HTTPCacheEntry.Generation?
    ) async -> (any HTTPCacheEntry.Writer)? {
        let expected = length.map { Int(clamping: $0) } ?? 0
        let began = storage.withLock {
            $0.canHold(bytes: expected) ? generation ?? $0.generations.generation(of: key.url) : nil
        }
        guard let began else { return nil }
        return MemoryWriter(limit: maxBytes) { [self] data in
            try storage.withLock { storage in
                guard storage.generations.isCurrent(began, for: key.url) else { throw CancellationError() }
                storage.insert(entry, body: data, for: key)
            }
            startPurging()
        }
    }

    /// Returns the generation of a URL. Some URLs share one.
    public func generation(of url: String) async -> HTTPCacheEntry.Generation? {
        storage.withLock { $0.generations.generation(of: url) }
    }

    public func advanceGeneration(of url: String) async { storage.withLock { $0.generations.advance(url) } }

    public func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheEntry.Generation?
    ) async -> Bool { storage.withLock { $0.update(entry, for: key, replacing: old, since: generation) } }

    public func recordUse(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async {
        storage.withLock { $0.recordUse(of: entry, for: key) }
    }

    public func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async {
        storage.withLock { $0.remove(entry, for: key) }
    }

    /// Removes all responses for one URL, except the bytes stored by ``setResponse(_:for:expireTime:)``.
    public func removeAll(url: String) async { storage.withLock { $0.removeAll(url: url) } }
    public func removeAll() async { clear() }
}

extension NetworkCache: RedactedReflectable {
    /// None: what is stored may be secret.
    public var shownFields: KeyValuePairs<String, Any?> { [:] }
}
