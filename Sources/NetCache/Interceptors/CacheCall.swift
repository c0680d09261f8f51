import NetCore

/// One request on its way through the HTTP cache.
struct CacheCall: Sendable {
    let request: CacheRequest
    /// The text that stands in the key for the request's body.
    let body: String?
    var next: Next
    /// The responses stored under the key before the request was sent.
    var known: [HTTPCacheEntry] = []
    /// Whether interceptors behind the cache may add credentials, so that no stored response may answer.
    var isHidden = false
    /// Whether the request could not be sent.
    var isOffline = false
    /// Whether the cache itself sends the request, so that nothing but the cache reads the response.
    var isInBackground = false
    /// Why no stored response answers, for `Cache-Status`.
    var detail: String?

    /// Nil for a request without a key: the owner of the request, or the key of the store, is unknown.
    init?(_ urlRequest: URLRequest, body: String?, next: Next, engine: CacheEngine) {
        let identity = next.context.identity(of: urlRequest)
        guard !identity.isUnknown, let owners = engine.owners,
            let request = CacheRequest(
                urlRequest, identity: identity, prepared: next.context.pipeline.prepared, body: body,
                rules: engine.rules, owners: owners)
        else { return nil }
        self.request = request
        self.body = body
        self.next = next
    }

    var key: HTTPCacheKey { request.key }
    var clock: any NetworkClock { next.context.clock }
    var mayUse: Bool { next.context.cachePolicy?.useCache ?? true }
    var allowsStoring: Bool { next.context.cachePolicy?.storeCache ?? true }
    var mayStore: Bool { allowsStoring && !request.directives.noStore }
    var expireTime: Date? { next.context.cachePolicy?.expireTime }

    var acceptsOnlyStored: Bool { isOffline || request.directives.onlyIfCached }

    var needsLookup: Bool {
        mayUse && !isHidden && !request.conditions.requiresServer && !request.directives.noStore
            && !request.directives.isReload
    }

    /// The request that refreshes a response: without the caller's conditions and directives, and with its range only for a stored part.
    func inBackground(for stored: StoredResponse, engine: CacheEngine) -> CacheCall? {
        var urlRequest = request.urlRequest
        for name in ["If-None-Match", "If-Modified-Since", "If-Range", "Range", "Cache-Control", "Pragma"]
        where name != "Range" || !stored.isPartial {
            urlRequest.setValue(nil, forHTTPHeaderField: name)
        }
        urlRequest.cachePolicy = .useProtocolCachePolicy
        var next = next
        next.context.deadline = nil
        next.context.progress = nil
        next.context.priority = .low
        next.context.delivery = .streamed
        var call = copy(urlRequest, next, engine: engine)
        call?.isInBackground = true
        return call
    }

    /// Prepares the request again for a later time. Nil if the owner has changed since.
    func preparedAgain(engine: CacheEngine) async -> CacheCall? {
        guard next.context.pipeline.prepared != nil else { return self }
        var next = next
        guard let urlRequest = try? await next.prepareAgain(request.urlRequest),
            let call = copy(urlRequest, next, engine: engine), call.key == key
        else { return nil }
        return call
    }

    /// The call as it was sent: with the request that was prepared last. Nil if the owner of that request is unknown.
    func sent(as response: TransportResponse, engine: CacheEngine) -> CacheCall? {
        guard let prepared = response.pipeline.prepared, let own = next.context.pipeline.prepared, prepared !== own
        else { return self }
        var next = next
        next.context.pipeline.prepared = prepared
        return copy(prepared.request, next, engine: engine)
    }

    private func copy(_ urlRequest: URLRequest, _ next: Next, engine: CacheEngine) -> CacheCall? {
        var call = CacheCall(urlRequest, body: body, next: next, engine: engine)
        call?.known = known
        call?.detail = detail
        call?.isInBackground = isInBackground
        return call
    }
}

extension TransportResponse {
    /// Whether credentials were sent with the request.
    func wasSentWithCredentials(_ call: CacheCall) -> Bool {
        call.request.identity.hasOwner || call.request.value(of: "Cookie") != nil
            || !unownedAdditions(to: call.request.urlRequest).isEmpty
    }
}
