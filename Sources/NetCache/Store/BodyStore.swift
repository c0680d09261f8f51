import NetCore

/// Stores responses in a ``ResponseCaching``, which keeps bytes by URL.
///
/// The body of a response without owner and `Vary` is stored under its URL, where an app can read and write it. All other keys have a fragment:
///
/// - `#epoch` holds a random text. It is part of the keys of all responses with an owner. An invalidation replaces it alone.
/// - `…heads` holds the heads of the variants of one key, which `Vary` tells apart, and `…id=` the body of each.
struct BodyStore: HTTPCacheStore {
    let cache: any ResponseCaching

    /// The ID of the one response to a key that does not vary.
    static let plainID = "plain"

    func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] {
        guard let place = place(of: key) else { return [] }
        guard let data = cache.getResponse(for: place.url) else { return heads(at: place) }
        // Its times are unknown. A response that is stored later is newer.
        let plain = HTTPCacheEntry(
            id: Self.plainID, status: 200, headers: ["Content-Length": "\(data.count)"], responseURL: nil,
            requestHeaders: ["Date": "added"], requestTime: .distantPast, responseTime: .distantPast)
        return [plain]
    }

    func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws -> HTTPBody? {
        guard let place = place(of: key), let url = place.url(of: entry) else { return nil }
        return cache.getResponse(for: url).map { HTTPBody($0) }
    }

    func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?, since generation: HTTPCacheEntry.Generation?
    ) async throws -> (any HTTPCacheEntry.Writer)? {
        guard let place = place(of: key, createsEpoch: true) else { return nil }
        return MemoryWriter { try store($0, entry, at: place) }
    }

    /// Does nothing: a policy validates no response.
    func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheEntry.Generation?
    ) async throws -> Bool { false }

    func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
        guard let place = place(of: key), let url = place.url(of: entry) else { return }
        remove(url)
        if entry.id != Self.plainID { change(place) { $0.removeAll { $0.id == entry.id } } }
    }

    func identityKey() throws -> CacheIdentityKey? { try cache.identityKey() }

    func removeAll(url: String) async throws {
        for text in [url, url + "#heads"] {
            if let url = URL(string: text), cache.getResponse(for: url) != nil { remove(url) }
        }
        if let epoch = URL(string: url + Self.epochMark), cache.getResponse(for: epoch) != nil {
            _ = newEpoch(at: epoch, replaces: true)
        }
    }

    func removeAll() async throws { cache.clear() }

    // MARK: Places

    private static let epochMark = "#epoch"

    /// The keys of the responses to one ``HTTPCacheKey``.
    private struct Place {
        let text: String
        /// The key of the response that does not vary.
        let url: URL

        init?(_ text: String) {
            guard let url = URL(string: text) else { return nil }
            self.text = text
            self.url = url
        }

        var heads: URL? { adding("heads") }
        func url(of entry: HTTPCacheEntry) -> URL? { entry.id == BodyStore.plainID ? url : adding("id=" + entry.id) }
        private func adding(_ mark: String) -> URL? { URL(string: text + (text.contains("#") ? "&" : "#") + mark) }
    }

    /// Nil if nothing can be stored under the key.
    private func place(of key: HTTPCacheKey, createsEpoch: Bool = false) -> Place? {
        guard !key.owner.isEmpty else { return Place(key.url) }
        guard let url = URL(string: key.url + Self.epochMark) else { return nil }
        let known = cache.getResponse(for: url).map { String(decoding: $0, as: UTF8.self) }
        return (known ?? (createsEpoch ? newEpoch(at: url, replaces: false) : nil)).flatMap {
            Place("\(key.url)#\($0)&owner=\(key.owner.filter { $0 != "#" })")
        }
    }

    private func newEpoch(at url: URL, replaces: Bool) -> String {
        Self.lock(of: url.absoluteString).withLock { _ in
            // Another task may have made one meanwhile.
            if !replaces, let known = cache.getResponse(for: url) { return String(decoding: known, as: UTF8.self) }
            let epoch = String(UInt64.random(in: .min ... .max), radix: 36)
            cache.setResponse(Data(epoch.utf8), for: url, expireTime: nil)
            return epoch
        }
    }

    // MARK: Records

    private func store(_ body: Data, _ entry: HTTPCacheEntry, at place: Place) throws {
        guard let url = place.url(of: entry) else { throw NetworkError.invalidURL }
        cache.setResponse(body, for: url, expireTime: entry.expireTime)
        guard entry.id != Self.plainID else {
            // The server no longer tells variants apart.
            if let heads = place.heads, cache.getResponse(for: heads) != nil { remove(heads) }
            return
        }
        var head = entry
        head.headers["Content-Length"] = "\(body.count)"
        change(place) { $0.insert(head, at: 0) }
    }

    private func heads(at place: Place) -> [HTTPCacheEntry] {
        guard let url = place.heads, let data = cache.getResponse(for: url) else { return [] }
        return (try? JSONDecoder().decode([HTTPCacheEntry].self, from: data)) ?? []
    }

    /// Changes the heads at a place. Another process, which does not share the lock, may cost a variant.
    private func change(_ place: Place, _ change: (inout [HTTPCacheEntry]) -> Void) {
        guard let url = place.heads else { return }
        Self.lock(of: place.text).withLock { _ in
            var heads = heads(at: place)
            change(&heads)
            guard !heads.isEmpty, let data = try? JSONEncoder().encode(Array(heads.prefix(HTTPCacheKey.variantLimit)))
            else { return remove(url) }
            cache.setResponse(data, for: url, expireTime: nil)
        }
    }

    private static let locks = (0..<64).map { _ in Locked(()) }

    private static func lock(of text: String) -> Locked<Void> {
        locks[Int(UInt(bitPattern: text.hashValue) % UInt(locks.count))]
    }

    /// A ``ResponseCaching`` has no other method for removal.
    private func remove(_ url: URL) { cache.setResponse(Data(), for: url, expireTime: .distantPast) }
}
