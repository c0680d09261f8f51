import NetCore

extension CacheEngine {
    /// Sends the request to the server, and does with the answer what belongs to it.
    ///
    /// - Parameters:
    ///   - stored: what may stand in for an error, and what is validated.
    ///   - isConditional: whether to ask if `stored` is still good.
    func forward(
        _ call: CacheCall, _ reason: CacheStatus.Forward, stored: StoredResponse? = nil, isConditional: Bool = false
    ) async throws -> TransportResponse {
        var request = call.request
        var next = call.next
        var isAdded = false
        if isConditional, let stored {
            isAdded = Validation.addConditions(to: &request, for: stored.entry, besides: call.wants.conditions)
            next.context[CacheConditionsKey.self] = CacheConditions(
                selectingFields: Variants.fields(of: stored.entry.headers) ?? [])
        }
        if let directive = call.wants.directives.forCachesOnTheWay, call.wants.value(of: "Cache-Control") == nil {
            request.setValue(directive, forHTTPHeaderField: "Cache-Control")
        }
        var arrival = await begin(call)
        var response: TransportResponse
        do {
            response = try await next(request)
        } catch {
            if networkError(in: error)?.isOutage == true,
                let answer = try await standIn(stored, for: call, forwarded: reason)
            {
                return answer
            }
            throw error
        }
        arrival.responseTime = call.clock.now

        // What another user's request was answered says nothing of what is stored for this one.
        guard let sent = call.sent(as: response, engine: self) else {
            mark(&response, CacheStatus(.forwarded(reason), detail: "owner"))
            return response
        }
        guard sent.key == call.key else {
            return call.wants.isHead
                ? marked(response, CacheStatus(.forwarded(reason)))
                : try await storing(response, at: arrival, for: sent, reason)
        }

        if response.status == 304, let stored, isConditional {
            let meaning = Validation.meaning(
                of: response.headers, for: stored.entry, isAdded: isAdded, caller: call.wants.conditions)
            switch meaning {
            case .stored:
                if let answer = try await refreshed(stored, by: response, at: arrival, for: call, reason) {
                    return answer
                }
                return try await forward(call, reason, stored: nil)
            case .unclear:
                return try await forward(call, reason, stored: nil)
            case .caller:
                break
            }
        }
        if StatusRules.isServerError(response.status),
            let answer = try await standIn(stored, for: call, forwarded: reason, status: response.status)
        {
            await drain(response.body)
            return answer
        }
        if call.wants.isHead {
            await learn(from: response, at: arrival, for: sent)
            return marked(response, CacheStatus(.forwarded(reason)))
        }
        return try await storing(response, at: arrival, for: sent, reason)
    }

    private func marked(_ response: TransportResponse, _ status: CacheStatus) -> TransportResponse {
        var response = response
        mark(&response, status)
        return response
    }

    /// The stored response after a 304 (RFC 9111, section 4.3.4); nil if the store has lost its body.
    private func refreshed(
        _ stored: StoredResponse, by response: TransportResponse, at arrival: Arrival, for call: CacheCall,
        _ reason: CacheStatus.Forward
    ) async throws -> TransportResponse? {
        let entry = refreshedEntry(stored.entry, by: response, at: arrival, for: call)
        let fresh = StoredResponse(entry, rules: rules, now: arrival.responseTime)
        let fate = fate(of: entry, fresh.directives, by: response, at: arrival, for: call)
        var isStored = false
        if fate == .stays { isStored = await update(entry, for: call.key, replacing: stored.entry, at: arrival) }
        let status = CacheStatus(
            .forwarded(reason), forwardStatus: 304, timeToLive: fresh.freshness.remaining, isStored: isStored)
        let answer = try await answer(call, from: fresh, status: status, validated: response)
        // Not before: the answer has its body from there.
        if fate == .goes {
            await supersede(call.key.url)
            await remove(entry, for: call.key)
        }
        return answer
    }

    /// What becomes of a stored response that was validated.
    private enum Fate {
        /// Its new head is stored.
        case stays
        /// It stays as it was.
        case isLeft
        /// It may not be stored any more.
        case goes
    }

    private func refreshedEntry(
        _ entry: HTTPCacheEntry, by response: TransportResponse, at arrival: Arrival, for call: CacheCall
    ) -> HTTPCacheEntry {
        var entry = entry
        entry.headers = StoredHeaders.merged(
            entry.headers, with: response.headers, directives: ResponseDirectives(response.headers), rules: rules,
            now: arrival.responseTime)
        let range = entry.requestHeaders["Range"]
        entry.requestHeaders = Variants.selectingFields(for: entry.headers, in: call.wants)
        if entry.status == 206 { entry.requestHeaders["Range"] = range }
        entry.requestTime = arrival.requestTime
        entry.responseTime = arrival.responseTime
        entry.expireTime = call.mayStore ? call.expireTime : nil
        return entry
    }

    private func fate(
        of entry: HTTPCacheEntry, _ directives: ResponseDirectives, by response: TransportResponse, at arrival: Arrival,
        for call: CacheCall
    ) -> Fate {
        guard call.mayStore, !call.wants.directives.noStore, arrival.permit.isValid,
            call.hiddenCredentials(of: response).isEmpty
        else { return .isLeft }
        let refusal = Storability.refusal(
            status: entry.status, headers: entry.headers, directives: directives, request: call.wants.directives,
            hasCredentials: response.wasSentWithCredentials(call), hasExpiry: entry.expireTime != nil, rules: rules)
        let selecting = Variants.fields(of: entry.headers) ?? []
        guard refusal == nil, call.additions(of: response, among: selecting).isEmpty else { return .goes }
        return .stays
    }

    /// What the answer to a HEAD tells of the stored response to a GET (RFC 9111, section 4.3.5).
    private func learn(from response: TransportResponse, at arrival: Arrival, for call: CacheCall) async {
        guard call.mayStore, !call.wants.directives.noStore,
            call.hiddenCredentials(of: response).isEmpty
        else { return }
        for entry in await entries(for: call.key) where entry.status == 200 && Variants.matches(entry, call.wants) {
            switch response.status {
            case 200 where Validation.isSame(entry, asHead: response.headers):
                let new = refreshedEntry(entry, by: response, at: arrival, for: call)
                let directives = ResponseDirectives(new.headers)
                switch fate(of: new, directives, by: response, at: arrival, for: call) {
                case .stays: _ = await update(new, for: call.key, replacing: entry, at: arrival)
                case .goes:
                    await supersede(call.key.url)
                    await remove(entry, for: call.key)
                case .isLeft: break
                }
            case 200, 404, 410:
                await supersede(call.key.url)
                await remove(entry, for: call.key)
            default: break
            }
        }
    }

    /// Reads a body that nobody wants, so that its connection can be used again.
    private func drain(_ body: HTTPBody) async {
        do {
            _ = try await body.prefix(upTo: 64 * 1024)
        } catch {
            // That it broke costs the connection and nothing else.
            return
        }
    }
}

/// When a response came, and whether it may still be stored.
struct Arrival: Sendable {
    let permit: StoringRegister.Permit
    /// What the store said before the request was sent; nil for a store without generations.
    var generation: HTTPCacheGeneration?
    /// Whether the store could say so.
    var isStorable = true
    let requestTime: Date
    var responseTime: Date

    init(permit: StoringRegister.Permit, requestTime: Date) {
        self.permit = permit
        self.requestTime = requestTime
        responseTime = requestTime
    }
}
