public import NetCore

/// What ``ResponseCache`` may decide by itself, within RFC 9111.
public struct CacheRules: Hashable, Sendable {
    /// Whom a cache serves.
    public enum Kind: Hashable, Sendable {
        /// One program and its users, each of whom gets only what was meant for them.
        case `private`
        /// Users who are strangers to each other, as in a server that asks other servers: `private`, `s-maxage` and
        /// `proxy-revalidate` count, and what was asked for with credentials is stored only if the response allows it
        /// (RFC 9111, section 3.5), for all.
        case shared
    }

    /// Whom the cache serves; ``Kind/private`` unless set.
    public var kind = Kind.private

    /// Where a response says nothing of how long it is fresh, it is for this part of the time since it was last modified
    /// (RFC 9111, section 4.2.2). The default is a tenth; 0 turns that off.
    public var heuristicFraction = 0.1

    /// The longest that a response is fresh by ``heuristicFraction``, in seconds; a week unless set.
    public var longestHeuristicLifetime: TimeInterval = 7 * 86_400

    /// How stale a response may be that stands in for an error, in seconds, where neither the response nor the request says
    /// (`stale-if-error`, RFC 5861, section 4). The default is 0: none may. `must-revalidate` forbids it at any number.
    public var staleIfError: TimeInterval = 0

    /// Methods besides GET whose responses are stored, each request told from others by method, body and `Content-Type`:
    /// `QUERY`, or POST for a GraphQL service. A GET with a body takes part too if it is in here. Only bodies in memory.
    ///
    /// A method in here changes nothing on the server, you say: it does not invalidate what is stored.
    public var methodsKeyedByBody: Set<HTTPMethod> = []

    /// The names of query items that make no difference to the response, such as `utm_source`: they are left out of the keys. None
    /// unless set.
    public var ignoredQueryItems: Set<String> = []

    /// The name of this cache in `Cache-Status` (RFC 9211): a token. What is none is left out for the default.
    public var name = CacheRules.defaultName

    /// A private cache that keeps to the standard.
    public init() {}

    static let defaultName = "Networking"

    var isShared: Bool { kind == .shared }

    var statusName: String { name.isHTTPToken ? name : Self.defaultName }
}

/// For how long a stored response may be used without asking, and for how long it has been used (RFC 9111, section 4.2).
struct Freshness: Equatable {
    /// Seconds since the server made or validated it (section 4.2.3).
    let age: TimeInterval
    /// Seconds until it is stale; negative if it is.
    let remaining: TimeInterval

    var isFresh: Bool { remaining > 0 }

    /// Seconds since it became stale, 0 if it has not.
    var staleness: TimeInterval { max(0, -remaining) }

    init(_ entry: HTTPCacheEntry, directives: ResponseDirectives, rules: CacheRules, now: Date) {
        let date = entry.headers["Date"].flatMap { HTTPDate.parse($0, now: entry.responseTime) } ?? entry.responseTime
        let age = Self.age(of: entry, date: date, now: now)
        let lifetime = Self.lifetime(of: entry, date: date, directives: directives, rules: rules)
        let remaining = entry.expireTime.map { $0.timeIntervalSince(now) } ?? lifetime - age
        // How long an entry from the future has been stored is unknown: the clock was set back. It counts as just expired, or it would
        // stay fresh for as long as the clock needs.
        guard entry.responseTime.isAhead(of: now), remaining > 0 else {
            self.age = age
            self.remaining = remaining
            return
        }
        self.age = Swift.max(age, lifetime)
        self.remaining = 0
    }

    /// Section 4.2.3. `Date` has whole seconds only, so the fraction of the time of arrival is none of the age.
    private static func age(of entry: HTTPCacheEntry, date: Date, now: Date) -> TimeInterval {
        let arrival = entry.responseTime.timeIntervalSince1970.rounded(.down)
        let apparentAge = max(0, arrival - date.timeIntervalSince1970)
        let delay = max(0, entry.responseTime.timeIntervalSince(entry.requestTime))
        let correctedAge = TimeInterval(ageField(entry.headers) ?? 0) + delay
        // See above for a clock that was set back.
        let residentTime = max(0, now.timeIntervalSince(entry.responseTime))
        return max(apparentAge, correctedAge) + residentTime
    }

    /// Of a list the first member counts, and what is no number is ignored (section 5.1).
    private static func ageField(_ headers: HTTPHeaders) -> Int? {
        guard let value = headers["Age"] else { return nil }
        return CacheDirective.deltaSeconds(value.prefix { $0 != "," }.trimmingHTTPWhitespace)
    }

    /// Section 4.2.1.
    private static func lifetime(
        of entry: HTTPCacheEntry, date: Date, directives: ResponseDirectives, rules: CacheRules
    ) -> TimeInterval {
        if rules.isShared, let seconds = directives.sharedMaxAge { return TimeInterval(seconds) }
        if let seconds = directives.maxAge { return TimeInterval(seconds) }
        let expires = entry.headers.values(for: "Expires")
        if let first = expires.first {
            // What is invalid, "0" above all, is in the past (section 5.3).
            return HTTPDate.parse(first, now: entry.responseTime).map { $0.timeIntervalSince(date) } ?? 0
        }
        guard StatusRules.isHeuristicallyCacheable(entry.status) || directives.isPublic,
            let modified = entry.headers["Last-Modified"].flatMap({ HTTPDate.parse($0, now: entry.responseTime) })
        else { return 0 }
        let lifetime = date.timeIntervalSince(modified) * rules.heuristicFraction
        return max(0, min(lifetime, rules.longestHeuristicLifetime))
    }
}

extension Date {
    /// Whether it lies in the future by more than the second by which the clocks of two machines may differ.
    func isAhead(of now: Date) -> Bool { timeIntervalSince(now) > 1 }
}

/// A stored response that could answer the request, and what its header says.
struct StoredResponse {
    let entry: HTTPCacheEntry
    let directives: ResponseDirectives
    let freshness: Freshness

    init(_ entry: HTTPCacheEntry, rules: CacheRules, now: Date) {
        self.entry = entry
        directives = ResponseDirectives(entry.headers)
        freshness = Freshness(entry, directives: directives, rules: rules, now: now)
    }

    var isPartial: Bool { entry.status == 206 }

    /// Whether the server can be asked if it is still good.
    var hasValidator: Bool { entry.headers.contains(name: "ETag") || entry.headers.contains(name: "Last-Modified") }

    /// Whether it may ever be used when it is stale (RFC 9111, section 4.2.4).
    func mayBeStale(_ rules: CacheRules) -> Bool {
        if directives.mustRevalidate || directives.noCache == .whole { return false }
        return !rules.isShared || !directives.proxyRevalidate && directives.sharedMaxAge == nil
    }
}
