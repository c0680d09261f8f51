import NetCore

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
