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
        notices.reportFailedRemovals(next.context)
        call.isHidden = mayHideCredentials(call)
        return try await respond(to: &call)
    }

    /// Whether a ``CachePolicy`` allows what the engine does, and the request asks for the whole resource, if such a policy decides.
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

    // MARK: Requests without a stored response

    /// Sends a request with another method. If it may have changed the resource, invalidates the stored responses (RFC 9111, section 4.4).
    private func pass(_ request: URLRequest, method: HTTPMethod, next: Next) async throws -> TransportResponse {
        guard !request.acceptsOnlyStored else { return gatewayTimeout(for: request, next.context.clock) }
        var response = try await send(request, next)
        var status = CacheStatus(source: .forwarded(.method))
        // The store is invalidated before the caller learns that the resource has changed.
        if !method.isSafe, (200..<400).contains(response.status), let url = request.url,
            await !invalidate(around: url, headers: response.headers, at: next.context.clock.now)
        {
            status.detail = "invalidation-failed"
            notices.reportFailedRemovals(next.context)
        }
        if !rules.followsPolicy { mark(&response, status) }
        return response
    }

    private func bypass(_ request: URLRequest, next: Next, detail: String? = nil) async throws -> TransportResponse {
        guard !request.acceptsOnlyStored else {
            return gatewayTimeout(for: request, next.context.clock, detail: detail)
        }
        var response = try await send(request, next)
        // Without a policy, the cache of policies does not exist.
        if !rules.followsPolicy || next.context.cachePolicy != nil {
            mark(&response, CacheStatus(source: .forwarded(.bypass), detail: detail))
        }
        return response
    }

    private func gatewayTimeout(for call: CacheCall) -> TransportResponse {
        gatewayTimeout(for: call.request.urlRequest, call.clock, detail: call.isHidden ? "hidden-credentials" : nil)
    }

    private func gatewayTimeout(
        for request: URLRequest, _ clock: any NetworkClock, detail: String? = nil
    ) -> TransportResponse {
        var response = TransportResponse.gatewayTimeout(for: request, clock: clock)
        mark(&response, CacheStatus(source: .cache, detail: detail ?? "only-if-cached"))
        return response
    }

    /// Sends a request, and notes whether interceptors behind the cache added credentials to the original without naming their owner.
    func send(
        _ request: URLRequest, insteadOf original: URLRequest? = nil, _ next: Next
    ) async throws -> TransportResponse {
        let response = try await next(request)
        let original = original ?? request
        next.hiddenCredentials?.note(!response.unownedAdditions(to: original).isEmpty, for: original)
        return response
    }

    func mark(_ response: inout TransportResponse, _ status: CacheStatus) {
        response.headers.append(name: "Cache-Status", value: status.text(of: rules.statusName))
    }
}

extension CacheEngine {
    func invalidate(for request: URLRequest) async {
        let address = request.url.flatMap { CacheAddress($0, ignoringQueryItems: rules.ignoredQueryItems) }
        if let address { await invalidate(address.text, at: Date()) }
    }

    /// Invalidates the URL, and those in `Location` and `Content-Location` of the same origin. Returns whether the store removed everything.
    private func invalidate(around url: URL, headers: HTTPHeaders, at date: Date) async -> Bool {
        let others = ["Location", "Content-Location"].compactMap { name in
            headers[name].flatMap { URL(string: $0, relativeTo: url)?.absoluteURL }
        }
        let addresses = ([url] + others.filter { $0.origin == url.origin }).compactMap {
            CacheAddress($0, ignoringQueryItems: rules.ignoredQueryItems)?.text
        }
        var isDone = true
        for address in Set(addresses) where await !invalidate(address, at: date) { isDone = false }
        return isDone
    }
}
