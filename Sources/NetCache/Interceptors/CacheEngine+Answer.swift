import NetCore

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
            response.headers = StoredHeaders.unvalidated(entry.headers, directives: stored.directives)
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
