/// The storage model of RFC 6265bis, section 5.7, as a value: no lock, no file, and time is an argument.
struct CookieJar: Sendable {
    /// Cookies of one site.
    static let siteLimit = 180
    /// Cookies of all sites.
    static let totalLimit = 3000

    struct Entry: Sendable {
        var cookie: Cookie
        /// The order of creation, also within one response.
        var order: UInt64
        let isSessionLike: Bool
    }

    /// The cookies of each site, a registrable domain with all its hosts, in the order in which they are sent: longer paths first, then
    /// older cookies. A site without cookies is not in it.
    private(set) var sites: [String: [Entry]] = [:]
    private(set) var count = 0
    var epochs = CookieEpochs()
    /// Changes since the last ``takeChanges()``.
    private var changes: [CookieStore.Change] = []
    private var lastOrder: UInt64 = 0

    /// All cookies, those of one site together.
    var cookies: [Cookie] { sites.sorted { $0.key < $1.key }.flatMap { $0.value.map(\.cookie) } }

    mutating func takeChanges() -> [CookieStore.Change] {
        defer { changes = [] }
        return changes
    }

    // MARK: Putting cookies in

    /// The source of a cookie, as far as the epoch depends on it.
    enum Source {
        /// A response to a safe method that does not redirect. Values may rotate.
        case plain
        /// The app, a redirect, or the response to an unsafe method: a new value may be another user.
        case deliberate
        /// The file. The epochs are in it too.
        case file
    }

    /// Stores a checked cookie, or removes its predecessor if the cookie has expired.
    mutating func put(_ new: Cookie, site name: String, from source: Source, at now: Date) {
        let key = new.key
        guard !new.isExpired(at: now) else { return remove(from: name, as: .removed) { $0.has(key) } }
        let hadSession = sites[name]?.contains { $0.isSessionLike && $0.cookie.name == new.name } == true
        // In place, so that the site is not copied.
        let old = index(of: key, in: name).flatMap { sites[name]?.remove(at: $0) }
        if old == nil { count += 1 }
        lastOrder += 1
        var entry = Entry(cookie: new, order: old?.order ?? lastOrder, isSessionLike: new.isSessionLike)
        if let old { entry.cookie.creation = old.cookie.creation }
        Self.insert(entry, into: &sites[name, default: []])
        if source != .file {
            let isChanged = source == .deliberate && old?.cookie.value != new.value
            if entry.isSessionLike ? !hadSession || isChanged : old?.isSessionLike == true { epochs.move(name) }
        }
        if old?.cookie != new { changes.append(CookieStore.Change(kind: .set, cookie: entry.cookie)) }
        evict(from: name)
    }

    private func index(of key: Cookie.Key, in site: String) -> Int? { sites[site]?.firstIndex { $0.cookie.has(key) } }

    private static func insert(_ entry: Entry, into site: inout [Entry]) {
        let length = entry.cookie.path.utf8.count
        let next = site.firstIndex { other in
            let otherLength = other.cookie.path.utf8.count
            return otherLength == length ? other.order > entry.order : otherLength < length
        }
        site.insert(entry, at: next ?? site.endIndex)
    }

    /// Removes one cookie of a site, and one of all sites, if there are too many: insecure ones of the site first, then the least recently
    /// used (RFC 6265bis, section 5.7).
    private mutating func evict(from name: String) {
        func rank(_ entry: Entry) -> (Int, Date, UInt64) {
            (entry.cookie.isSecure ? 1 : 0, entry.cookie.lastAccess, entry.order)
        }
        func surplus(of site: [Entry]) -> Cookie.Key? {
            site.count > Self.siteLimit ? site.min { rank($0) < rank($1) }?.cookie.key : nil
        }
        // The site is not held meanwhile: it would be copied.
        if let key = sites[name].flatMap(surplus) { remove(from: name, as: .evicted) { $0.has(key) } }
        guard count > Self.totalLimit else { return }
        let entries = sites.lazy.flatMap { site in site.value.lazy.map { (site: site.key, entry: $0) } }
        let oldest = entries.min {
            ($0.entry.cookie.lastAccess, $0.entry.order) < ($1.entry.cookie.lastAccess, $1.entry.order)
        }
        if let oldest { remove(from: oldest.site, as: .evicted) { $0.has(oldest.entry.cookie.key) } }
    }

    // MARK: Looking

    func cookie(of key: Cookie.Key, in site: String) -> Cookie? {
        index(of: key, in: site).flatMap { sites[site]?[$0].cookie }
    }

    /// Whether the site has a cookie that the server may have bound to another user.
    func mayIdentify(_ name: String) -> Bool { sites[name]?.contains { !$0.cookie.isOfInfrastructure } == true }

    /// Whether a cookie of the site may identify a user.
    func hasSession(_ name: String) -> Bool { sites[name]?.contains(where: \.isSessionLike) == true }

    var identifiedSites: Set<String> { Set(sites.keys.filter(hasSession)) }

    /// The part of the jar that a file keeps.
    func record(name: String?) -> CookieRecord {
        var record = CookieRecord()
        record.name = name
        record.epochs = epochs
        for (name, site) in sites.sorted(by: { $0.key < $1.key }) {
            for entry in site.sorted(by: { $0.order < $1.order }) {
                if entry.cookie.expires != nil {
                    record.items.append(entry.cookie)
                } else if entry.isSessionLike {
                    record.sessionSites.insert(name)
                }
            }
        }
        return record
    }

    // MARK: Taking cookies out

    mutating func removeExpired(from name: String, at now: Date) {
        remove(from: name, as: .expired) { $0.isExpired(at: now) }
    }

    mutating func removeExpired(at now: Date) { for name in Array(sites.keys) { removeExpired(from: name, at: now) } }

    /// Removes cookies of a site. The epoch moves if one of them may identify a user.
    mutating func remove(from name: String, as kind: CookieStore.Change.Kind, where isIncluded: (Cookie) -> Bool) {
        if take(from: name, as: kind, where: isIncluded) { epochs.move(name) }
    }

    mutating func removeAll() {
        for name in sites.keys.sorted() { _ = take(from: name, as: .removed) { _ in true } }
        epochs.moveAll()
    }

    /// Removes cookies that another process has removed, without moving the epoch. Returns the sites of which a removed cookie identified a user.
    mutating func forget(where isIncluded: (Cookie) -> Bool) -> Set<String> {
        Set(Array(sites.keys).filter { take(from: $0, as: .removed, where: isIncluded) })
    }

    /// Removes cookies of a site. Returns whether one of them may identify a user.
    private mutating func take(
        from name: String, as kind: CookieStore.Change.Kind, where isIncluded: (Cookie) -> Bool
    ) -> Bool {
        var removed: [Entry] = []
        sites[name]?.removeAll { entry in
            guard isIncluded(entry.cookie) else { return false }
            removed.append(entry)
            return true
        }
        if sites[name]?.isEmpty == true { sites[name] = nil }
        count -= removed.count
        changes += removed.map { CookieStore.Change(kind: kind, cookie: $0.cookie) }
        return removed.contains(where: \.isSessionLike)
    }

    // MARK: Sending

    /// Calls a closure with each cookie that a request carries, in the order of the field, and records the time of its use.
    mutating func use(
        site name: String, for target: CookieTarget, method: HTTPMethod, isCrossSite: Bool, at now: Date,
        _ body: (Cookie) -> Void
    ) {
        removeExpired(from: name, at: now)
        guard let site = sites.index(forKey: name) else { return }
        for index in sites.values[site].indices
        where sites.values[site][index].cookie.matches(target, method: method, isCrossSite: isCrossSite) {
            sites.values[site][index].cookie.lastAccess = now
            body(sites.values[site][index].cookie)
        }
    }
}

extension Cookie {
    /// Whether this is the cookie with that key. Most differ in the name.
    fileprivate func has(_ key: Key) -> Bool { name == key.name && self.key == key }
}

/// The epoch of each site: a number that stands for "the same user as before" in the identity of a request.
///
/// A new epoch is a random number, not the next one. If a crash loses an epoch that was not yet written, nothing that was stored
/// under it can be found under a later one.
struct CookieEpochs: Sendable {
    /// The epoch of sites that are not in ``sites``.
    private(set) var base: UInt64 = 0
    private(set) var sites: [String: UInt64] = [:]
    /// The number of changes, which tells a store whether there is anything to write.
    private(set) var revision: UInt64 = 0

    /// The most sites with an epoch of their own. Beyond it, all sites get a new common epoch, which costs some cached responses.
    private static let limit = 4096

    subscript(site: String) -> UInt64 { sites[site] ?? base }

    mutating func move(_ site: String) {
        if sites.count >= Self.limit, sites[site] == nil { return moveAll() }
        sites[site] = .random(in: 1 ... .max)
        revision += 1
    }

    mutating func moveAll() {
        sites = [:]
        base = .random(in: 1 ... .max)
        revision += 1
    }

    /// Takes the epochs that another process has written to the file. Both had the old epochs before. Where either has session cookies, which the
    /// file does not, each keeps its own epoch, which moves if a cookie that identifies a user has changed with the file (`touched`).
    mutating func merge(_ others: CookieEpochs, since old: CookieEpochs, sessions: Set<String>, touched: Set<String>) {
        let mine = self
        if others.base != old.base { base = mine.base == old.base ? others.base : .random(in: 1 ... .max) }
        for site in Set(mine.sites.keys).union(others.sites.keys).union(old.sites.keys) {
            let (own, their, common) = (mine[site], others[site], old[site])
            if sessions.contains(site) {
                if touched.contains(site) { move(site) } else { sites[site] = own }
            } else if their == common {
                sites[site] = own
            } else if own == common {
                sites[site] = their
            } else {
                move(site)
            }
        }
    }
}
