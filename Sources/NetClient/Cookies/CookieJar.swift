/// The storage model of RFC 6265bis, section 5.7, as a value: no lock, no file, and time is an argument.
struct CookieJar: Sendable {
    /// Cookies of one site.
    static let siteLimit = 180
    /// Cookies of all sites.
    static let totalLimit = 3000

    private(set) var sites: [String: CookieSite] = [:]
    private(set) var count = 0
    var epochs = CookieEpochs()
    /// Changes since the last ``takeChanges()``.
    private var changes: [CookieStore.Change] = []
    private var lastOrder: UInt64 = 0
    /// ``CookieTarget/filterKey(ofHost:)`` of each site with cookies, and of some that had cookies before.
    private var filter: Set<UInt64> = []

    /// Whether the URL's site may have cookies. Reads a few bytes of the URL and looks into one hash table.
    func mayHoldAny(for url: URL) -> Bool {
        guard count > 0 else { return false }
        return CookieTarget.filterKey(of: url).map(filter.contains) ?? true
    }

    /// Whether the URL's site may have cookies or an epoch of its own.
    func mayKnow(_ url: URL) -> Bool {
        guard count > 0 || !epochs.sites.isEmpty else { return false }
        return CookieTarget.filterKey(of: url).map { filter.contains($0) || epochs.mayKnow(filterKey: $0) } ?? true
    }

    /// All cookies, those of one site together.
    var cookies: [Cookie] {
        sites.sorted { $0.key < $1.key }.flatMap { $0.value.entries.map(\.cookie) }
    }

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
        var cookie = new
        // In place, so that the site is not copied.
        let index = sites[name]?.firstIndex(of: cookie.key)
        if cookie.isExpired(at: now) {
            guard let index, let old = sites[name]?.remove(at: index) else { return }
            count -= 1
            note(.removed, [old], site: name)
            return
        }
        let hadSession = sites[name]?.hasSession(named: cookie.name) == true
        let old = index.flatMap { sites[name]?.remove(at: $0) }
        if let old { cookie.creation = old.cookie.creation }
        lastOrder += 1
        let entry = CookieSite.Entry(cookie: cookie, order: old?.order ?? lastOrder)
        sites[name, default: CookieSite()].insert(entry)
        if old == nil { count += 1 }
        if let key = CookieTarget.filterKey(ofHost: name) { filter.insert(key) }
        if source != .file {
            let isChanged = source == .deliberate && old?.cookie.value != cookie.value
            if entry.isSessionLike ? !hadSession || isChanged : old?.isSessionLike == true { epochs.move(name) }
        }
        if old?.cookie != cookie { changes.append(CookieStore.Change(kind: .set, cookie: cookie)) }
        evict(from: name)
    }

    /// Whether a secure cookie prevents this insecure one.
    func hasSecureShadow(of cookie: Cookie, site: String) -> Bool {
        sites[site]?.hasSecureShadow(of: cookie) ?? false
    }

    private mutating func evict(from name: String) {
        // The site is changed in place: a copy of 180 cookies is not free.
        let surplus = sites[name].flatMap { $0.entries.count > Self.siteLimit ? $0.firstToEvict : nil }
        if let surplus { evict(surplus, from: name) }
        guard count > Self.totalLimit else { return }
        let oldest = sites.min { ($0.value.leastRecentUse, $0.key) < ($1.value.leastRecentUse, $1.key) }?.key
        if let oldest, let index = sites[oldest]?.leastRecentlyUsed { evict(index, from: oldest) }
    }

    private mutating func evict(_ index: Int, from name: String) {
        guard let entry = sites[name]?.remove(at: index) else { return }
        count -= 1
        note(.evicted, [entry], site: name)
    }

    /// Whether the site has a cookie that the server may have bound to another user.
    func mayIdentify(_ name: String) -> Bool {
        sites[name]?.entries.contains { !$0.cookie.isOfInfrastructure } == true
    }

    // MARK: Taking cookies out

    mutating func removeExpired(from name: String, at now: Date) {
        guard let removed = sites[name]?.removeExpired(at: now), !removed.isEmpty else { return }
        count -= removed.count
        note(.expired, removed, site: name)
    }

    mutating func removeExpired(at now: Date) {
        for name in Array(sites.keys) { removeExpired(from: name, at: now) }
    }

    /// Removes cookies of a site.
    ///
    /// - Parameter endsSession: whether the epoch moves even if no cookie of a session is removed.
    mutating func remove(from name: String, endsSession: Bool, where isIncluded: (Cookie) -> Bool) {
        if endsSession { epochs.move(name) }
        let removed = sites[name]?.removeAll { isIncluded($0.cookie) } ?? []
        count -= removed.count
        note(.removed, removed, site: name)
    }

    mutating func removeAll() {
        changes += cookies.map { CookieStore.Change(kind: .removed, cookie: $0) }
        sites = [:]
        filter = []
        count = 0
        epochs.moveAll()
    }

    /// Removes cookies that another process has removed, without moving the epoch. Returns the sites of which a removed cookie
    /// identified a user.
    mutating func forget(where isIncluded: (Cookie) -> Bool) -> Set<String> {
        var identified: Set<String> = []
        for name in Array(sites.keys) {
            let removed = sites[name]?.removeAll { isIncluded($0.cookie) } ?? []
            changes += removed.map { CookieStore.Change(kind: .removed, cookie: $0.cookie) }
            count -= removed.count
            if removed.contains(where: \.isSessionLike) { identified.insert(name) }
            drop(name)
        }
        return identified
    }

    /// The part of the jar that a file keeps.
    func record(name: String?) -> CookieRecord {
        var record = CookieRecord()
        record.name = name
        record.epochs = epochs
        for (name, site) in sites.sorted(by: { $0.key < $1.key }) {
            for entry in site.entries.sorted(by: { $0.order < $1.order }) {
                if entry.cookie.expires != nil {
                    record.items.append(entry.cookie)
                } else if entry.isSessionLike {
                    record.sessionSites.insert(name)
                }
            }
        }
        return record
    }

    /// Sites with a cookie that may identify a user.
    var identifiedSites: Set<String> { Set(sites.filter(\.value.hasSession).keys) }

    private mutating func note(
        _ kind: CookieStore.Change.Kind, _ removed: [CookieSite.Entry], site name: String
    ) {
        guard !removed.isEmpty else { return }
        changes += removed.map { CookieStore.Change(kind: kind, cookie: $0.cookie) }
        if removed.contains(where: \.isSessionLike) { epochs.move(name) }
        drop(name)
    }

    /// Forgets a site without cookies.
    private mutating func drop(_ name: String) {
        guard let site = sites[name], site.entries.isEmpty else { return }
        sites[name] = nil
        if sites.isEmpty { filter = [] }
    }

    // MARK: Sending

    /// Calls a closure with each cookie that a request carries, in the order of the field.
    mutating func use(
        site name: String, for target: CookieTarget, method: HTTPMethod, isCrossSite: Bool, at now: Date,
        _ body: (Cookie) -> Void
    ) {
        removeExpired(from: name, at: now)
        sites[name]?.use(for: target, method: method, isCrossSite: isCrossSite, at: now, body)
    }
}
