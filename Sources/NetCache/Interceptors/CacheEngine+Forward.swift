import NetCore

extension CacheEngine {
    /// Sends the request to the server, and handles the response.
    ///
    /// - Parameters:
    ///   - stored: the response to validate, or to use in place of an error.
    ///   - isConditional: whether to ask the server if `stored` is still valid.
    func forward(
        _ call: CacheCall, _ reason: CacheStatus.Forward, stored: StoredResponse? = nil, isConditional: Bool = false
    ) async throws -> TransportResponse {
        var request = call.urlRequest
        var next = call.next
        var isAdded = false
        if isConditional, let stored {
            isAdded = Validation.addConditions(to: &request, for: stored.entry, besides: call.request.conditions)
            next.context[CacheConditionsKey.self] = CacheConditions(
                selectingFields: Variants.fields(of: stored.entry.headers) ?? [])
        }
        if let directive = call.request.directives.reloadDirective, call.request.value(of: "Cache-Control") == nil {
            request.setValue(directive, forHTTPHeaderField: "Cache-Control")
        }
        var timing = await store.begin(call)
        var response: TransportResponse
        do {
            response = try await next(request)
        } catch {
            if networkError(in: error)?.isOutage == true,
                let answer = try await staleIfErrorResponse(stored, for: call, forwarded: reason)
            {
                return answer
            }
            throw error
        }
        timing.responseTime = call.clock.now

        // The response to another user's request says nothing about the responses stored for this one.
        guard let sent = call.sent(as: response, engine: self) else {
            mark(&response, CacheStatus(.forwarded(reason), detail: "owner"))
            return response
        }
        guard sent.key == call.key else {
            return call.request.isHead
                ? marked(response, CacheStatus(.forwarded(reason)))
                : try await storing(response, at: timing, for: sent, reason)
        }

        if response.status == 304, let stored, isConditional {
            let meaning = Validation.meaning(
                of: response.headers, for: stored.entry, isAdded: isAdded, caller: call.request.conditions)
            switch meaning {
            case .stored:
                if let answer = try await refreshed(stored, by: response, at: timing, for: call, reason) {
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
            let answer = try await staleIfErrorResponse(stored, for: call, forwarded: reason, status: response.status)
        {
            await drain(response.body)
            return answer
        }
        if call.request.isHead {
            await updateFromHEAD(response, at: timing, for: sent)
            return marked(response, CacheStatus(.forwarded(reason)))
        }
        return try await storing(response, at: timing, for: sent, reason)
    }

    private func marked(_ response: TransportResponse, _ status: CacheStatus) -> TransportResponse {
        var response = response
        mark(&response, status)
        return response
    }

    /// Returns the stored response after a 304 (RFC 9111, section 4.3.4), or nil if the store has lost its body.
    private func refreshed(
        _ stored: StoredResponse, by response: TransportResponse, at timing: ResponseTiming, for call: CacheCall,
        _ reason: CacheStatus.Forward
    ) async throws -> TransportResponse? {
        let entry = refreshedEntry(stored.entry, by: response, at: timing, for: call)
        let fresh = StoredResponse(entry, rules: rules, now: timing.responseTime)
        let action = storeAction(of: entry, fresh.directives, by: response, at: timing, for: call)
        var isStored = false
        if action == .update {
            isStored = await store.update(entry, for: call.key, replacing: stored.entry, at: timing)
        }
        let status = CacheStatus(
            .forwarded(reason), forwardStatus: 304, timeToLive: fresh.freshness.remaining, isStored: isStored)
        let answer = try await answer(call, from: fresh, status: status, validated: response)
        // After the answer, which takes its body from the store.
        if action == .remove { await supersedeAll(for: call, with: entry) }
        return answer
    }

    /// What to do with a stored response that was validated.
    private enum StoreAction {
        /// Store the new head.
        case update
        /// Leave the response as it is.
        case keep
        /// Remove the response, since it may no longer be stored.
        case remove
    }

    private func refreshedEntry(
        _ entry: HTTPCacheEntry, by response: TransportResponse, at timing: ResponseTiming, for call: CacheCall
    ) -> HTTPCacheEntry {
        var entry = entry
        entry.headers = StoredHeaders.merged(
            entry.headers, with: response.headers, directives: ResponseDirectives(response.headers), rules: rules,
            now: timing.responseTime)
        let range = entry.requestHeaders["Range"]
        entry.requestHeaders = Variants.selectingFields(for: entry.headers, in: call.request)
        if entry.status == 206 { entry.requestHeaders["Range"] = range }
        entry.requestTime = timing.requestTime
        entry.responseTime = timing.responseTime
        entry.expireTime = call.mayStore ? call.expireTime : nil
        return entry
    }

    private func storeAction(
        of entry: HTTPCacheEntry, _ directives: ResponseDirectives, by response: TransportResponse,
        at timing: ResponseTiming,
        for call: CacheCall
    ) -> StoreAction {
        guard call.mayStore, !call.request.directives.noStore, timing.permit.isValid,
            call.hiddenCredentials(of: response).isEmpty
        else { return .keep }
        let refusal = Storability.refusal(
            status: entry.status, headers: entry.headers, directives: directives, request: call.request.directives,
            hasCredentials: response.wasSentWithCredentials(call), hasExpiry: entry.expireTime != nil, rules: rules)
        let selecting = Variants.fields(of: entry.headers) ?? []
        guard refusal == nil, call.additions(of: response, among: selecting).isEmpty else { return .remove }
        return .update
    }

    /// Updates the stored responses to GET by a response to HEAD (RFC 9111, section 4.3.5).
    private func updateFromHEAD(_ response: TransportResponse, at timing: ResponseTiming, for call: CacheCall) async {
        guard call.mayStore, !call.request.directives.noStore,
            call.hiddenCredentials(of: response).isEmpty
        else { return }
        // The oldest first, as everywhere: see `EngineStore.remove`.
        for entry in await store.entries(for: call.key).reversed()
        where entry.status == 200 && Variants.matches(entry, call.request) {
            switch response.status {
            case 200 where Validation.isSame(entry, asHead: response.headers):
                let new = refreshedEntry(entry, by: response, at: timing, for: call)
                let directives = ResponseDirectives(new.headers)
                switch storeAction(of: new, directives, by: response, at: timing, for: call) {
                case .update: _ = await store.update(new, for: call.key, replacing: entry, at: timing)
                case .remove:
                    await store.supersede(call.key.url)
                    await store.remove([entry], for: call.key)
                case .keep: break
                }
            case 200, 404, 410:
                await store.supersede(call.key.url)
                await store.remove([entry], for: call.key)
            default: break
            }
        }
    }

    /// Reads an unused body, so that its connection can be reused.
    private func drain(_ body: HTTPBody) async {
        do {
            _ = try await body.prefix(upTo: 64 * 1024)
        } catch {
            // An error only costs the connection.
            return
        }
    }
}

extension CacheEngine {
    /// Returns the response for the caller. Reading it stores it, if it may be stored.
    func storing(
        _ response: TransportResponse, at timing: ResponseTiming, for call: CacheCall, _ reason: CacheStatus.Forward
    ) async throws -> TransportResponse {
        var response = response
        var status = CacheStatus(.forwarded(reason))
        let directives = ResponseDirectives(response.headers)
        if let refusal = refusal(of: response, directives: directives, for: call) {
            if refusal.isOfResponse, StatusRules.supersedes(response.status) { await supersedeAll(for: call) }
            status.detail = refusal.detail
            mark(&response, status)
            if !refusal.additions.isEmpty { store.notices.reportAdditions(refusal.additions, call) }
            return response
        }
        var entry = HTTPCacheEntry(
            id: EntryID.next(at: timing.responseTime), status: response.status,
            headers: StoredHeaders.storable(
                response.headers, directives: directives, rules: rules, now: timing.responseTime),
            responseURL: response.url?.withoutUserInformation,
            requestHeaders: Variants.selectingFields(for: response.headers, in: call.request),
            requestTime: timing.requestTime, responseTime: timing.responseTime, expireTime: call.expireTime)
        if response.status == 206 { entry.requestHeaders["Range"] = call.request.rangeText }
        var isStored: Bool? = false
        if let recording = await record(entry, of: response, at: timing, for: call) {
            if response.hasNoBody {
                // No reader will read the empty body to its end.
                _ = try await response.body.collect(upTo: 0)
                response.body = .empty
            }
            (response.body, isStored) = await RecordedBody.body(
                response.body, recording: recording, delivery: call.next.context.delivery)
        }
        if isStored != false {
            let freshness = Freshness(entry, rules: rules, now: timing.responseTime)
            status.timeToLive = freshness.remaining
        }
        status.isStored = isStored == true
        // For a stream the result is not known yet.
        if isStored != true { status.detail = isStored == nil ? "storing" : "store" }
        mark(&response, status)
        return response
    }

    /// Starts to store the response. Nil if the store refuses it.
    private func record(
        _ entry: HTTPCacheEntry, of response: TransportResponse, at timing: ResponseTiming, for call: CacheCall
    ) async -> Recording? {
        let expected = response.announcedLength
        do {
            let length = response.hasNoBody ? 0 : response.body.length ?? expected
            if timing.isStorable,
                let writer = try await store.base.beginStoring(
                    entry, for: call.key, length: length, since: timing.generation)
            {
                return Recording(
                    writer: writer, expected: expected, wire: response.wire, permit: timing.permit
                ) { [self] end in
                    switch end {
                    case .committed where timing.permit.isValid: return await removeOthers(than: entry, for: call)
                    case .committed:
                        // The URL was invalidated just now, perhaps in a store without generations.
                        await removeKnown(for: call)
                        await store.remove([entry], for: call.key)
                    case .outdated: await removeKnown(for: call)
                    case .refused: await supersedeAll(for: call)
                    }
                    return false
                }
            }
        } catch {
            // Treated like a refusal of the store.
        }
        await supersedeAll(for: call)
        return nil
    }

    /// Removes the stored responses of the same variant when a newer response is not stored.
    ///
    /// - Parameter validated: the newest of them, if it is known. It is removed even if the store does not list it now.
    private func supersedeAll(for call: CacheCall, with validated: HTTPCacheEntry? = nil) async {
        await store.supersede(call.key.url)
        var entries = await store.entries(for: call.key).filter { Variants.matches($0, call.request) }
        if let validated, !entries.contains(where: { $0.id == validated.id }) { entries.insert(validated, at: 0) }
        await store.remove(entries, for: call.key)
    }

    /// Removes the responses of the same variant that were stored before the request was sent. The invalidation that stopped the
    /// storing removes these too, but perhaps later.
    private func removeKnown(for call: CacheCall) async {
        let known = call.knownIDs
        let entries = await store.entries(for: call.key).filter {
            known.contains($0.id) && Variants.matches($0, call.request)
        }
        await store.remove(entries, for: call.key)
    }

    /// Removes the responses of the same variant that the new one replaces.
    ///
    /// - Returns: whether the new response stays.
    private func removeOthers(than new: HTTPCacheEntry, for call: CacheCall) async -> Bool {
        var partCount = 0
        var stays = true
        var replaced: [HTTPCacheEntry] = []
        let known = call.knownIDs
        for entry in await store.entries(for: call.key)
        where entry.id != new.id && Variants.matches(entry, call.request) {
            if new.status == 206, entry.isSameRepresentation(as: new) {
                guard entry.status == 206 else { continue }
                // Parts of one body are stored side by side, up to a number.
                partCount += 1
                let isWithin = new.storedPart.flatMap { part in entry.storedPart.map(part.contains) } ?? false
                let isSame = entry.isAnswer(toRange: new.requestHeaders["Range"])
                guard isWithin || isSame || partCount >= Self.maximumPartCount else { continue }
            }
            // Of two responses that were stored at the same time, in one process or in two, each writer sees the other one. Both
            // keep the same response.
            if entry.status != 206, !known.contains(entry.id), EntryID.isLater(entry.id, than: new.id) {
                stays = false
                continue
            }
            replaced.append(entry)
        }
        if !stays { replaced.insert(new, at: 0) }
        await store.remove(replaced, for: call.key)
        return stays
    }

    private static let maximumPartCount = 16
}

extension CacheEngine {
    private struct Refusal {
        let detail: String
        /// Whether the response itself forbids storing, and is newer than the stored ones. A response for another user says
        /// nothing about those.
        var isOfResponse = false
        /// The fields that were added behind the cache.
        var additions: [String] = []
    }

    private func refusal(
        of response: TransportResponse, directives: ResponseDirectives, for call: CacheCall
    ) -> Refusal? {
        guard call.mayStore else { return Refusal(detail: "policy") }
        let hidden = call.hiddenCredentials(of: response)
        guard hidden.isEmpty else { return Refusal(detail: "hidden-credentials", additions: hidden) }
        let refusal = Storability.refusal(
            status: response.status, headers: response.headers, directives: directives,
            request: call.request.directives,
            hasCredentials: response.wasSentWithCredentials(call), hasExpiry: call.expireTime != nil, rules: rules)
        if let refusal { return Refusal(detail: refusal, isOfResponse: !call.request.directives.noStore) }
        let unseen = call.additions(of: response, among: Variants.fields(of: response.headers) ?? [])
        guard unseen.isEmpty else { return Refusal(detail: "vary-unseen", isOfResponse: true, additions: unseen) }
        guard response.status != 206 || call.request.rangeText != nil else { return Refusal(detail: "partial") }
        return nil
    }
}
