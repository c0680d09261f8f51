import NetCore

/// One request on its way through the cache.
struct CacheCall: Sendable {
    var request: URLRequest
    let wants: CacheRequest
    var next: Next

    var key: HTTPCacheKey { wants.key }
    var clock: any NetworkClock { next.context.clock }
    /// What seed 000's switches say.
    var mayUse: Bool { next.context.cachePolicy?.useCache ?? true }
    var mayStore: Bool { next.context.cachePolicy?.storeCache ?? true }
    var expireTime: Date? { next.context.cachePolicy?.expireTime }

    /// Whether the store has to be asked at all.
    var needsLookup: Bool {
        mayUse && !wants.isForServer && !wants.directives.noStore && !wants.directives.isReload
    }

    /// The same request as the cache itself makes it, to have a new response: without what is the caller's own affair.
    func inBackground(rules: CacheRules) -> CacheCall? {
        var request = request
        for name in ["If-None-Match", "If-Modified-Since", "If-Range", "Range", "Cache-Control", "Pragma"] {
            request.setValue(nil, forHTTPHeaderField: name)
        }
        request.cachePolicy = .useProtocolCachePolicy
        var next = next
        next.context.deadline = nil
        next.context.progress = nil
        next.context.priority = .low
        next.context.delivery = .streamed
        guard let wants = wants.replacing(request, rules: rules) else { return nil }
        return CacheCall(request: request, wants: wants, next: next)
    }

    /// Whether the request was sent with no other credentials than those in the key. An owner who was named stands for all.
    func showsAllCredentials(of response: TransportResponse) -> Bool {
        if next.context.partition != nil { return true }
        return !response.hasJarCookies && response.sentCredentials == .some(wants.credentials)
    }

    /// Whether each field that `Vary` names was sent with the value that the cache saw: what is added further in cannot be seen when
    /// the next request comes by.
    func sees(_ fields: [String], of response: TransportResponse) -> Bool {
        guard let sent = response.request?.allHTTPHeaderFields else { return true }
        return fields.allSatisfy { wants.value(of: $0) == sent.value(of: $0) }
    }
}

extension TransportResponse {
    /// A digest of the credentials with which the request was sent, nil inside if there were none; nil if it is not known.
    fileprivate var sentCredentials: String?? {
        guard let sent = request, let url = sent.url else { return nil }
        return CacheOwner(url: url, fields: sent.allHTTPHeaderFields ?? [:], partition: nil).map(\.credentials)
    }

    /// Whether credentials went with the request, seen or unseen.
    var wasSentWithCredentials: Bool {
        guard let sentCredentials else { return hasJarCookies }
        return hasJarCookies || sentCredentials != nil
    }
}
