import NetCore

/// The engine of a ``ResponseCache``: decides by ``CacheDecision`` and carries out the decision.
struct CacheEngine: Sendable {
    let store: EngineStore
    let rules: CacheRules
    let background = BackgroundWork()
    let owners: StoreOwners
    /// The name of the cache in `Cache-Status`.
    private let statusName: String

    init(store: any HTTPCacheStore, rules: CacheRules) {
        self.store = EngineStore(base: store)
        self.rules = rules
        statusName = rules.statusName
        owners = StoreOwners { try store.identityKey() }
    }

    func respond(to request: URLRequest, next: Next) async throws -> TransportResponse {
        let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        guard method == .get || method == .head || rules.methodsKeyedByBody.contains(method) else {
            return try await pass(request, method: method, next: next)
        }
        guard let body = BodyKey(request, body: next.body, methodsKeyedByBody: rules.methodsKeyedByBody) else {
            return try await bypass(request, next: next)
        }
        guard var call = CacheCall(request, body: body.text, next: next, engine: self) else {
            return try await bypass(request, next: next)
        }
        store.notices.note(call)
        store.notices.reportFailedRemovals(call.next.context)
        return try await respond(to: &call)
    }

    /// - Parameter attempts: how often to look again if the body of a stored response is gone. Another response may have replaced
    ///   it.
    private func respond(to call: inout CacheCall, attempts: Int = 4) async throws -> TransportResponse {
        let mayStore = call.mayStore && !call.request.directives.noStore
        call.known = call.needsLookup || mayStore ? await store.entries(for: call.key) : []
        let stored = call.needsLookup ? call.known : []
        let decision = CacheDecision(
            for: call.request, stored: stored, mayUse: call.mayUse, rules: rules, now: call.clock.now)
        switch decision {
        case .reuse(let response, let reuse):
            guard let answer = try await reused(response, reuse, for: call) else {
                if attempts > 1 { return try await respond(to: &call, attempts: attempts - 1) }
                return call.request.directives.onlyIfCached
                    ? gatewayTimeout(for: call) : try await forward(call, .uriMiss)
            }
            return answer
        case .revalidate(let response, let reason):
            return try await forward(call, reason, stored: response, isConditional: true)
        case .complete(let response):
            return try await complete(response, for: call)
        case .forward(let reason, let stale):
            if let answer = try await answerFromBeforeCookies(call, besides: stored) { return answer }
            return try await forward(call, reason, stored: stale)
        case .gatewayTimeout:
            if let answer = try await answerFromBeforeCookies(call, besides: stored) { return answer }
            return gatewayTimeout(for: call)
        }
    }

    /// Returns a fresh response that was stored before the site set its first cookie, if the cookie does not identify a user.
    ///
    /// - Parameter stored: the responses stored since then.
    private func answerFromBeforeCookies(
        _ call: CacheCall, besides stored: [HTTPCacheEntry]
    ) async throws -> TransportResponse? {
        guard call.needsLookup, !stored.contains(where: { Variants.matches($0, call.request) }),
            let earlier = call.beforeCookies(engine: self)
        else { return nil }
        let decision = CacheDecision(
            for: earlier, stored: await store.entries(for: earlier.key), mayUse: true, rules: rules, now: call.clock.now
        )
        guard case .reuse(let response, .fresh) = decision else { return nil }
        let status = CacheStatus(.stored, timeToLive: response.freshness.remaining)
        return try await answer(call, from: response, status: status, key: earlier.key)
    }

    /// Nil if the store has lost the body.
    private func reused(
        _ stored: StoredResponse, _ reuse: CacheDecision.Reuse, for call: CacheCall
    ) async throws -> TransportResponse? {
        let detail: String? =
            switch reuse {
            case .fresh: nil
            case .stale: "max-stale"
            case .whileRevalidating: "stale-while-revalidate"
            }
        let status = CacheStatus(.stored, timeToLive: stored.freshness.remaining, detail: detail)
        let answer = try await answer(call, from: stored, status: status)
        if answer != nil, reuse == .whileRevalidating, !call.request.directives.onlyIfCached {
            revalidateInBackground(stored, for: call)
        }
        return answer
    }

    private func revalidateInBackground(_ stored: StoredResponse, for call: CacheCall) {
        guard let call = call.inBackground(engine: self) else { return }
        // The task retains the engine, not the cache. Releasing the cache ends the task.
        background.start("\(call.key.owner) \(call.key.url) \(stored.entry.id)") { [self] in
            await revalidate(stored, for: call)
        }
    }

    /// Ignores errors. The next request sends its own validation.
    private func revalidate(_ stored: StoredResponse, for call: CacheCall) async {
        guard let call = await call.preparedAgain(engine: self) else { return }
        do {
            let response = try await forward(call, .stale, stored: stored, isConditional: stored.hasValidator)
            for try await _ in response.body {}
        } catch {
            return
        }
    }

    // MARK: Requests without a stored response

    /// Sends a request with a method other than GET and HEAD. A request that may have changed the resource invalidates the stored
    /// responses (RFC 9111, section 4.4).
    private func pass(_ request: URLRequest, method: HTTPMethod, next: Next) async throws -> TransportResponse {
        var response = try await next(request)
        var status = CacheStatus(.forwarded(.method))
        // The store is invalidated before the caller learns that the resource has changed.
        if !method.isSafe, (200..<400).contains(response.status), let url = request.url,
            await !invalidate(around: url, headers: response.headers, at: next.context.clock.now)
        {
            status.detail = "invalidation-failed"
            store.notices.reportFailedRemovals(next.context)
        }
        mark(&response, status)
        return response
    }

    private func bypass(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var response = try await next(request)
        mark(&response, CacheStatus(.forwarded(.bypass)))
        return response
    }

    private func gatewayTimeout(for call: CacheCall) -> TransportResponse {
        let headers: HTTPHeaders = ["Content-Length": "0", "Date": HTTPDate.string(from: call.clock.now)]
        var response = TransportResponse(status: 504, headers: headers, url: call.urlRequest.url)
        mark(&response, CacheStatus(.cache, detail: "only-if-cached"))
        return response
    }

    func mark(_ response: inout TransportResponse, _ status: CacheStatus) {
        response.headers.append(name: "Cache-Status", value: status.text(of: statusName))
    }
}

extension CacheEngine {
    /// Invalidates the URL, and the URLs in `Location` and `Content-Location` if they have the same origin.
    ///
    /// - Returns: whether the store removed everything.
    private func invalidate(around url: URL, headers: HTTPHeaders, at date: Date) async -> Bool {
        let others = ["Location", "Content-Location"].compactMap { name in
            headers[name].flatMap { URL(string: $0, relativeTo: url)?.absoluteURL }
        }
        let addresses = ([url] + others.filter { $0.origin == url.origin }).compactMap {
            CacheAddress($0, ignoringQueryItems: rules.ignoredQueryItems)?.text
        }
        var isDone = true
        for address in Set(addresses) where await !store.invalidate(address, at: date) { isDone = false }
        return isDone
    }
}

extension CacheEngine {
    /// Returns a stored response as the caller gets it, with the range and conditions of the request applied.
    ///
    /// - Parameter validated: the response that validated the stored one; nil if the server was not asked.
    /// - Returns: nil if the store has lost the body.
    func answer(
        _ call: CacheCall, from stored: StoredResponse, status: CacheStatus, validated: TransportResponse? = nil,
        key: HTTPCacheKey? = nil
    ) async throws -> TransportResponse? {
        let entry = stored.entry
        var response = validated ?? TransportResponse(status: entry.status, url: entry.responseURL)
        response.status = entry.status
        response.url = entry.responseURL ?? call.urlRequest.url
        if validated != nil {
            response.headers = entry.headers
        } else {
            response.headers = StoredHeaders.unvalidated(entry.headers, directives: stored.directives)
            response.headers["Age"] = String(Int(Swift.min(stored.freshness.age, 1e12)))
        }
        mark(&response, status)

        if entry.status == 200, call.request.conditions.isSatisfied(by: entry) {
            response.status = 304
            response.body = .empty
            for name in ["Content-Length", "Content-Type", "Content-Encoding", "Content-Language"] {
                response.headers.remove(name: name)
            }
            await store.base.recordUse(of: entry, for: key ?? call.key)
            return response
        }
        if call.request.isHead {
            response.body = .empty
            await store.base.recordUse(of: entry, for: key ?? call.key)
            return response
        }
        guard let body = await store.body(of: entry, for: key ?? call.key) else { return nil }
        response.body = body
        if let range = call.request.range { applyRange(&response, to: range, of: entry, for: call) }
        return response
    }

    /// Turns the response into a 206, or a 416, if the caller asked for a part (RFC 9110, section 15.3.7).
    private func applyRange(
        _ response: inout TransportResponse, to range: ByteRange, of entry: HTTPCacheEntry, for call: CacheCall
    ) {
        let part: ContentRange
        switch entry.status {
        case 200:
            // Ranges count the bytes as the server sent them, but stored bodies are decoded.
            guard call.request.conditions.allowRange(of: entry), !entry.headers.contains(name: "Content-Encoding"),
                let length = response.body.length
            else { return }
            part = ContentRange(bytes: 0..<length, total: length)
        case 206:
            guard !entry.isAnswer(toRange: call.request.rangeText), let stored = entry.storedPart,
                response.body.length == nil || response.body.length == Int64(stored.bytes.count)
            else { return }
            part = stored
        default:
            return
        }
        guard let total = part.total else { return }
        guard let wanted = range.resolved(length: total) else {
            response.status = 416
            response.headers["Content-Range"] = "bytes */\(total)"
            response.headers["Content-Length"] = "0"
            response.body = .empty
            return
        }
        let start = wanted.lowerBound - part.bytes.lowerBound
        response.status = 206
        response.body = response.body.part(start..<(start + Int64(wanted.count)))
        response.headers["Content-Range"] = ContentRange(bytes: wanted, total: total).text
        response.headers["Content-Length"] = "\(wanted.count)"
    }

    /// Returns a stale response in place of an error, if that is allowed (RFC 5861, section 4).
    func staleIfErrorResponse(
        _ stored: StoredResponse?, for call: CacheCall, forwarded reason: CacheStatus.Forward, status: Int? = nil
    ) async throws -> TransportResponse? {
        guard let stored, !call.request.directives.noCache, stored.mayBeStale(rules) else { return nil }
        let limits = [call.request.directives.staleIfError, stored.directives.staleIfError].compactMap { $0 }
        let limit = Swift.max(limits.max().map(TimeInterval.init) ?? rules.staleIfError, 0)
        guard limit > 0, stored.freshness.staleness <= limit else { return nil }
        let cacheStatus = CacheStatus(
            .forwarded(reason), forwardStatus: status, timeToLive: stored.freshness.remaining, detail: "stale-if-error")
        return try await answer(call, from: stored, status: cacheStatus)
    }
}

extension CacheEngine {
    /// Fetches the rest of a body whose start is stored, and returns and stores the whole (RFC 9111, section 3.4).
    func complete(_ start: StoredResponse, for call: CacheCall) async throws -> TransportResponse {
        guard let part = start.entry.storedPart, let total = part.total,
            let tag = start.entry.headers["ETag"], let body = await store.body(of: start.entry, for: call.key)
        else { return try await forward(call, .uriMiss) }

        var request = call.urlRequest
        var next = call.next
        next.context[CacheConditionsKey.self] = CacheConditions(
            selectingFields: Variants.fields(of: start.entry.headers) ?? [])
        request.setValue("bytes=\(part.bytes.upperBound)-", forHTTPHeaderField: "Range")
        request.setValue(tag, forHTTPHeaderField: "If-Range")
        var timing = await store.begin(call)
        var response = try await next(request)
        timing.responseTime = call.clock.now

        guard let sent = call.sent(as: response, engine: self) else { return response }
        guard sent.key == call.key else { return try await storing(response, at: timing, for: sent, .partial) }
        switch response.status {
        case 206:
            let rest = ContentRange(response.headers["Content-Range"])
            let isRest = rest?.bytes == part.bytes.upperBound..<total && rest?.total == total
            guard isRest, EntityTag(tag)?.text == response.headers["ETag"],
                !response.headers.contains(name: "Content-Encoding")
            else { return try await forward(call, .partial) }
            response.status = 200
            response.headers = StoredHeaders.merged(
                start.entry.headers, with: response.headers, directives: ResponseDirectives(response.headers),
                rules: rules, now: timing.responseTime)
            response.headers.remove(name: "Content-Range")
            response.headers["Content-Length"] = "\(total)"
            response.body = body.followed(by: response.body, length: total)
            return try await storing(response, at: timing, for: call, .partial)
        case 416:
            return try await forward(call, .partial)
        default:
            return try await storing(response, at: timing, for: call, .partial)
        }
    }
}
