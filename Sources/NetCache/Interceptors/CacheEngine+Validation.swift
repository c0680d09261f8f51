import NetCore

extension CacheEngine {
    /// Returns the stored response after a 304 (RFC 9111, section 4.3.4), or nil if the store has lost its body.
    func refreshed(
        _ stored: StoredResponse, by response: TransportResponse, at timing: ResponseTiming, for call: CacheCall,
        _ reason: CacheStatus.Forward
    ) async throws -> TransportResponse? {
        let (entry, action) = refreshedEntry(stored.entry, by: response, at: timing, for: call)
        let fresh = StoredResponse(entry, rules: rules, now: timing.responseTime)
        var isStored = false
        if action == .update { isStored = await update(entry, for: call.key, replacing: stored.entry, at: timing) }
        let status = CacheStatus(
            source: .forwarded(reason), forwardStatus: 304, timeToLive: fresh.freshness.remaining, isStored: isStored)
        let answer = try await answer(call, from: fresh, status: status, validated: response)
        // After the answer, which takes its body from the store.
        if action == .remove { await supersedeAll(for: call, with: entry) }
        return answer
    }

    /// What to do with a stored response that was validated: store the new head, leave it, or remove it since it may no longer be stored.
    private enum StoreAction {
        case update, keep, remove
    }

    private func refreshedEntry(
        _ entry: HTTPCacheEntry, by response: TransportResponse, at timing: ResponseTiming, for call: CacheCall
    ) -> (HTTPCacheEntry, StoreAction) {
        var entry = entry
        entry.headers = StoredHeaders.merged(
            entry.headers, with: response.headers, rules: rules, now: timing.responseTime)
        var fields = Variants.selectingFields(for: entry.headers, in: call.request)
        for name in ["Range", "Content-Encoding"] { fields[name] = entry.requestHeaders[name] }
        entry.requestHeaders = fields
        entry.isDated = response.headers.contains(name: "Date")
        entry.requestTime = timing.requestTime
        entry.responseTime = timing.responseTime
        entry.expireTime = call.allowsStoring ? call.expireTime : nil
        entry = entry.keepingHead
        guard call.mayStore, timing.permit.isValid, call.request.hiddenCredentials(of: response).isEmpty else {
            return (entry, .keep)
        }
        let refusal = Storability.refusal(
            status: entry.status, headers: entry.headers, directives: entry.head.directives,
            request: call.request.directives, hasCredentials: response.wasSentWithCredentials(call),
            hasExpiry: entry.expireTime != nil, rules: rules)
        let mayStay = refusal == nil && call.request.additions(of: response, among: entry.vary ?? []).isEmpty
        return (entry, mayStay ? .update : .remove)
    }

    /// Updates the stored responses to GET by a response to HEAD (RFC 9111, section 4.3.5).
    func updateFromHEAD(_ response: TransportResponse, at timing: ResponseTiming, for call: CacheCall) async {
        guard call.mayStore, [200, 404, 410].contains(response.status),
            call.request.hiddenCredentials(of: response).isEmpty
        else { return }
        // The oldest first, as everywhere: see ``remove(_:for:)``.
        for entry in await storedEntries(for: call.key, all: true).reversed()
        where entry.status == 200 && Variants.matches(entry, call.request) {
            let isSame = response.status == 200 && Validation.isSame(entry, asHead: response.headers)
            let (new, action) = refreshedEntry(entry, by: response, at: timing, for: call)
            switch isSame ? action : .remove {
            case .update: _ = await update(new, for: call.key, replacing: entry, at: timing)
            case .remove:
                await supersede(call.key.url)
                await remove([entry], for: call.key)
            case .keep: break
            }
        }
    }
}
