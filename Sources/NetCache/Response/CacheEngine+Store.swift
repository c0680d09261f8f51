import NetCore

extension CacheEngine {
    /// The response as the caller gets it, on its way into the store if it may be there.
    func storing(
        _ response: TransportResponse, at arrival: Arrival, for call: CacheCall, _ reason: CacheStatus.Forward
    ) async throws -> TransportResponse {
        var response = response
        var status = CacheStatus(.forwarded(reason))
        let directives = ResponseDirectives(response.headers)
        if let refusal = refusal(of: response, directives: directives, for: call) {
            if refusal.isOfResponse, StatusRules.supersedes(response.status) { await supersedeAll(for: call) }
            status.detail = refusal.detail
            mark(&response, status)
            if !refusal.additions.isEmpty { notices.tell(of: refusal.additions, call) }
            return response
        }
        var entry = HTTPCacheEntry(
            id: EntryID.next(at: arrival.responseTime), status: response.status,
            headers: StoredHeaders.storable(
                response.headers, directives: directives, rules: rules, now: arrival.responseTime),
            responseURL: response.url?.withoutUserInformation,
            requestHeaders: Variants.selectingFields(for: response.headers, in: call.wants),
            requestTime: arrival.requestTime, responseTime: arrival.responseTime, expireTime: call.expireTime)
        if response.status == 206 { entry.requestHeaders["Range"] = call.wants.rangeText }
        var isStored: Bool? = false
        if let recording = await record(entry, of: response, at: arrival, for: call) {
            if response.hasNoBody {
                // Nobody reads it to its end.
                _ = try await response.body.collect(upTo: 0)
                response.body = .empty
            }
            (response.body, isStored) = await RecordedBody.body(
                response.body, recording: recording, delivery: call.next.context.delivery)
        }
        if isStored != false {
            let freshness = Freshness(entry, directives: directives, rules: rules, now: arrival.responseTime)
            status.timeToLive = freshness.remaining
        }
        status.isStored = isStored == true
        // Of a stream it is not known yet.
        if isStored != true { status.detail = isStored == nil ? "storing" : "store" }
        mark(&response, status)
        return response
    }

    /// Nil if the store does not take it.
    private func record(
        _ entry: HTTPCacheEntry, of response: TransportResponse, at arrival: Arrival, for call: CacheCall
    ) async -> Recording? {
        let expected = response.announcedLength
        do {
            let length = response.hasNoBody ? 0 : response.body.length ?? expected
            if arrival.isStorable,
                let writer = try await store.beginStoring(
                    entry, for: call.key, length: length, since: arrival.generation)
            {
                return Recording(
                    writer: writer, expected: expected, wire: response.wire, permit: arrival.permit
                ) { [self] end in
                    switch end {
                    case .committed where arrival.permit.isValid: return await removeOthers(than: entry, for: call)
                    case .committed:
                        // Invalidated just then, or in a store without generations.
                        await remove(entry, for: call.key)
                        await removeKnown(for: call)
                    case .outdated: await removeKnown(for: call)
                    case .refused: await supersedeAll(for: call)
                    }
                    return false
                }
            }
        } catch {
            // As if it did not take it.
        }
        await supersedeAll(for: call)
        return nil
    }

    /// Takes out what a response that is not stored is newer than: those of the same variant.
    private func supersedeAll(for call: CacheCall) async {
        await supersede(call.key.url)
        for entry in await entries(for: call.key) where Variants.matches(entry, call.wants) {
            await remove(entry, for: call.key)
        }
    }

    /// Takes out what was stored before the request was sent. What has ended the storing of its response takes that out too, but
    /// perhaps later.
    private func removeKnown(for call: CacheCall) async {
        for entry in await entries(for: call.key)
        where call.known.contains(entry.id) && Variants.matches(entry, call.wants) {
            await remove(entry, for: call.key)
        }
    }

    /// Takes out what the new response stands in place of: those of the same variant.
    ///
    /// - Returns: whether the new one stays.
    private func removeOthers(than new: HTTPCacheEntry, for call: CacheCall) async -> Bool {
        var partCount = 0
        var stays = true
        for entry in await entries(for: call.key) where entry.id != new.id && Variants.matches(entry, call.wants) {
            if new.status == 206, entry.isSameRepresentation(as: new) {
                guard entry.status == 206 else { continue }
                // The parts of one body stand side by side, up to a number.
                partCount += 1
                let isWithin = new.storedPart.flatMap { part in entry.storedPart.map(part.contains) } ?? false
                let isSame = entry.isAnswer(toRange: new.requestHeaders["Range"])
                guard isWithin || isSame || partCount >= Self.mostParts else { continue }
            }
            // Of two that were stored at the same time each sees the other, also from two processes: both keep the same one.
            if entry.status != 206, !call.known.contains(entry.id), EntryID.isLater(entry.id, than: new.id) {
                stays = false
                continue
            }
            await remove(entry, for: call.key)
        }
        if !stays { await remove(new, for: call.key) }
        return stays
    }

    private static let mostParts = 16
}

extension CacheEngine {
    private struct Refusal {
        let detail: String
        /// Whether the response itself says that it must not be stored, and is newer than what is. One that may be another user's
        /// says nothing of what is stored for this one.
        var isOfResponse = false
        /// The fields that were added further in.
        var additions: [String] = []
    }

    private func refusal(
        of response: TransportResponse, directives: ResponseDirectives, for call: CacheCall
    ) -> Refusal? {
        guard call.mayStore else { return Refusal(detail: "policy") }
        let hidden = call.hiddenCredentials(of: response)
        guard hidden.isEmpty else { return Refusal(detail: "hidden-credentials", additions: hidden) }
        let refusal = Storability.refusal(
            status: response.status, headers: response.headers, directives: directives, request: call.wants.directives,
            hasCredentials: response.wasSentWithCredentials(call), hasExpiry: call.expireTime != nil, rules: rules)
        if let refusal { return Refusal(detail: refusal, isOfResponse: !call.wants.directives.noStore) }
        let unseen = call.additions(of: response, among: Variants.fields(of: response.headers) ?? [])
        guard unseen.isEmpty else { return Refusal(detail: "vary-unseen", isOfResponse: true, additions: unseen) }
        guard response.status != 206 || call.wants.rangeText != nil else { return Refusal(detail: "partial") }
        return nil
    }
}

extension TransportResponse {
    /// Whether it is certain that there is none.
    fileprivate var hasNoBody: Bool { status == 204 || status == 205 || body.length == 0 }

    /// The length of the body as the reader sees it, if the header says.
    fileprivate var announcedLength: Int64? {
        guard !hasNoBody, !headers.contains(name: "Transfer-Encoding"), !headers.contains(name: "Content-Encoding")
        else { return hasNoBody ? 0 : nil }
        return headers.values(for: "Content-Length").first.flatMap { ContentRange.position($0[...]) }
    }
}

extension HTTPCacheEntry {
    /// Whether both are of the same bytes, as far as their validators say.
    fileprivate func isSameRepresentation(as other: HTTPCacheEntry) -> Bool {
        switch (EntityTag(headers["ETag"]), EntityTag(other.headers["ETag"])) {
        case (let own?, let others?): own.matchesStrongly(others)
        case (nil, nil): headers["Last-Modified"] == other.headers["Last-Modified"]
        default: false
        }
    }
}

/// Names for stored responses. Never used twice, also not by another process on the same store: a body must not be taken for
/// that of a head that was read before.
enum EntryID {
    private static let process = String(UInt64.random(in: .min ... .max), radix: 36)
    private static let last = Locked(UInt64(0))

    /// - Parameter date: when the response came.
    static func next(at date: Date) -> String {
        let number = last.withLock { last in
            last += 1
            return last
        }
        let time = UInt64(Swift.max(0, Swift.min(date.timeIntervalSince1970 * 1e6, 1e18)))
        return "\(String(time, radix: 36))-\(process)-\(String(number, radix: 36))"
    }

    /// Whether the first came later. All processes find the same order, whatever their clocks say.
    static func isLater(_ id: String, than other: String) -> Bool {
        guard let one = Parts(id) else { return false }
        guard let other = Parts(other) else { return true }
        return (one.time, one.process, one.number) > (other.time, other.process, other.number)
    }

    private struct Parts {
        let time: UInt64
        let process: Substring
        let number: UInt64

        /// Nil for a name of another make, which counts as earlier.
        init?(_ id: String) {
            let parts = id.split(separator: "-")
            guard parts.count == 3, let time = UInt64(parts[0], radix: 36), let number = UInt64(parts[2], radix: 36)
            else { return nil }
            self.time = time
            self.process = parts[1]
            self.number = number
        }
    }
}
