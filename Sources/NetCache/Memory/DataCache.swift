public import NetCore

/// Stores bytes by key that stay fresh for a while, such as the JSON of a screen.
///
/// ```swift
/// let cache = DataCache(maxAge: 300)
/// await cache.set(Data("[]".utf8), for: "items")
/// if let data = await cache.get("items") { print(data) }
/// ```
///
/// The bytes are in a ``ResponseCaching``, by default in memory with a limit. Over a ``DiskCache`` they survive the process, so an app can show
/// them offline:
///
/// ```swift
/// let folder = URL(fileURLWithPath: "/var/cache/shop", isDirectory: true)
/// let kept = DataCache(maxAge: 300, store: DiskCache(directory: folder))
/// ```
///
/// A stale item stays until the store evicts it, since ``item(for:)`` still returns it. An app can show it when nothing newer is available.
public actor DataCache {
    /// A stored value.
    public struct Item: Hashable, Sendable {
        public let data: Data
        /// The time when the bytes were stored.
        public let storedAt: Date
        /// Whether ``DataCache/get(_:)`` returns the bytes.
        public let isFresh: Bool
    }

    private let maxAge: TimeInterval
    private let store: any ResponseCaching
    private let clock: any NetworkClock

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - maxAge: the time for which an item is fresh, in seconds. With zero, a negative number or NaN no item is fresh.
    ///   - store: the store of the bytes; by default an empty one in memory, of up to 10 MiB. Do not share it: ``clearAll()`` clears it.
    ///   - clock: measures the age of items.
    public init(maxAge: TimeInterval = 300, store: (any ResponseCaching)? = nil, clock: any NetworkClock = .system) {
        self.maxAge = maxAge
        self.store = store ?? NetworkCache(maxBytes: 10 << 20, clock: clock)
        self.clock = clock
    }

    /// Returns the bytes stored under a key, or nil if there are none or they are older than `maxAge`.
    public func get(_ key: String) -> Data? { item(for: key).flatMap { $0.isFresh ? $0.data : nil } }

    /// Returns the item stored under a key, of any age, or nil if there is none.
    public func item(for key: String) -> Item? {
        guard let url = Self.url(for: key), let stored = store.getResponse(for: url) else { return nil }
        var reader = ByteReader(stored)
        guard let storedAt = try? reader.date(), let data = try? reader.data(reader.remaining) else { return nil }
        let age = clock.now.timeIntervalSince(storedAt)
        // An item from the future was stored by a wrong clock.
        return Item(data: Data(data), storedAt: storedAt, isFresh: age >= 0 && age < maxAge)
    }

    /// Stores bytes under a key, in place of the previous ones.
    public func set(_ data: Data, for key: String) {
        guard let url = Self.url(for: key) else { return }
        var writer = ByteWriter(capacity: data.count + 8)
        writer.write(clock.now)
        writer.append(data)
        store.setResponse(writer.data, for: url, expireTime: nil)
    }

    /// Removes the bytes stored under a key.
    public func invalidate(_ key: String) {
        // A store has no other method for removal.
        if let url = Self.url(for: key) { store.setResponse(Data(), for: url, expireTime: .distantPast) }
    }

    /// Removes everything.
    public func clearAll() { store.clear() }

    /// Accepts any text as key. Different texts have different URLs.
    private static func url(for key: String) -> URL? { URL(string: "data-cache:/" + SHA256.hex(Data(key.utf8))) }
}
