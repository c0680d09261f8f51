public import NetCore

/// Bytes by key, fresh for a while (seed 002): for what is no response, such as the JSON of a screen.
///
/// ```swift
/// let cache = DataCache(maxAge: 300)
/// await cache.set(Data("[]".utf8), for: "items")
/// if let data = await cache.get("items") { show(data) }
/// ```
///
/// It holds no bytes itself: they are in a ``ResponseCaching``, by default in memory and within a limit. Over a ``DiskCache`` they
/// outlive the process, and can be shown while the device is offline:
///
/// ```swift
/// let folder = URL(fileURLWithPath: "/var/cache/shop", isDirectory: true)
/// let kept = DataCache(maxAge: 300, store: DiskCache(directory: folder))
/// ```
///
/// An item that is too old stays until the store lets go of it, since ``item(for:)`` may still be asked for it: that is what
/// an app shows when nothing newer can be had.
public actor DataCache {
    /// A stored value.
    public struct Item: Hashable, Sendable {
        /// The bytes.
        public let data: Data
        /// When they were stored.
        public let storedAt: Date
        /// Whether ``DataCache/get(_:)`` would give them.
        public let isFresh: Bool
    }

    private let maxAge: TimeInterval
    private let store: any ResponseCaching
    private let clock: any NetworkClock

    /// An empty cache in memory, of up to 10 MiB.
    ///
    /// - Parameters:
    ///   - maxAge: for how many seconds an item is fresh; with zero, a negative number or NaN none is.
    ///   - clock: says how old an item is.
    public init(maxAge: TimeInterval = 300, clock: any NetworkClock = .system) {
        self.init(maxAge: maxAge, store: NetworkCache(maxBytes: 10 << 20, clock: clock), clock: clock)
    }

    /// A cache over a store, which it shares with nobody: ``clearAll()`` clears the store.
    public init(maxAge: TimeInterval = 300, store: any ResponseCaching, clock: any NetworkClock = .system) {
        self.maxAge = maxAge
        self.store = store
        self.clock = clock
    }

    /// The bytes stored under a key; nil if there are none, or if they are older than `maxAge`.
    public func get(_ key: String) -> Data? {
        item(for: key).flatMap { $0.isFresh ? $0.data : nil }
    }

    /// What is stored under a key, however old; nil if there is nothing.
    public func item(for key: String) -> Item? {
        guard let url = Self.url(for: key), let stored = store.getResponse(for: url) else { return nil }
        var reader = ByteReader(stored)
        guard let storedAt = try? reader.date(), let data = try? reader.data(reader.remaining) else { return nil }
        let age = clock.now.timeIntervalSince(storedAt)
        // One from the future was stored by a clock that was wrong.
        return Item(data: data, storedAt: storedAt, isFresh: age >= 0 && age < maxAge)
    }

    /// Stores bytes under a key, in place of what was there.
    public func set(_ data: Data, for key: String) {
        guard let url = Self.url(for: key) else { return }
        var writer = ByteWriter(capacity: data.count + 8)
        writer.write(clock.now)
        writer.append(data)
        store.setResponse(writer.data, for: url, expireTime: nil)
    }

    /// Removes what is stored under a key.
    public func invalidate(_ key: String) {
        // A store has no other word for it.
        if let url = Self.url(for: key) { store.setResponse(Data(), for: url, expireTime: .distantPast) }
    }

    /// Removes everything.
    public func clearAll() {
        store.clear()
    }

    /// Any text is a key, and different texts are different URLs.
    private static func url(for key: String) -> URL? {
        URL(string: "data-cache:/" + SHA256.hex(Data(key.utf8)))
    }
}
