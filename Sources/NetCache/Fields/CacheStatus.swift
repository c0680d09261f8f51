import NetCore

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
