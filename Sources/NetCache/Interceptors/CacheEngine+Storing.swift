import NetCore

extension CacheEngine {
    /// Returns the response for the caller. Reading it stores it, if it may be stored.
    func storing(
        _ response: TransportResponse, at timing: ResponseTiming, for call: CacheCall, _ reason: CacheStatus.Forward
    ) async throws -> TransportResponse {
        var response = response
        var status = CacheStatus(source: .forwarded(reason), detail: call.detail)
        let directives = ResponseDirectives(response.headers)
        if let refusal = refusal(of: response, directives: directives, for: call) {
            if refusal.isOfResponse, StatusRules.supersedes(response.status) { await supersedeAll(for: call) }
            status.add(detail: refusal.detail)
            mark(&response, status)
            if !refusal.additions.isEmpty { notices.reportAdditions(refusal.additions, call) }
            return response
        }
        var headers = StoredHeaders.storable(
            response.headers, directives: directives, rules: rules, now: timing.responseTime)
        if rules.followsPolicy { headers = PolicyRules.storable(headers, call.request) }
        let isPlain = rules.followsPolicy && headers["Vary"] == nil
        var entry = HTTPCacheEntry(
            id: isPlain ? BodyStore.plainID : EntryID.next(at: timing.responseTime), status: response.status,
            headers: headers, responseURL: response.url?.withoutUserInformation,
            requestHeaders: Variants.selectingFields(for: headers, in: call.request),
            requestTime: timing.requestTime, responseTime: timing.responseTime, expireTime: call.expireTime)
        if response.status == 206 { entry.requestHeaders["Range"] = call.request.rangeText }
        if let wire = response.wire { entry.requestHeaders["Content-Encoding"] = wire.contentEncoding }
        entry.isDated = response.headers.contains(name: "Date")
        var isStored: Bool? = false
        if let recording = await record(entry, of: response, at: timing, for: call) {
            if response.hasNoBody {
                // No reader will read the empty body to its end.
                _ = try await response.body.collect(upTo: 0)
                response.body = .empty
            }
            (response.body, isStored) = await recording.record(response.body, delivery: call.next.context.delivery)
            if call.isInBackground, isStored == nil { for try await _ in response.body {} }
        }
        if isStored != false {
            let freshness = Freshness(entry, rules: rules, now: timing.responseTime)
            status.timeToLive = freshness.timeToLive
            notices.noteStored(call)
        }
        status.isStored = isStored == true
        // For a stream the result is not known yet.
        if isStored != true { status.add(detail: isStored == nil ? "storing" : "store") }
        mark(&response, status)
        return response
    }

    /// Starts to store the response. Nil if the store refuses it.
    private func record(
        _ entry: HTTPCacheEntry, of response: TransportResponse, at timing: ResponseTiming, for call: CacheCall
    ) async -> Recording? {
        let expected = response.announcedLength
        let length = response.hasNoBody ? 0 : response.body.length ?? expected
        // An error of the store is treated like a refusal.
        guard timing.isStorable,
            let writer = try? await store.beginStoring(entry, for: call.key, length: length, since: timing.generation)
        else {
            await supersedeAll(for: call)
            return nil
        }
        return Recording(writer: writer, expected: expected, wire: response.wire, permit: timing.permit) { [self] end in
            switch end {
            case .committed where timing.permit.isValid: return await removeOthers(than: entry, for: call)
            case .committed:
                // The URL was invalidated just now, perhaps in a store without generations.
                await removeKnown(for: call)
                await remove([entry], for: call.key)
            case .outdated: await removeKnown(for: call)
            case .refused: await supersedeAll(for: call)
            }
            return false
        }
    }

    /// Removes the stored responses of the same variant when a newer one is not stored: also the validated one, if the store does not list it now.
    func supersedeAll(for call: CacheCall, with validated: HTTPCacheEntry? = nil) async {
        await supersede(call.key.url)
        var entries = await storedEntries(for: call.key, all: true).filter { Variants.matches($0, call.request) }
        if let validated, !entries.contains(where: { $0.id == validated.id }) { entries.insert(validated, at: 0) }
        await remove(entries, for: call.key)
    }

    /// Removes the responses of the variant that were stored before the request was sent. The invalidation that stopped the storing may come later.
    private func removeKnown(for call: CacheCall) async {
        let known = Set(call.known.map(\.id))
        let entries = await storedEntries(for: call.key, all: true).filter {
            known.contains($0.id) && Variants.matches($0, call.request)
        }
        await remove(entries, for: call.key)
    }

    /// Removes the responses of the same variant that the new one replaces, or the new one if another is newer. Returns whether the new one stays.
    private func removeOthers(than new: HTTPCacheEntry, for call: CacheCall) async -> Bool {
        var partCount = 0
        var variantCount = 1
        var stays = true
        var replaced: [HTTPCacheEntry] = []
        for entry in await storedEntries(for: call.key, all: true) where entry.id != new.id {
            guard Variants.matches(entry, call.request) else {
                variantCount += 1
                if variantCount > HTTPCacheKey.variantLimit { replaced.append(entry) }
                continue
            }
            if new.status == 206, entry.isSameRepresentation(as: new) {
                guard entry.status == 206 else { continue }
                // Parts of one body are stored side by side, up to a number.
                partCount += 1
                let isWithin = new.storedPart.flatMap { part in entry.storedPart.map(part.contains) } ?? false
                let isSame = entry.isAnswer(toRange: new.requestHeaders["Range"])
                guard isWithin || isSame || partCount >= Self.maximumPartCount else { continue }
            }
            // Of two responses that are stored at the same time, even by two processes, each writer sees the other one. Both keep the same.
            if entry.status != 206, entry.isNewer(than: new) {
                stays = false
                continue
            }
            replaced.append(entry)
        }
        if !stays { replaced.append(new) }
        await remove(replaced, for: call.key)
        return stays
    }

    private static let maximumPartCount = 16

    private struct Refusal {
        let detail: String
        /// Whether the response itself forbids storing, and is newer than the stored ones. A response for another user says nothing about those.
        var isOfResponse = false
        /// The fields that were added behind the cache.
        var additions: [String] = []
    }

    private func refusal(
        of response: TransportResponse, directives: ResponseDirectives, for call: CacheCall
    ) -> Refusal? {
        guard call.allowsStoring else { return Refusal(detail: "policy") }
        let status = response.status
        let isAccepted = response.pipeline.acceptedStatusCodes.map { ResponseValidation.accepts(status, among: $0) }
        guard isAccepted != false || (300..<400).contains(status) else { return Refusal(detail: "status") }
        if rules.followsPolicy, let reason = PolicyRules.refusal(of: response, delivery: call.next.context.delivery) {
            return Refusal(detail: reason)
        }
        let hidden = call.request.hiddenCredentials(of: response)
        guard hidden.isEmpty else { return Refusal(detail: "hidden-credentials", additions: hidden) }
        let refusal = Storability.refusal(
            status: status, headers: response.headers, directives: directives, request: call.request.directives,
            hasCredentials: response.wasSentWithCredentials(call), hasExpiry: call.expireTime != nil, rules: rules)
        if let refusal { return Refusal(detail: refusal, isOfResponse: !call.request.directives.noStore) }
        // A temporary refusal would take the place of a response that may answer in its stead.
        if !StatusRules.supersedes(status), status != 206,
            call.known.contains(where: { StatusRules.supersedes($0.status) && Variants.matches($0, call.request) })
        {
            return Refusal(detail: "status")
        }
        let unseen = call.request.additions(of: response, among: Variants.fields(of: response.headers) ?? [])
        guard unseen.isEmpty else { return Refusal(detail: "vary-unseen", isOfResponse: true, additions: unseen) }
        return status == 206 && call.request.rangeText == nil ? Refusal(detail: "partial") : nil
    }
}
