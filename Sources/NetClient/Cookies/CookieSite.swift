import NetCore

/// The cookies of one site: a registrable domain with all its hosts.
struct CookieSite: Sendable {
    struct Entry: Sendable {
        var cookie: Cookie
        /// A number that grows: the order of creation, also within one response.
        var order: UInt64
        /// Whether the end of the cookie may be the end of a user's session: it is `HttpOnly`, or the app or the response to an
        /// unsafe method has set it.
        var isIdentifying: Bool
    }

    /// In the order in which they are sent: longer paths first, then older ones.
    private(set) var entries: [Entry] = []
    /// No cookie ends before.
    private var nextExpiry = Date.distantFuture

    func firstIndex(of key: Cookie.Key) -> Int? {
        entries.firstIndex { $0.cookie.name == key.name && $0.cookie.key == key }
    }

    func hasHTTPOnly(named name: String) -> Bool {
        entries.contains { $0.cookie.isHTTPOnly && $0.cookie.name == name }
    }

    func hasSecureShadow(of cookie: Cookie) -> Bool {
        entries.contains { $0.cookie.isShadowed(by: cookie) }
    }

    func cookie(of key: Cookie.Key) -> Cookie? {
        firstIndex(of: key).map { entries[$0].cookie }
    }

    mutating func insert(_ entry: Entry) {
        let length = entry.cookie.path.utf8.count
        // The first that goes behind it; binary, since a response may bring thousands.
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

    /// Removes and returns the cookies that are picked.
    mutating func removeAll(where isPicked: (Entry) -> Bool) -> [Entry] {
        var removed: [Entry] = []
        entries.removeAll { entry in
            guard isPicked(entry) else { return false }
            removed.append(entry)
            return true
        }
        return removed
    }

    /// Removes and returns the cookies that have ended. Looks at one date if none has.
    mutating func removeExpired(at now: Date) -> [Entry] {
        guard nextExpiry <= now else { return [] }
        let removed = removeAll { $0.cookie.isExpired(at: now) }
        nextExpiry = entries.lazy.compactMap(\.cookie.expires).min() ?? .distantFuture
        return removed
    }

    /// The cookie to give up when the site has too many: an insecure one if there is one, and of those the one that was not
    /// used for the longest time (RFC 6265bis, section 5.7).
    var firstToEvict: Int? {
        entries.indices.min { left, right in
            let (left, right) = (entries[left], entries[right])
            return (left.cookie.isSecure ? 1 : 0, left.cookie.lastAccess, left.order)
                < (right.cookie.isSecure ? 1 : 0, right.cookie.lastAccess, right.order)
        }
    }

    /// The cookie that was not used for the longest time.
    var leastRecentlyUsed: Int? {
        entries.indices.min { left, right in
            (entries[left].cookie.lastAccess, entries[left].order)
                < (entries[right].cookie.lastAccess, entries[right].order)
        }
    }

    /// When ``leastRecentlyUsed`` was used.
    var leastRecentUse: Date { entries.lazy.map(\.cookie.lastAccess).min() ?? .distantFuture }

    /// Calls a closure with each cookie that a request carries, and notes the time of its use.
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
