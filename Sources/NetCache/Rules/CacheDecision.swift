import NetCore

/// What a cache does with a request: RFC 9111, section 4, as one function without clock or store.
enum CacheDecision {
    /// Answer with the stored response.
    case reuse(StoredResponse, Reuse)
    /// Ask the server whether the stored response is still valid.
    case revalidate(StoredResponse, CacheStatus.Forward)
    /// The start of the body is stored. Ask the server for the rest.
    case complete(StoredResponse)
    /// Send the request as it is. A stale response may replace an error.
    case forward(CacheStatus.Forward, stale: StoredResponse?)
    /// The request accepts stored responses only, and there is none: answer 504 (RFC 9111, section 5.2.1.7).
    case gatewayTimeout

    /// The reason why a stored response may answer.
    enum Reuse: String {
        case fresh
        /// The request accepts a stale response.
        case stale = "max-stale"
        /// The response may be used while a new one is fetched (RFC 5861, section 3).
        case whileRevalidating = "stale-while-revalidate"
    }
}

extension CacheRequest {
    /// - Parameters:
    ///   - stored: the responses under the request's key, the newest first.
    ///   - mayUse: whether the caller accepts stored responses at all.
    func decision(for stored: [HTTPCacheEntry], mayUse: Bool = true, rules: CacheRules, now: Date)
        -> CacheDecision
    {
        func forward(_ reason: CacheStatus.Forward) -> CacheDecision {
            directives.onlyIfCached ? .gatewayTimeout : .forward(reason, stale: nil)
        }
        guard mayUse, !conditions.requiresServer else { return forward(.bypass) }
        guard !directives.noStore, !directives.isReload else { return forward(.request) }
        var newest: HTTPCacheEntry?
        var start: HTTPCacheEntry?
        var hasMatch = false
        for entry in stored where Variants.matches(entry, self) {
            hasMatch = true
            if entry.answers(self) {
                newest = newest.map { entry.isNewer(than: $0) ? entry : $0 } ?? entry
            } else if start == nil, entry.isStartOfBody {
                start = entry
            }
        }
        if let newest { return decision(for: StoredResponse(newest, rules: rules, now: now), rules: rules) }
        guard hasMatch else { return forward(stored.isEmpty ? .uriMiss : .varyMiss) }
        guard !directives.onlyIfCached, mayComplete, let start else { return forward(.partial) }
        return .complete(StoredResponse(start, rules: rules, now: now))
    }

    private func decision(for stored: StoredResponse, rules: CacheRules) -> CacheDecision {
        let freshness = stored.freshness
        if rules.followsPolicy, !directives.noCache { return .reuse(stored, .fresh) }
        let isRevalidation = directives.isRoutineReload && !(stored.directives.isImmutable && freshness.isFresh)
        let mustAsk = stored.directives.noCache == .whole || directives.noCache || isRevalidation
        let isYoungEnough = directives.maxAge.map { freshness.age <= TimeInterval($0) } ?? true
        if !mustAsk, isYoungEnough {
            let margin = directives.minFresh.map(TimeInterval.init) ?? 0
            if freshness.isFresh, freshness.remaining >= margin { return .reuse(stored, .fresh) }
            if margin == 0, stored.mayBeStale(rules) {
                if let limit = directives.maxStale, freshness.staleness <= TimeInterval(limit) {
                    return .reuse(stored, .stale)
                }
                // A request that limits the age, and does not mention staleness, accepts none (section 5.2.1.1).
                let seconds = directives.staleWhileRevalidate ?? stored.directives.staleWhileRevalidate
                if directives.maxAge == nil, let seconds, freshness.staleness <= TimeInterval(seconds) {
                    return .reuse(stored, .whileRevalidating)
                }
            }
        }
        if directives.onlyIfCached { return .gatewayTimeout }
        let reason: CacheStatus.Forward = freshness.isFresh && stored.directives.noCache != .whole ? .request : .stale
        return stored.hasValidator ? .revalidate(stored, reason) : .forward(reason, stale: stored)
    }

    /// Whether the request asks for the whole body, and allows fetching it in two parts.
    private var mayComplete: Bool {
        rangeText == nil && !isHead && conditions.ifNoneMatch == nil && conditions.ifModifiedSince == nil
            && conditions.ifRange == nil && !directives.noCache
    }
}

extension HTTPCacheEntry {
    /// Whether the entry holds everything that the request asks for.
    fileprivate func answers(_ request: CacheRequest) -> Bool {
        // The server answers requests for several parts, or in another unit. The whole body is not a good answer.
        guard status == 206 else { return status != 200 || request.rangeText == nil || request.range != nil }
        guard request.conditions.allowRange(of: self) else { return false }
        if isAnswer(toRange: request.rangeText) { return true }
        guard let range = request.range, let part = storedPart, let total = part.total,
            let wanted = range.resolved(length: total)
        else { return false }
        return part.bytes.lowerBound <= wanted.lowerBound && wanted.upperBound <= part.bytes.upperBound
    }

    /// Whether this is the server's answer to exactly that range.
    func isAnswer(toRange text: String?) -> Bool { text != nil && status == 206 && requestHeaders["Range"] == text }

    /// The bytes that the entry holds. Nil for a whole body, for several parts, and if they are uncertain.
    var storedPart: ContentRange? {
        guard status == 206, let part = ContentRange(headers["Content-Range"]),
            !headers.contains(name: "Content-Encoding")
        else { return nil }
        let length = headers["Content-Length"].flatMap { ContentRange.position($0[...]) }
        return length ?? Int64(part.bytes.count) == Int64(part.bytes.count) ? part : nil
    }

    /// Whether the rest of the body can be appended (RFC 9111, section 3.4).
    fileprivate var isStartOfBody: Bool {
        guard let part = storedPart, let total = part.total, let tag = EntityTag(headers["ETag"]) else { return false }
        return part.bytes.lowerBound == 0 && part.bytes.upperBound < total && !tag.isWeak
    }

    /// Whether the response is newer than another one to the same request (RFC 9111, section 4): by `Date`, then by the time of the request.
    /// All processes find the same order. Times are compared to the millisecond, as some stores keep no more.
    func isNewer(than other: HTTPCacheEntry) -> Bool {
        func milliseconds(_ date: Date) -> Double { (date.timeIntervalSince1970 * 1000).rounded() }
        // The `Date` that a cache adds is the time of arrival, which says nothing about the age of the content.
        func date(_ entry: HTTPCacheEntry) -> Double {
            entry.isDated
                ? milliseconds(entry.head.date) : (entry.requestTime.timeIntervalSince1970.rounded(.down) * 1000)
        }
        let (date, otherDate) = (date(self), date(other))
        if date != otherDate { return date > otherDate }
        let (sent, otherSent) = (milliseconds(requestTime), milliseconds(other.requestTime))
        return sent != otherSent ? sent > otherSent : EntryID.isLater(id, than: other.id)
    }

    /// Whether the server sent a `Date`.
    var isDated: Bool {
        get { !requestHeaders.contains(name: "Date") }
        set { requestHeaders["Date"] = newValue ? nil : "added" }
    }
}

/// What the cache did, for the `Cache-Status` field (RFC 9211).
struct CacheStatus: Equatable {
    /// The reason why a request went to the server (RFC 9211, section 2.2).
    enum Forward: String {
        /// The cache was told not to take part.
        case bypass
        /// A cache does not answer requests with this method.
        case method
        /// Nothing is stored for the URL.
        case uriMiss = "uri-miss"
        /// No stored variant matches the request.
        case varyMiss = "vary-miss"
        /// The request rejects the stored response, for instance as too old.
        case request
        /// The stored response is stale.
        case stale
        /// The stored response lacks a part of the requested bytes.
        case partial
    }

    enum Source: Equatable {
        case stored
        case forwarded(Forward)
        /// The cache itself, which was not allowed to ask the server.
        case cache
    }

    var source: Source
    /// The status of the server's response, if the caller gets another one.
    var forwardStatus: Int?
    /// The remaining freshness, in seconds; negative for a stale response.
    var timeToLive: TimeInterval?
    var isStored = false
    var detail: String?

    mutating func add(detail new: String) {
        guard detail != new else { return }
        detail = detail.map { "\($0) \(new)" } ?? new
    }

    /// Returns a member of the field's list, with the name of a cache.
    func text(of cache: String) -> String {
        var text = cache
        switch source {
        case .stored: text += "; hit"
        case .forwarded(let reason): text += "; fwd=" + reason.rawValue
        case .cache: break
        }
        if let forwardStatus { text += "; fwd-status=" + String(forwardStatus) }
        if let timeToLive {
            // Clamped to the range of the field (RFC 9651, section 3.3.1): a server's dates may say anything.
            text += "; ttl=" + String(Int(Swift.max(-1e12, Swift.min(timeToLive.rounded(.down), 1e12))))
        }
        if isStored { text += "; stored" }
        // A string, if it is not a token (RFC 9651, section 3.3).
        if let detail { text += "; detail=" + (detail.isHTTPToken ? detail : "\"\(detail)\"") }
        return text
    }
}
