import NetCore

/// The engine of a ``ResponseCache`` and of a ``CachePolicyInterceptor``: decides by ``CacheDecision`` and carries out the decision.
struct CacheEngine: Sendable {
    let store: any HTTPCacheStore
    let log = InvalidationLog()
    let notices = CacheNotices()
    let rules: CacheRules
    let background = BackgroundWork()
    private let knownOwners = Locked<CacheOwners?>(nil)

    init(store: any HTTPCacheStore, rules: CacheRules) {
        self.store = store
        self.rules = rules
    }

    /// The owners of the store. Nil if its key cannot be read: nothing about an identity can be stored then. The next request tries again.
    var owners: CacheOwners? {
        if let known = knownOwners.withLock({ $0 }) { return known }
        // Outside of the lock, since the store may wait for a disk or a keychain.
        guard let new = try? CacheOwners(key: store.identityKey()) else { return nil }
        return knownOwners.withLock { known in
            known = known ?? new
            return known
        }
    }

    func respond(to request: URLRequest, next: Next) async throws -> TransportResponse {
        let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        let body = BodyKey(request, body: next.body, methodsKeyedByBody: rules.methodsKeyedByBody)
        guard method == .get || method == .head || rules.methodsKeyedByBody.contains(method) && body?.isMutation != true
        else { return try await pass(request, method: method, next: next) }
        guard takesPart(request, next.context), let body else { return try await bypass(request, next: next) }
        let text = body.text
        guard var call = CacheCall(request, body: text, next: next, engine: self) else {
            return try await respondToUnknown(request, body: text, next: next)
        }
        call.isHidden = mayHideCredentials(call)
        return try await respond(to: &call)
    }

    /// True for a ``ResponseCache``. For a cache of policies, whether the call has a ``CachePolicy`` and asks for the whole resource.
    private func takesPart(_ request: URLRequest, _ context: RequestContext) -> Bool {
        guard rules.followsPolicy else { return true }
        guard context.cachePolicy != nil, request.httpMethod != "HEAD" else { return false }
        let names = (request.allHTTPHeaderFields ?? [:]).keys
        return !names.contains { PolicyRules.excludedFields.contains($0.lowercased()) }
    }

    /// Whether interceptors behind the cache may add credentials to the request, so that a stored response may be another user's.
    private func mayHideCredentials(_ call: CacheCall) -> Bool {
        guard let hidden = call.next.hiddenCredentials, call.request.identity.name == nil, !rules.isShared else {
            return false
        }
        // A store that outlives the process may have responses from before the user signed in.
        return hidden.wereSeen(for: call.request.urlRequest)
            ?? (hidden.isSuspected && (try? store.identityKey()) != nil)
    }

    /// Sends a request whose owner is unknown. If it cannot be sent, but its owner became known meanwhile, a stored response may answer it.
    private func respondToUnknown(_ request: URLRequest, body: String?, next: Next) async throws -> TransportResponse {
        do {
            return try await bypass(request, next: next, detail: "no-credentials-yet")
        } catch {
            var next = next
            guard isOutage(error), let ready = try? await next.prepareAgain(request),
                var call = CacheCall(ready, body: body, next: next, engine: self)
            else { throw error }
            call.isOffline = true
            let answer = try await respond(to: &call)
            guard answer.status != 504 else { throw error }
            return answer
        }
    }

    /// - Parameter attempts: how often to look again if the body of a stored response is gone. Another response may have replaced it.
    private func respond(to call: inout CacheCall, attempts: Int = 4) async throws -> TransportResponse {
        call.known = call.needsLookup || call.mayStore ? await storedEntries(for: call.key) : []
        let stored = call.needsLookup ? call.known : []
        switch call.request.decision(
            for: stored, mayUse: call.mayUse && !call.isHidden, rules: rules, now: call.clock.now)
        {
        case .reuse(let response, let reuse):
            guard let answer = try await reused(response, reuse, for: call) else {
                if attempts > 1 { return try await respond(to: &call, attempts: attempts - 1) }
                return call.acceptsOnlyStored ? gatewayTimeout(for: call) : try await forward(call, .uriMiss)
            }
            return answer
        case .gatewayTimeout: return gatewayTimeout(for: call)
        case _ where call.isOffline: return gatewayTimeout(for: call)
        case .revalidate(let response, let reason):
            return try await forward(call, reason, stored: response, isConditional: true)
        case .complete(let response): return try await complete(response, for: call)
        case .forward(let reason, let stale):
            call.detail = detail(of: reason, call, stored)
            return try await forward(call, reason, stored: stale)
        }
    }

    /// Why no stored response answers, as far as that is known.
    private func detail(of reason: CacheStatus.Forward, _ call: CacheCall, _ stored: [HTTPCacheEntry]) -> String? {
        if call.isHidden { return "hidden-credentials" }
        switch reason {
        case .uriMiss: return notices.otherOwner(of: call)
        case .varyMiss: return Variants.differences(of: call.request, from: stored).joined(separator: " ")
        default: return nil
        }
    }

    /// Nil if the store has lost the body.
    private func reused(
        _ stored: StoredResponse, _ reuse: CacheDecision.Reuse, for call: CacheCall
    ) async throws -> TransportResponse? {
        let detail = reuse == .fresh ? nil : reuse.rawValue
        let status = CacheStatus(source: .stored, timeToLive: stored.freshness.timeToLive, detail: detail)
        let answer = try await answer(call, from: stored, status: status)
        if answer != nil, reuse == .whileRevalidating, !call.acceptsOnlyStored {
            revalidateInBackground(stored, for: call)
        }
        return answer
    }

    private func revalidateInBackground(_ stored: StoredResponse, for call: CacheCall) {
        guard let call = call.inBackground(for: stored, engine: self) else { return }
        // The task retains the engine, not the cache. Releasing the cache ends the task.
        background.start("\(call.key.owner) \(call.key.url) \(stored.entry.id)") { [self] in
            // An error is ignored: the next request sends its own validation.
            guard let call = await call.preparedAgain(engine: self),
                let response = try? await forward(call, .stale, stored: stored, isConditional: stored.hasValidator)
            else { return }
            await drain(response.body)
        }
    }

    /// - Parameter all: whether to list what the store would not use for an answer.
    func storedEntries(for key: HTTPCacheKey, all: Bool = false) async -> [HTTPCacheEntry] {
        let entries = all ? try? await store.allEntries(for: key) : try? await store.entries(for: key)
        return log.usable(entries ?? [], for: key.url)
    }

    func mark(_ response: inout TransportResponse, _ status: CacheStatus) {
        response.headers.append(name: "Cache-Status", value: status.text(of: rules.statusName))
    }
}

// The answers from stored responses.
extension CacheEngine {
    /// Returns a stored response, which another one may have validated, with the caller's range and conditions applied. Nil if its body is lost.
    func answer(
        _ call: CacheCall, from stored: StoredResponse, status: CacheStatus, validated: TransportResponse? = nil
    ) async throws -> TransportResponse? {
        let entry = stored.entry
        var response = validated ?? TransportResponse(status: entry.status, url: entry.responseURL)
        response.status = entry.status
        response.url = entry.responseURL ?? call.request.urlRequest.url
        response.headers = entry.headers
        if validated == nil {
            // Says whose response it is, as that of the server does.
            response.pipeline.prepared = call.next.context.pipeline.prepared
            response.headers = stored.unvalidatedHeaders
            if !rules.followsPolicy { response.headers["Age"] = String(Int(Swift.min(stored.freshness.age, 1e12))) }
        }
        mark(&response, status)

        let isKnown = entry.status == 200 && call.request.conditions.isSatisfied(by: entry)
        if isKnown {
            response.status = 304
            response.headers.remove(names: ["content-length", "content-type", "content-encoding", "content-language"])
        }
        if isKnown || call.request.isHead {
            response.body = .empty
            await store.recordUse(of: entry, for: call.key)
            return response
        }
        guard let body = try? await store.body(of: entry, for: call.key) else { return nil }
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
            // Ranges count the bytes as the server sent them, so a decoded body has none.
            guard call.request.conditions.allowRange(of: entry), !entry.headers.contains(name: "Content-Encoding"),
                entry.requestHeaders["Content-Encoding"] == nil,
                let length = response.body.length
            else { return }
            part = ContentRange(bytes: 0..<length, total: length)
        case 206:
            guard !entry.isAnswer(toRange: call.request.rangeText), let stored = entry.storedPart,
                response.body.length == nil || response.body.length == Int64(stored.bytes.count)
            else { return }
            part = stored
        default: return
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
            source: .forwarded(reason), forwardStatus: status, timeToLive: stored.freshness.remaining,
            detail: "stale-if-error")
        return try await answer(call, from: stored, status: cacheStatus)
    }
}
