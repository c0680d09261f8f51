import NetCore

/// What a cache does with a request: the whole of RFC 9111, section 4, as one function of what is known. No clock, no store.
enum CacheDecision {
    /// The stored response answers.
    case reuse(StoredResponse, Reuse)
    /// The server is asked whether the stored response is still good.
    case revalidate(StoredResponse, CacheStatus.Forward)
    /// What is stored is the start of the body: the server is asked for the rest.
    case complete(StoredResponse)
    /// The request goes to the server as it is. A stale response may stand in for an error.
    case forward(CacheStatus.Forward, stale: StoredResponse?)
    /// The request wants a stored response or none, and there is none: a 504 (RFC 9111, section 5.2.1.7).
    case gatewayTimeout

    /// Why a stored response may answer.
    enum Reuse: Equatable {
        case fresh
        /// The request takes a stale one.
        case stale
        /// The response allows it while a new one is fetched (RFC 5861, section 3).
        case whileRevalidating
    }

    /// - Parameters:
    ///   - stored: the responses under the request's key, the newest first.
    ///   - mayUse: whether the caller wants stored responses at all.
    init(for request: CacheRequest, stored: [HTTPCacheEntry], mayUse: Bool = true, rules: CacheRules, now: Date) {
        let directives = request.directives
        func forward(_ reason: CacheStatus.Forward) -> CacheDecision {
            directives.onlyIfCached ? .gatewayTimeout : .forward(reason, stale: nil)
        }
        guard mayUse, !request.isForServer else {
            self = forward(.bypass)
            return
        }
        guard !directives.noStore, !directives.isReload else {
            self = forward(.request)
            return
        }
        let matching = stored.filter { Variants.matches($0, request) }
        guard !matching.isEmpty else {
            self = forward(stored.isEmpty ? .uriMiss : .varyMiss)
            return
        }
        if let entry = matching.first(where: { $0.answers(request) }) {
            self.init(for: request, stored: StoredResponse(entry, rules: rules, now: now), rules: rules)
        } else if !directives.onlyIfCached, request.mayComplete, let start = matching.first(where: \.isStartOfBody) {
            self = .complete(StoredResponse(start, rules: rules, now: now))
        } else {
            self = forward(.partial)
        }
    }

    private init(for request: CacheRequest, stored: StoredResponse, rules: CacheRules) {
        let directives = request.directives
        let freshness = stored.freshness
        let skipsRevalidation = stored.directives.isImmutable && freshness.isFresh
        let mustAsk =
            stored.directives.noCache == .whole || directives.noCache || directives.isRoutineReload && !skipsRevalidation
        let isYoungEnough = directives.maxAge.map { freshness.age <= TimeInterval($0) } ?? true
        if !mustAsk, isYoungEnough {
            let margin = directives.minFresh.map(TimeInterval.init) ?? 0
            if freshness.isFresh, freshness.remaining >= margin {
                self = .reuse(stored, .fresh)
                return
            }
            if margin == 0, stored.mayBeStale(rules) {
                if let limit = directives.maxStale, freshness.staleness <= TimeInterval(limit) {
                    self = .reuse(stored, .stale)
                    return
                }
                // One who limits the age, without a word of staleness, wants none (section 5.2.1.1).
                if directives.maxAge == nil, let seconds = stored.directives.staleWhileRevalidate,
                    freshness.staleness <= TimeInterval(seconds)
                {
                    self = .reuse(stored, .whileRevalidating)
                    return
                }
            }
        }
        let reason: CacheStatus.Forward =
            freshness.isFresh && stored.directives.noCache != .whole ? .request : .stale
        if directives.onlyIfCached {
            self = .gatewayTimeout
        } else if stored.hasValidator {
            self = .revalidate(stored, reason)
        } else {
            self = .forward(reason, stale: stored)
        }
    }
}

extension HTTPCacheEntry {
    /// Whether all that the request asks for is in it.
    fileprivate func answers(_ request: CacheRequest) -> Bool {
        // Several parts, or another unit: the whole is no good answer, and the server knows better.
        guard status == 206 else { return status != 200 || request.rangeText == nil || request.range != nil }
        guard request.conditions.allowRange(of: self) else { return false }
        if isAnswer(toRange: request.rangeText) { return true }
        guard let range = request.range, let part = storedPart, let total = part.total,
            let wanted = range.resolved(length: total)
        else { return false }
        return part.bytes.lowerBound <= wanted.lowerBound && wanted.upperBound <= part.bytes.upperBound
    }

    /// Whether it is what the server answered to the very same range.
    func isAnswer(toRange text: String?) -> Bool {
        text != nil && status == 206 && requestHeaders["Range"] == text
    }

    /// Which bytes it holds, where that is beyond doubt; nil for a whole body, and for several parts.
    var storedPart: ContentRange? {
        guard status == 206, let part = ContentRange(headers["Content-Range"]),
            !headers.contains(name: "Content-Encoding")
        else { return nil }
        let length = headers["Content-Length"].flatMap { ContentRange.position($0[...]) }
        return length ?? Int64(part.bytes.count) == Int64(part.bytes.count) ? part : nil
    }

    /// Whether the rest of the body can be added to it (RFC 9111, section 3.4).
    fileprivate var isStartOfBody: Bool {
        guard let part = storedPart, part.bytes.lowerBound == 0, let total = part.total,
            part.bytes.upperBound < total, let tag = EntityTag(headers["ETag"])
        else { return false }
        return !tag.isWeak
    }
}

extension CacheRequest {
    /// Whether the whole body is wanted, and nothing in the request stands against fetching it in two parts.
    fileprivate var mayComplete: Bool {
        rangeText == nil && !isHead && conditions.ifNoneMatch == nil && conditions.ifModifiedSince == nil
            && conditions.ifRange == nil && !directives.noCache
    }
}

/// What the cache did, for the `Cache-Status` field (RFC 9211).
struct CacheStatus: Equatable {
    /// Why a request went to the server (RFC 9211, section 2.2).
    enum Forward: String {
        /// The cache was not to take part.
        case bypass
        /// The method is not one that a cache answers.
        case method
        /// There is nothing stored for the URL.
        case uriMiss = "uri-miss"
        /// There is something, but no variant for the request.
        case varyMiss = "vary-miss"
        /// There is something, but the request wanted better: fresher, or none of it.
        case request
        /// What is stored is stale.
        case stale
        /// What is stored is not all that was asked for.
        case partial
    }

    /// Where the response comes from.
    enum Source: Equatable {
        case stored
        case forwarded(Forward)
        /// The cache itself: it was not to ask.
        case cache
    }

    var source: Source
    /// The status of the server's answer, where the caller gets another one.
    var forwardStatus: Int?
    /// For how long the response stays fresh, in seconds; negative if it is stale.
    var timeToLive: TimeInterval?
    var isStored = false
    /// What else there is to say: a token.
    var detail: String?

    init(
        _ source: Source, forwardStatus: Int? = nil, timeToLive: TimeInterval? = nil, isStored: Bool = false,
        detail: String? = nil
    ) {
        self.source = source
        self.forwardStatus = forwardStatus
        self.timeToLive = timeToLive
        self.isStored = isStored
        self.detail = detail
    }

    /// A member of the field's list, in the name of a cache.
    func text(of cache: String) -> String {
        var text = cache
        switch source {
        case .stored: text += "; hit"
        case .forwarded(let reason): text += "; fwd=\(reason.rawValue)"
        case .cache: break
        }
        if let forwardStatus { text += "; fwd-status=\(forwardStatus)" }
        if let timeToLive {
            // Within what the field may hold (RFC 9651, section 3.3.1), whatever a server's dates say.
            text += "; ttl=\(Int(Swift.max(-1e12, Swift.min(timeToLive.rounded(.down), 1e12))))"
        }
        if isStored { text += "; stored" }
        if let detail { text += "; detail=\(detail)" }
        return text
    }
}
