public import NetCore

/// Responses in memory, for this process (seed 000): the least recently used go first when it is full.
///
/// Thread-safe. Storing, reading and removing one response take constant time, whatever the number of entries. It holds
/// copies, so that a small part of a large buffer does not keep all of it.
///
/// ```swift
/// let cache = NetworkCache(maxBytes: 10 * 1024 * 1024)
/// let networking = Networking(cache: cache)
/// ```
public final class NetworkCache: ResponseCaching {
    private let storage: Locked<LRUStorage>
    private let clock: any NetworkClock

    /// An empty cache.
    ///
    /// - Parameters:
    ///   - maxBytes: the most bytes of bodies to hold; 50 MiB unless given. A larger body is not stored.
    ///   - maxEntries: the most responses to hold.
    ///   - clock: says when a response has expired.
    ///
    /// Zero or a negative number for a limit makes a cache that stores nothing.
    public init(maxBytes: Int = 50 * 1024 * 1024, maxEntries: Int = 1000, clock: any NetworkClock = .system) {
        storage = Locked(LRUStorage(maxBytes: maxBytes, maxEntries: maxEntries))
        self.clock = clock
    }

    /// Stores the bytes, in place of what was stored for that URL. With an `expireTime` that has passed, or more bytes than
    /// the cache may hold, nothing is stored for that URL afterwards.
    public func setResponse(_ data: Data, for url: URL, expireTime: Date?) {
        let item = LRUStorage.Item(data: data.withUnsafeBytes { Data($0) }, expireTime: expireTime)
        let now = clock.now
        let key = url.absoluteString
        storage.withLock { storage in
            if item.isExpired(at: now) { storage.remove(key) } else { storage.set(item, for: key) }
        }
    }

    /// The bytes stored for that URL, which are then the most recently used; nil if there are none. Expired ones are
    /// removed.
    public func getResponse(for url: URL) -> Data? {
        let now = clock.now
        let key = url.absoluteString
        return storage.withLock { storage in
            guard let item = storage.use(key) else { return nil }
            guard !item.isExpired(at: now) else {
                storage.remove(key)
                return nil
            }
            return item.data
        }
    }

    /// Removes what is stored for that URL.
    public func removeResponse(for url: URL) {
        let key = url.absoluteString
        storage.withLock { $0.remove(key) }
    }

    /// Removes what has expired. Reading does so by itself; this is for what nobody reads any more. Takes time by the number
    /// of entries.
    public func purgeExpired() {
        let now = clock.now
        storage.withLock { storage in storage.removeAll { $0.isExpired(at: now) } }
    }

    /// Removes everything.
    public func clear() {
        storage.withLock { $0.removeAll() }
    }

    /// The number of responses held, expired ones included until they are read or purged.
    public var entryCount: Int { storage.withLock { $0.count } }

    /// The bytes of the bodies held. Keys and bookkeeping come on top.
    public var byteCount: Int { storage.withLock { $0.byteCount } }
}
