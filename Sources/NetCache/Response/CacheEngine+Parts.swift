import NetCore

extension CacheEngine {
    /// Fetches the rest of a body whose start is stored, and gives and stores the whole (RFC 9111, section 3.4).
    func complete(_ start: StoredResponse, for call: CacheCall) async throws -> TransportResponse {
        guard let part = start.entry.storedPart, let total = part.total,
            let tag = start.entry.headers["ETag"], let body = await body(of: start.entry, for: call.key)
        else { return try await forward(call, .uriMiss) }

        var request = call.request
        var next = call.next
        next.context[CacheConditionsKey.self] = CacheConditions(
            selectingFields: Variants.fields(of: start.entry.headers) ?? [])
        request.setValue("bytes=\(part.bytes.upperBound)-", forHTTPHeaderField: "Range")
        request.setValue(tag, forHTTPHeaderField: "If-Range")
        var arrival = await begin(call)
        var response = try await next(request)
        arrival.responseTime = call.clock.now

        guard let sent = call.sent(as: response, engine: self) else { return response }
        guard sent.key == call.key else { return try await storing(response, at: arrival, for: sent, .partial) }
        switch response.status {
        case 206:
            let rest = ContentRange(response.headers["Content-Range"])
            let isRest = rest?.bytes == part.bytes.upperBound..<total && rest?.total == total
            guard isRest, EntityTag(tag)?.text == response.headers["ETag"],
                !response.headers.contains(name: "Content-Encoding")
            else { return try await forward(call, .partial) }
            response.status = 200
            response.headers = StoredHeaders.merged(
                start.entry.headers, with: response.headers, directives: ResponseDirectives(response.headers),
                rules: rules, now: arrival.responseTime)
            response.headers.remove(name: "Content-Range")
            response.headers["Content-Length"] = "\(total)"
            response.body = body.followed(by: response.body, length: total)
            return try await storing(response, at: arrival, for: call, .partial)
        case 416:
            return try await forward(call, .partial)
        default:
            return try await storing(response, at: arrival, for: call, .partial)
        }
    }
}
