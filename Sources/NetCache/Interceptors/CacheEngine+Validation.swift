import NetCore

extension CacheEngine {
    /// Returns the stored response after a 304 (RFC 9111, section 4.3.4), or nil if the store has lost its body.
    func refreshed(
        _ stored: StoredResponse, by response: TransportResponse, at timing: ResponseTiming, for call: CacheCall,
        _ reason: CacheStatus.Forward
    ) async throws -> TransportResponse? {
        let entry = refreshedEntry(stored.entry, by: response, at: timing, for: call)
        let fresh = StoredResponse(entry, rules: rules, now: timing.responseTime)
        let action = storeAction(of: entry, fresh.directives, by: response, at: timing, for: call)
        var isStored = false
        if action == .update {
            isStored = await update(entry, for: call.key, replacing: stored.entry, at: timing)
        }
        let status = CacheStatus(
            source: .forwarded(reason), forwardStatus: 304, timeToLive: fresh.freshness.remaining, isStored: isStored)
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
        var fields = Variants.selectingFields(for: entry.headers, in: call.request)
        for name in ["Range", "Content-Encoding"] { fields[name] = entry.requestHeaders[name] }
        entry.requestHeaders = fields
        entry.isDated = response.headers.contains(name: "Date")
        entry.requestTime = timing.requestTime
        entry.responseTime = timing.responseTime
        entry.expireTime = call.allowsStoring ? call.expireTime : nil
        return entry
    }

    private func storeAction(
        of entry: HTTPCacheEntry, _ directives: ResponseDirectives, by response: TransportResponse,
        at timing: ResponseTiming,
        for call: CacheCall
    ) -> StoreAction {
        guard call.mayStore, timing.permit.isValid, call.request.hiddenCredentials(of: response).isEmpty else {
            return .keep
        }
        let refusal = Storability.refusal(
            status: entry.status, headers: entry.headers, directives: directives, request: call.request.directives,
            hasCredentials: response.wasSentWithCredentials(call), hasExpiry: entry.expireTime != nil, rules: rules)
        let selecting = Variants.fields(of: entry.headers) ?? []
        guard refusal == nil, call.request.additions(of: response, among: selecting).isEmpty else { return .remove }
        return .update
    }

    /// Updates the stored responses to GET by a response to HEAD (RFC 9111, section 4.3.5).
    func updateFromHEAD(_ response: TransportResponse, at timing: ResponseTiming, for call: CacheCall) async {
        guard call.mayStore, call.request.hiddenCredentials(of: response).isEmpty else { return }
        // The oldest first, as everywhere: see ``remove(_:for:)``.
        for entry in await storedEntries(for: call.key, all: true).reversed()
        where entry.status == 200 && Variants.matches(entry, call.request) {
            switch response.status {
            case 200 where Validation.isSame(entry, asHead: response.headers):
                let new = refreshedEntry(entry, by: response, at: timing, for: call)
                let directives = ResponseDirectives(new.headers)
                switch storeAction(of: new, directives, by: response, at: timing, for: call) {
                case .update: _ = await update(new, for: call.key, replacing: entry, at: timing)
                case .remove:
                    await supersede(call.key.url)
                    await remove([entry], for: call.key)
                case .keep: break
                }
            case 200, 404, 410:
                await supersede(call.key.url)
                await remove([entry], for: call.key)
            default: break
            }
        }
    }
}
