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
            if refusal.isOfResponse, StatusRules.supersedes(response.status) {
                await removeOthers(than: nil, for: call)
            }
            status.detail = refusal.detail
            mark(&response, status)
            if !refusal.additions.isEmpty { notices.tell(of: refusal.additions, call) }
            return response
        }
        var entry = HTTPCacheEntry(
            id: EntryID.next(), status: response.status,
            headers: StoredHeaders.storable(
                response.headers, directives: directives, rules: rules, now: arrival.responseTime),
            responseURL: response.url, requestHeaders: Variants.selectingFields(for: response.headers, in: call.wants),
            requestTime: arrival.requestTime, responseTime: arrival.responseTime, expireTime: call.expireTime)
        if response.status == 206 { entry.requestHeaders["Range"] = call.wants.rangeText }
        if let recording = await record(entry, of: response, at: arrival, for: call) {
            let freshness = Freshness(entry, directives: directives, rules: rules, now: arrival.responseTime)
            status.timeToLive = freshness.remaining
            status.isStored = true
            if response.hasNoBody {
                // Nobody reads it to its end.
                _ = try await response.body.collect(upTo: 0)
                response.body = .empty
            }
            response.body = await RecordedBody.body(response.body, recording: recording)
        } else {
            status.detail = "store"
        }
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
            guard let writer = try await store.beginStoring(entry, for: call.key, length: length) else { return nil }
            return Recording(writer: writer, expected: expected, permit: arrival.permit) { [self] in
                guard arrival.permit.isValid else { return await remove(entry, for: call.key) }
                await removeOthers(than: entry, for: call)
            }
        } catch {
            return nil
        }
    }

    /// Takes out what the new response stands in place of: those of the same variant.
    ///
    /// - Parameter new: what was stored; nil if it was not, but is newer all the same.
    private func removeOthers(than new: HTTPCacheEntry?, for call: CacheCall) async {
        var partCount = 0
        for entry in await entries(for: call.key) where entry.id != new?.id && Variants.matches(entry, call.wants) {
            if let new, new.status == 206, entry.isSameRepresentation(as: new) {
                guard entry.status == 206 else { continue }
                // The parts of one body stand side by side, up to a number.
                partCount += 1
                let isWithin = new.storedPart.flatMap { part in entry.storedPart.map(part.contains) } ?? false
                let isSame = entry.isAnswer(toRange: new.requestHeaders["Range"])
                guard isWithin || isSame || partCount >= Self.mostParts else { continue }
            }
            // Of two that are stored at the same time each sees the other: the later one stays.
            if let new, entry.status != 206, EntryID.isLater(entry.id, than: new.id) {
                return await remove(new, for: call.key)
            }
            await remove(entry, for: call.key)
        }
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
private enum EntryID {
    private static let process = String(UInt64.random(in: .min ... .max), radix: 36)
    private static let last = Locked(UInt64(0))

    static func next() -> String {
        let number = last.withLock { last in
            last += 1
            return last
        }
        return "\(process)-\(String(number, radix: 36))"
    }

    /// Whether the first was made later, in this process. Of other processes that cannot be known.
    static func isLater(_ id: String, than other: String) -> Bool {
        guard let number = number(in: id), let otherNumber = self.number(in: other) else { return false }
        return number > otherNumber
    }

    private static func number(in id: String) -> UInt64? {
        guard id.hasPrefix(process), let hyphen = id.lastIndex(of: "-") else { return nil }
        return UInt64(id[id.index(after: hyphen)...], radix: 36)
    }
}
