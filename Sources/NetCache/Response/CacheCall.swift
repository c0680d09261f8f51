import NetCore

/// One request on its way through the cache.
struct CacheCall: Sendable {
    var request: URLRequest
    let wants: CacheRequest
    let identity: RequestIdentity
    /// What stands in the key for the request's body.
    let body: String?
    var next: Next
    /// The names of the responses that were stored under the key before the request was sent: a response to it is newer than those.
    var known: Set<String> = []

    /// Nil for a request that has no key: its owner is not known, or the key of the store.
    init?(_ request: URLRequest, body: String?, next: Next, engine: CacheEngine) {
        let identity = next.context.identity(of: request)
        guard !identity.isUnknown, let owners = engine.owners.owners(),
            let wants = CacheRequest(
                request, identity: identity, prepared: next.context.prepared, body: body, rules: engine.rules,
                owners: owners)
        else { return nil }
        self.request = request
        self.wants = wants
        self.identity = identity
        self.body = body
        self.next = next
    }

    var key: HTTPCacheKey { wants.key }
    var clock: any NetworkClock { next.context.clock }
    /// What the call's ``CachePolicy`` says.
    var mayUse: Bool { next.context.cachePolicy?.useCache ?? true }
    var mayStore: Bool { next.context.cachePolicy?.storeCache ?? true }
    var expireTime: Date? { next.context.cachePolicy?.expireTime }

    /// Whether the store has to be asked at all.
    var needsLookup: Bool {
        mayUse && !wants.isForServer && !wants.directives.noStore && !wants.directives.isReload
    }

    /// The request as it would be without the cookies that have come since: what was stored before the first of them may answer it.
    func beforeCookies(engine: CacheEngine) -> CacheRequest? {
        guard let identity = identity.beforeCookies, let owners = engine.owners.owners() else { return nil }
        return CacheRequest(
            request, identity: identity, prepared: next.context.prepared, body: body, rules: engine.rules,
            owners: owners, isWithoutCookies: true)
    }

    /// The same request as the cache itself makes it, to have a new response: without what is the caller's own affair.
    func inBackground(engine: CacheEngine) -> CacheCall? {
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
        var call = CacheCall(request, body: body, next: next, engine: engine)
        call?.known = known
        return call
    }

    /// Prepares the request again for a time at which nobody waits for it; nil if its owner is another one by now.
    func preparedAgain(engine: CacheEngine) async -> CacheCall? {
        guard next.context.prepared != nil else { return self }
        var next = next
        guard let request = try? await next.prepareAgain(request) else { return nil }
        guard var call = CacheCall(request, body: body, next: next, engine: engine), call.key == key else { return nil }
        call.known = known
        return call
    }

    /// The call as it was sent: with the request that was prepared last. Nil if its owner is not known.
    func sent(as response: TransportResponse, engine: CacheEngine) -> CacheCall? {
        guard let prepared = response.prepared, let own = next.context.prepared, prepared !== own else { return self }
        var next = next
        next.context.prepared = prepared
        var call = CacheCall(prepared.request, body: body, next: next, engine: engine)
        call?.known = known
        return call
    }

    /// See ``SelectingFields/additions(of:to:among:)``.
    func additions(of response: TransportResponse, among names: [String]) -> [String] {
        wants.selecting.additions(of: response, to: request, among: names)
    }

    /// See ``SelectingFields/hiddenCredentials(of:to:)``.
    func hiddenCredentials(of response: TransportResponse) -> [String] {
        wants.selecting.hiddenCredentials(of: response, to: request)
    }
}

extension TransportResponse {
    /// Whether credentials went with the request.
    func wasSentWithCredentials(_ call: CacheCall) -> Bool {
        call.identity.hasOwner || !unownedAdditions(to: call.request).isEmpty
    }
}
