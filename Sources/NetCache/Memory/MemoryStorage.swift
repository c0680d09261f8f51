import NetCore

/// The contents of a ``NetworkCache``: bodies by URL and whole responses, in one order of use and within one limit.
struct MemoryStorage {
    private enum Key: Hashable {
        case body(url: String)
        case response(HTTPCacheKey, id: String)
    }

    private struct Item {
        let data: Data
        /// The expiration time of a body by URL. The body is still valid at that very moment.
        let expireTime: Date?
        /// The time of storing. It shows that the clock was set back afterwards.
        var storedTime = Date.distantPast

        func isExpired(at now: Date) -> Bool { expireTime.map { $0 < now || storedTime.isAhead(of: now) } ?? false }
    }

    private var items: LRUStorage<Key, Item>
    /// The heads of the responses, the newest first. Each has an item.
    private(set) var entries: [HTTPCacheKey: [HTTPCacheEntry]] = [:]
    private var keys: [String: Set<HTTPCacheKey>] = [:]
    var generations = GenerationTable()

    init(maxBytes: Int, maxEntries: Int) { items = LRUStorage(maxBytes: maxBytes, maxEntries: maxEntries) }

    var count: Int { items.count }
    var byteCount: Int { items.byteCount }
    func canHold(bytes: Int) -> Bool { items.canHold(bytes: bytes) }

    // MARK: Bodies by URL

    mutating func setBody(_ data: Data, for url: String, expireTime: Date?, now: Date) {
        if let expireTime, expireTime < now {
            items.remove(.body(url: url))
        } else {
            let item = Item(data: data, expireTime: expireTime, storedTime: now)
            forget(items.set(item, bytes: data.count, for: .body(url: url)))
        }
    }

    mutating func body(for url: String, now: Date) -> Data? {
        guard let item = items.use(.body(url: url)) else { return nil }
        guard !item.isExpired(at: now) else {
            items.remove(.body(url: url))
            return nil
        }
        return item.data
    }

    mutating func removeBody(for url: String) { items.remove(.body(url: url)) }

    // MARK: Responses

    func entries(for key: HTTPCacheKey) -> [HTTPCacheEntry] { entries[key] ?? [] }

    mutating func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) -> Data? {
        items.use(.response(key, id: entry.id))?.data
    }

    mutating func insert(_ entry: HTTPCacheEntry, body: Data, for key: HTTPCacheKey) {
        remove(entry, for: key)
        guard items.canHold(bytes: body.count) else { return }
        forget(items.set(Item(data: body, expireTime: nil), bytes: body.count, for: .response(key, id: entry.id)))
        entries[key, default: []].insert(entry.keepingHead, at: 0)
        keys[key.url, default: []].insert(key)
    }

    /// Replaces a stored head, if it is `old`. Returns whether it did.
    mutating func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheEntry.Generation?
    ) -> Bool {
        guard generations.isCurrent(generation, for: key.url),
            let position = entries[key]?.firstIndex(where: { $0.isSameHead(as: old) })
        else { return false }
        entries[key]?.remove(at: position)
        entries[key]?.insert(entry.keepingHead, at: 0)
        return true
    }

    mutating func recordUse(of entry: HTTPCacheEntry, for key: HTTPCacheKey) {
        _ = items.use(.response(key, id: entry.id))
    }

    mutating func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) {
        items.remove(.response(key, id: entry.id))
        forgetHead(id: entry.id, for: key)
    }

    mutating func removeAll(url: String) {
        generations.advance(url)
        for key in keys[url] ?? [] {
            for entry in entries(for: key) { remove(entry, for: key) }
        }
    }

    // MARK: Everything

    mutating func removeAll() {
        items.removeAll()
        entries.removeAll()
        keys.removeAll()
    }

    mutating func trim(toBytes bytes: Int, entries: Int) { forget(items.trim(toBytes: bytes, entries: entries)) }
    mutating func purgeBodies(now: Date) { items.removeAll { _, item in item.isExpired(at: now) } }

    /// Removes a response, unless it was replaced since it was read.
    mutating func removeIfUnchanged(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) {
        let current = entries(for: key).first { $0.id == entry.id }
        if current?.responseTime == entry.responseTime { remove(entry, for: key) }
    }

    private mutating func forget(_ removed: [Key]) {
        for case .response(let key, let id) in removed { forgetHead(id: id, for: key) }
    }

    private mutating func forgetHead(id: String, for key: HTTPCacheKey) {
        guard var list = entries[key] else { return }
        list.removeAll { $0.id == id }
        entries[key] = list.isEmpty ? nil : list
        guard list.isEmpty else { return }
        keys[key.url]?.remove(key)
        if keys[key.url]?.isEmpty == true { keys[key.url] = nil }
    }
}

extension StoredResponse {
    /// Whether the response is stale, cannot be validated, and may no longer be used while a new one is fetched or in place of an error.
    func isUnusable(_ rules: CacheRules) -> Bool {
        // At least an hour. A request's `max-stale` and offline modes may still use the response.
        let grace = max(directives.staleWhileRevalidate ?? 0, directives.staleIfError ?? 0, 3600)
        return !hasValidator && !freshness.isFresh && freshness.staleness > max(TimeInterval(grace), rules.staleIfError)
    }
}
