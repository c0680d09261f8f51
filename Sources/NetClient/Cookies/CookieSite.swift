/// The cookies of one site: a registrable domain with all its hosts.
struct CookieSite: Sendable {
    struct Entry: Sendable {
        var cookie: Cookie
        /// The order of creation, also within one response.
        var order: UInt64
        /// See ``Cookie/isSessionLike``.
        let isSessionLike: Bool

        init(cookie: Cookie, order: UInt64) {
            self.cookie = cookie
            self.order = order
            isSessionLike = cookie.isSessionLike
        }
    }

    /// In the order in which they are sent: longer paths first, then older ones.
    private(set) var entries: [Entry] = []
    /// The earliest expiration date of a cookie, or an earlier date.
    private var nextExpiry = Date.distantFuture

    func firstIndex(of key: Cookie.Key) -> Int? {
        entries.firstIndex { $0.cookie.name == key.name && $0.cookie.key == key }
    }

    func hasSession(named name: String) -> Bool {
        entries.contains { $0.isSessionLike && $0.cookie.name == name }
    }

    var hasSession: Bool { entries.contains(where: \.isSessionLike) }

    func hasSecureShadow(of cookie: Cookie) -> Bool {
        entries.contains { $0.cookie.isShadowed(by: cookie) }
    }

    func cookie(of key: Cookie.Key) -> Cookie? {
        firstIndex(of: key).map { entries[$0].cookie }
    }

    mutating func insert(_ entry: Entry) {
        let length = entry.cookie.path.utf8.count
        // Binary search, since a response may set thousands.
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            let other = entries[middle].cookie.path.utf8.count
            let isBefore = other == length ? entries[middle].order < entry.order : other > length
            if isBefore { low = middle + 1 } else { high = middle }
        }
        entries.insert(entry, at: low)
        if let expires = entry.cookie.expires { nextExpiry = min(nextExpiry, expires) }
    }

    @discardableResult
    mutating func remove(at index: Int) -> Entry {
        entries.remove(at: index)
    }

    /// Removes and returns the entries for which the closure is true.
    mutating func removeAll(where isIncluded: (Entry) -> Bool) -> [Entry] {
        var removed: [Entry] = []
        entries.removeAll { entry in
            guard isIncluded(entry) else { return false }
            removed.append(entry)
            return true
        }
        return removed
    }

    /// Removes and returns the expired cookies. Compares one date if none has expired.
    mutating func removeExpired(at now: Date) -> [Entry] {
        guard nextExpiry <= now else { return [] }
        let removed = removeAll { $0.cookie.isExpired(at: now) }
        nextExpiry = entries.lazy.compactMap(\.cookie.expires).min() ?? .distantFuture
        return removed
    }

    /// The cookie to evict first: insecure before secure, then the least recently used (RFC 6265bis, section 5.7).
    var firstToEvict: Int? {
        entries.indices.min { left, right in
            let (left, right) = (entries[left], entries[right])
            return (left.cookie.isSecure ? 1 : 0, left.cookie.lastAccess, left.order)
                < (right.cookie.isSecure ? 1 : 0, right.cookie.lastAccess, right.order)
        }
    }

    /// The least recently used cookie.
    var leastRecentlyUsed: Int? {
        entries.indices.min { left, right in
            (entries[left].cookie.lastAccess, entries[left].order)
                < (entries[right].cookie.lastAccess, entries[right].order)
        }
    }

    /// The date of the last use of ``leastRecentlyUsed``.
    var leastRecentUse: Date { entries.lazy.map(\.cookie.lastAccess).min() ?? .distantFuture }

    /// Calls a closure with each cookie that a request carries, and records the time of its use.
    mutating func use(
        for target: CookieTarget, method: HTTPMethod, isCrossSite: Bool, at now: Date, _ body: (Cookie) -> Void
    ) {
        for index in entries.indices
        where entries[index].cookie.matches(target, method: method, isCrossSite: isCrossSite) {
            entries[index].cookie.lastAccess = now
            body(entries[index].cookie)
        }
    }
}

/// The epoch of each site: a number that stands for "the same user as before" in the identity of a request.
///
/// A new epoch is a random number, not the next one. If a crash loses an epoch that was not yet written, nothing that was stored
/// under it can be found under a later one.
struct CookieEpochs: Sendable {
    /// The epoch of sites that are not in ``sites``.
    private(set) var base: UInt64
    private(set) var sites: [String: UInt64]
    /// The number of changes, which tells a store whether there is anything to write.
    private(set) var revision: UInt64 = 0
    /// ``CookieTarget/filterKey(ofHost:)`` of each of ``sites``.
    private var filter: Set<UInt64>

    /// The most sites with an epoch of their own. Beyond it, all sites get a new common epoch, which costs some cached responses.
    private static let limit = 4096

    init(base: UInt64 = 0, sites: [String: UInt64] = [:]) {
        self.base = base
        self.sites = sites
        filter = Set(sites.keys.lazy.compactMap(CookieTarget.filterKey(ofHost:)))
    }

    subscript(site: String) -> UInt64 { sites[site] ?? base }

    /// Whether a site with that filter key may have an epoch of its own.
    func mayKnow(filterKey: UInt64) -> Bool { filter.contains(filterKey) }

    private mutating func set(_ site: String, to epoch: UInt64) {
        sites[site] = epoch
        if let key = CookieTarget.filterKey(ofHost: site) { filter.insert(key) }
    }

    mutating func move(_ site: String) {
        if sites.count >= Self.limit, sites[site] == nil { return moveAll() }
        set(site, to: .random(in: 1 ... .max))
        revision += 1
    }

    mutating func moveAll() {
        sites = [:]
        filter = []
        base = .random(in: 1 ... .max)
        revision += 1
    }

    /// Takes the epochs that another process has written to the file.
    ///
    /// - Parameters:
    ///   - others: The epochs of the file.
    ///   - old: The epochs that both had before.
    ///   - sessions: Sites where either process has session cookies, which the file does not: there each keeps its own epoch.
    ///   - touched: Sites of which a cookie that identifies a user has changed with the file.
    mutating func merge(_ others: CookieEpochs, since old: CookieEpochs, sessions: Set<String>, touched: Set<String>) {
        let mine = self
        if others.base != old.base {
            base = mine.base == old.base ? others.base : .random(in: 1 ... .max)
        }
        for site in Set(mine.sites.keys).union(others.sites.keys).union(old.sites.keys) {
            let (own, their, common) = (mine[site], others[site], old[site])
            if sessions.contains(site) {
                if touched.contains(site) { move(site) } else { set(site, to: own) }
            } else if their == common {
                set(site, to: own)
            } else if own == common {
                set(site, to: their)
            } else {
                move(site)
            }
        }
    }
}
