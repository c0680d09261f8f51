public import NetCore

/// The settings of a ``ResponseCache``, within the limits of RFC 9111.
public struct CacheRules: Hashable, Sendable {
    /// The users of a cache.
    public enum Kind: Hashable, Sendable {
        /// One program and its users. Each user gets only responses to their own requests.
        case `private`
        /// Users who are strangers to each other, as in a server that asks other servers. The cache respects `private`, `s-maxage` and
        /// `proxy-revalidate`. It stores the response to a request with credentials only if the response allows that (RFC 9111, section 3.5), and
        /// then for all users.
        case shared
    }

    /// The users of the cache. The default is ``Kind/private``.
    public var kind = Kind.private

    /// The freshness of a response without an explicit lifetime, as a fraction of the time since it was last modified (RFC 9111,
    /// section 4.2.2). The default is 0.1; 0 turns heuristic freshness off.
    public var heuristicFraction = 0.1

    /// The maximum lifetime by ``heuristicFraction``, in seconds. The default is a week.
    public var longestHeuristicLifetime: TimeInterval = 7 * 86_400

    /// The maximum staleness of a response that replaces an error, in seconds, if neither the response nor the request says (`stale-if-error`, RFC
    /// 5861, section 4). The default is 0: no stale response replaces an error. `must-revalidate` forbids it in any case.
    public var staleIfError: TimeInterval = 0

    /// Methods besides GET whose responses are stored, such as `QUERY`, or POST for a GraphQL service. The key of such a request includes the method,
    /// the body and the `Content-Type`. Add GET to cache GETs with a body. Only bodies in memory take part. JSON bodies are compared by value,
    /// whatever the order of their members.
    ///
    /// Requests with these methods must not change anything on the server: they invalidate no stored response. A GraphQL mutation is told
    /// by its document. It is never stored, and invalidates as POST does.
    public var methodsKeyedByBody: Set<HTTPMethod> = []

    /// The names of query items that do not change the response, such as `utm_source`. The cache leaves them out of its keys.
    public var ignoredQueryItems: Set<String> = []

    /// Whether a ``CachePolicy`` decides instead of the header fields, over a store that keeps bodies only: see ``CachePolicyInterceptor``.
    var followsPolicy = false

    /// The name of this cache in `Cache-Status` (RFC 9211). An invalid token is replaced by the default.
    public var name = CacheRules.defaultName

    /// Creates the rules of a private cache that follows the standard.
    public init() {}

    static let defaultName = "Networking"

    var isShared: Bool { kind == .shared }
    var statusName: String { name.isHTTPToken ? name : Self.defaultName }
}

/// The remaining freshness and the age of a stored response (RFC 9111, section 4.2).
struct Freshness: Equatable {
    /// Seconds since the server generated or validated the response (section 4.2.3).
    let age: TimeInterval
    /// Seconds until the response is stale; negative if it is.
    let remaining: TimeInterval

    var isFresh: Bool { remaining > 0 }

    /// ``remaining``, or nil for a response that never expires.
    var timeToLive: TimeInterval? { remaining == .infinity ? nil : remaining }

    /// Seconds since the response became stale; 0 if it is fresh.
    var staleness: TimeInterval { max(0, -remaining) }

    init(_ entry: HTTPCacheEntry, rules: CacheRules, now: Date) {
        if rules.followsPolicy {
            (age, remaining) = (0, entry.expireTime.map { $0.timeIntervalSince(now) } ?? .infinity)
            return
        }
        let head = entry.head
        let age = Self.age(of: entry, head, now: now)
        let lifetime = Self.lifetime(of: entry, head, rules: rules)
        let remaining = entry.expireTime.map { $0.timeIntervalSince(now) } ?? lifetime - age
        // The clock was set back, so the time since the entry was stored is unknown. It counts as just expired, or it would stay fresh for as long.
        let isAhead = entry.responseTime.isAhead(of: now) && remaining > 0
        self.age = isAhead ? max(age, lifetime) : age
        self.remaining = isAhead ? 0 : remaining
    }

    /// See section 4.2.3. `Date` has whole seconds only, so fractions of the arrival time do not count.
    private static func age(of entry: HTTPCacheEntry, _ head: ParsedHead, now: Date) -> TimeInterval {
        let arrival = entry.responseTime.timeIntervalSince1970.rounded(.down)
        let apparentAge = max(0, arrival - head.date.timeIntervalSince1970)
        let delay = max(0, entry.responseTime.timeIntervalSince(entry.requestTime))
        let correctedAge = TimeInterval(head.age ?? 0) + delay
        // See above for a clock that was set back.
        let residentTime = max(0, now.timeIntervalSince(entry.responseTime))
        return max(apparentAge, correctedAge) + residentTime
    }

    /// See section 4.2.1.
    private static func lifetime(of entry: HTTPCacheEntry, _ head: ParsedHead, rules: CacheRules)
        -> TimeInterval
    {
        if rules.isShared, let seconds = head.directives.sharedMaxAge { return TimeInterval(seconds) }
        if let seconds = head.directives.maxAge { return TimeInterval(seconds) }
        if let expires = head.expires { return expires.timeIntervalSince(head.date) }
        guard StatusRules.isHeuristicallyCacheable(entry.status) || head.directives.isPublic,
            let modified = head.modified
        else { return 0 }
        let lifetime = head.date.timeIntervalSince(modified) * rules.heuristicFraction
        return max(0, min(lifetime, rules.longestHeuristicLifetime))
    }
}

extension Date {
    /// Whether the date lies in the future by more than a second. The clocks of two machines may differ by one.
    func isAhead(of now: Date) -> Bool { timeIntervalSince(now) > 1 }
}

/// A stored response that could answer a request, with its directives and its freshness.
struct StoredResponse {
    let entry: HTTPCacheEntry
    let directives: ResponseDirectives
    let freshness: Freshness

    init(_ entry: HTTPCacheEntry, rules: CacheRules, now: Date) {
        self.entry = entry.keepingHead
        directives = self.entry.head.directives
        freshness = Freshness(self.entry, rules: rules, now: now)
    }

    var isPartial: Bool { entry.status == 206 }

    /// Whether the server can validate the response.
    var hasValidator: Bool { entry.headers.contains(name: "ETag") || entry.headers.contains(name: "Last-Modified") }

    /// The header fields of an answer that was not validated: without the fields that `no-cache` names (RFC 9111, section 5.2.2.4).
    var unvalidatedHeaders: HTTPHeaders {
        guard case .fields(let names) = directives.noCache else { return entry.headers }
        var result = entry.headers
        result.remove(names: Set(names))
        return result
    }

    /// Whether the response may be used when it is stale (RFC 9111, section 4.2.4).
    func mayBeStale(_ rules: CacheRules) -> Bool {
        if directives.mustRevalidate || directives.noCache == .whole { return false }
        return !rules.isShared || !directives.proxyRevalidate && directives.sharedMaxAge == nil
    }
}
