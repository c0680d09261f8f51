import NetCore

/// The cache without its outside: decides by ``CacheDecision``, and does it.
struct CacheEngine: Sendable {
    let store: any HTTPCacheStore
    let rules: CacheRules
    let register = StoringRegister()
    let background = BackgroundWork()
    let owners: StoreOwners
    let notices = CacheNotices()

    init(store: any HTTPCacheStore, rules: CacheRules) {
        self.store = store
        self.rules = rules
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
        guard let call = CacheCall(request, body: body.text, next: next, engine: self) else {
            return try await bypass(request, next: next)
        }
        notices.note(call)
        notices.tellOfLostInvalidations(call.next.context)
        return try await respond(to: call)
    }

    /// - Parameter attempts: how often it looks if what was found is gone when it is read: another response may have taken its place.
    private func respond(to call: CacheCall, attempts: Int = 4) async throws -> TransportResponse {
        var call = call
        let mayStore = call.mayStore && !call.wants.directives.noStore
        let known = call.needsLookup || mayStore ? await entries(for: call.key) : []
        call.known = Set(known.map(\.id))
        let stored = call.needsLookup ? known : []
        let decision = CacheDecision(
            for: call.wants, stored: stored, mayUse: call.mayUse, rules: rules, now: call.clock.now)
        switch decision {
        case .reuse(let response, let reuse):
            guard let answer = try await reused(response, reuse, for: call) else {
                if attempts > 1 { return try await respond(to: call, attempts: attempts - 1) }
                return call.wants.directives.onlyIfCached
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

    /// A fresh response that was stored before the site set its first cookie, if that cookie tells no users apart.
    ///
    /// - Parameter stored: what is stored since then.
    private func answerFromBeforeCookies(
        _ call: CacheCall, besides stored: [HTTPCacheEntry]
    ) async throws -> TransportResponse? {
        guard call.needsLookup, !stored.contains(where: { Variants.matches($0, call.wants) }),
            let wants = call.beforeCookies(engine: self)
        else { return nil }
        let decision = CacheDecision(
            for: wants, stored: await entries(for: wants.key), mayUse: true, rules: rules, now: call.clock.now)
        guard case .reuse(let response, .fresh) = decision else { return nil }
        let status = CacheStatus(.stored, timeToLive: response.freshness.remaining)
        return try await answer(call, from: response, status: status, key: wants.key)
    }

    /// Nil if the store has lost it.
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
        if answer != nil, reuse == .whileRevalidating, !call.wants.directives.onlyIfCached {
            revalidateInBackground(stored, for: call)
        }
        return answer
    }

    private func revalidateInBackground(_ stored: StoredResponse, for call: CacheCall) {
        guard let call = call.inBackground(engine: self) else { return }
        // The engine goes along with the task, not the cache: that is released whenever it likes, and ends the task.
        background.start("\(call.key.owner) \(call.key.url) \(stored.entry.id)") { [self] in
            await revalidate(stored, for: call)
        }
    }

    /// What goes wrong is seen by the next request, which asks by itself.
    private func revalidate(_ stored: StoredResponse, for call: CacheCall) async {
        guard let call = await call.preparedAgain(engine: self) else { return }
        do {
            let response = try await forward(call, .stale, stored: stored, isConditional: stored.hasValidator)
            for try await _ in response.body {}
        } catch {
            return
        }
    }

    // MARK: Requests that no stored response answers

    /// Another method than GET and HEAD. One that may have changed the resource takes what is stored with it (RFC 9111, section 4.4).
    private func pass(_ request: URLRequest, method: HTTPMethod, next: Next) async throws -> TransportResponse {
        var response = try await next(request)
        var status = CacheStatus(.forwarded(.method))
        // The store has it before the caller learns that the resource has changed.
        if !method.isSafe, (200..<400).contains(response.status), let url = request.url,
            await !invalidate(around: url, headers: response.headers, at: next.context.clock.now)
        {
            status.detail = "invalidation-failed"
            notices.tellOfLostInvalidations(next.context)
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
        var response = TransportResponse(status: 504, headers: headers, url: call.request.url)
        mark(&response, CacheStatus(.cache, detail: "only-if-cached"))
        return response
    }

    func mark(_ response: inout TransportResponse, _ status: CacheStatus) {
        response.headers.append(name: "Cache-Status", value: status.text(of: rules.statusName))
    }
}

// MARK: - The store, whose trouble costs a hit or an entry

extension CacheEngine {
    func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry] {
        do {
            return register.usable(try await store.entries(for: key), for: key.url)
        } catch {
            return []
        }
    }

    func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async -> HTTPBody? {
        do {
            return try await store.body(of: entry, for: key)
        } catch {
            return nil
        }
    }

    /// Where the history of the URL stands, for what is stored or updated later.
    func begin(_ call: CacheCall) async -> Arrival {
        var arrival = Arrival(permit: register.begin(call.key.url), requestTime: call.clock.now)
        guard call.mayStore, !call.wants.directives.noStore else { return arrival }
        do {
            arrival.generation = try await store.generation(of: call.key.url)
        } catch {
            // What was invalidated until the response comes could not be seen.
            arrival.isStorable = false
        }
        return arrival
    }

    /// Removes a response. One that cannot be removed is not used any more.
    func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async {
        do {
            try await store.remove(entry, for: key)
        } catch {
            register.lose(entry)
            notices.noteLostInvalidation(of: key.url)
        }
    }

    /// Whether the head that was looked up has been replaced.
    func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry, at arrival: Arrival
    ) async -> Bool {
        guard arrival.isStorable else { return false }
        do {
            return try await store.update(entry, for: key, replacing: old, since: arrival.generation)
        } catch {
            return false
        }
    }

    /// Ends the storing of responses that are older than one that came now.
    func supersede(_ url: String) async {
        register.invalidate(url)
        do {
            try await store.advanceGeneration(of: url)
        } catch {
            // What this process stores is ended by the register; a store that fails takes nothing from others either.
            return
        }
    }

    /// Whether nothing of it is left in the store. What is left is not used by this process.
    @discardableResult
    func invalidate(_ url: String, at date: Date) async -> Bool {
        register.invalidate(url)
        do {
            try await store.removeAll(url: url)
            register.find(url)
            return true
        } catch {
            register.lose(url, at: date)
            notices.noteLostInvalidation(of: url)
            return false
        }
    }

    func invalidateAll(at date: Date) async {
        register.invalidateAll()
        do {
            try await store.removeAll()
        } catch {
            register.lose(nil, at: date)
            notices.noteLostInvalidation(of: nil)
        }
    }

    /// The URL, and those that the answer names, where they are of the same origin.
    ///
    /// - Returns: whether nothing is left in the store of any.
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
