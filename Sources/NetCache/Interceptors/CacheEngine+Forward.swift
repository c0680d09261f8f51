import NetCore

extension CacheEngine {
    /// Sends the request to the server, with the question whether `stored` is still valid if `isConditional`. `stored` may also replace an error.
    func forward(
        _ call: CacheCall, _ reason: CacheStatus.Forward, stored: StoredResponse? = nil, isConditional: Bool = false
    ) async throws -> TransportResponse {
        var request = call.request.urlRequest
        var next = call.next
        var isAdded = false
        if isConditional, let stored {
            isAdded = Validation.addConditions(to: &request, for: stored.entry, besides: call.request.conditions)
            next.context[ValidationKey.self] = Variants.fields(of: stored.entry.headers) ?? []
        }
        if let directive = call.request.directives.reloadDirective, call.request.value(of: "Cache-Control") == nil {
            request.setValue(directive, forHTTPHeaderField: "Cache-Control")
        }
        var timing = await begin(call)
        let response: TransportResponse
        do {
            response = try await send(request, insteadOf: call.request.urlRequest, next)
        } catch {
            if isOutage(error), let answer = try await staleIfErrorResponse(stored, for: call, forwarded: reason) {
                return answer
            }
            throw error
        }
        timing.responseTime = call.clock.now

        // The response to another user's request says nothing about the responses stored for this one.
        guard let sent = call.sent(as: response, engine: self) else {
            return marked(response, CacheStatus(source: .forwarded(reason), detail: "owner"))
        }
        guard sent.key == call.key else {
            return call.request.isHead
                ? marked(response, CacheStatus(source: .forwarded(reason), detail: call.detail))
                : try await storing(response, at: timing, for: sent, reason)
        }

        if response.status == 304, let stored, isConditional {
            let meaning = Validation.meaning(
                of: response.headers, for: stored.entry, isAdded: isAdded, caller: call.request.conditions)
            if meaning == .stored, let answer = try await refreshed(stored, by: response, at: timing, for: call, reason)
            {
                return answer
            }
            if meaning != .caller { return try await forward(call, reason) }
        }
        // To a method other than GET and HEAD, a server answers a condition that is met with 412 (RFC 9110, section 13.1.2).
        if response.status == 412, isAdded, !call.request.isHead, call.request.urlRequest.httpMethod != "GET" {
            await drain(response.body)
            return try await forward(call, reason)
        }
        if StatusRules.isServerError(response.status),
            let answer = try await staleIfErrorResponse(stored, for: call, forwarded: reason, status: response.status)
        {
            await drain(response.body)
            return answer
        }
        if call.request.isHead {
            await updateFromHEAD(response, at: timing, for: sent)
            return marked(response, CacheStatus(source: .forwarded(reason), detail: call.detail))
        }
        return try await storing(response, at: timing, for: sent, reason)
    }

    private func marked(_ response: TransportResponse, _ status: CacheStatus) -> TransportResponse {
        var response = response
        mark(&response, status)
        return response
    }

    /// Reads an unused body, so that its connection can be reused.
    func drain(_ body: HTTPBody) async {
        // An error only costs the connection.
        _ = try? await body.prefix(upTo: 64 * 1024)
    }

    /// Fetches the rest of a body whose start is stored, and returns and stores the whole (RFC 9111, section 3.4).
    func complete(_ start: StoredResponse, for call: CacheCall) async throws -> TransportResponse {
        guard let part = start.entry.storedPart, let total = part.total,
            let tag = start.entry.headers["ETag"], let body = try? await store.body(of: start.entry, for: call.key),
            body.length == Int64(part.bytes.count)
        else { return try await forward(call, .uriMiss) }

        var request = call.request.urlRequest
        var next = call.next
        next.context[ValidationKey.self] = Variants.fields(of: start.entry.headers) ?? []
        request.setValue("bytes=\(part.bytes.upperBound)-", forHTTPHeaderField: "Range")
        request.setValue(tag, forHTTPHeaderField: "If-Range")
        var timing = await begin(call)
        var response = try await send(request, insteadOf: call.request.urlRequest, next)
        timing.responseTime = call.clock.now

        guard let sent = call.sent(as: response, engine: self) else { return response }
        guard sent.key == call.key else { return try await storing(response, at: timing, for: sent, .partial) }
        if response.status == 206 || response.status == 416 {
            let rest = ContentRange(response.headers["Content-Range"])
            guard response.status == 206, rest?.bytes == part.bytes.upperBound..<total, rest?.total == total,
                EntityTag(tag)?.text == response.headers["ETag"], !response.headers.contains(name: "Content-Encoding")
            else {
                // An unread body would keep its connection.
                response.body = .empty
                return try await forward(call, .partial)
            }
            response.status = 200
            response.headers = StoredHeaders.merged(
                start.entry.headers, with: response.headers, rules: rules, now: timing.responseTime)
            response.headers.remove(name: "Content-Range")
            response.headers["Content-Length"] = "\(total)"
            response.body = body.followed(by: response.body, length: total)
        }
        return try await storing(response, at: timing, for: call, .partial)
    }
}

// Requests that no stored response can answer.
extension CacheEngine {
    /// Sends a request with another method. If it may have changed the resource, invalidates the stored responses (RFC 9111, section 4.4).
    func pass(_ request: URLRequest, method: HTTPMethod, next: Next) async throws -> TransportResponse {
        guard !request.acceptsOnlyStored else { return gatewayTimeout(for: request, next.context.clock) }
        var response = try await send(request, next)
        var status = CacheStatus(source: .forwarded(.method))
        // The store is invalidated before the caller learns that the resource has changed.
        if !method.isSafe, (200..<400).contains(response.status), let url = request.url,
            await !invalidate(around: url, headers: response.headers, at: next.context.clock.now)
        {
            status.detail = "invalidation-failed"
            notices.reportFailedRemovals(next.context)
        }
        if !rules.followsPolicy { mark(&response, status) }
        return response
    }

    func bypass(_ request: URLRequest, next: Next, detail: String? = nil) async throws -> TransportResponse {
        guard !request.acceptsOnlyStored else {
            return gatewayTimeout(for: request, next.context.clock, detail: detail)
        }
        var response = try await send(request, next)
        // Without a policy, the cache of policies does not exist.
        if !rules.followsPolicy || next.context.cachePolicy != nil {
            mark(&response, CacheStatus(source: .forwarded(.bypass), detail: detail))
        }
        return response
    }

    func gatewayTimeout(for call: CacheCall) -> TransportResponse {
        gatewayTimeout(for: call.request.urlRequest, call.clock, detail: call.isHidden ? "hidden-credentials" : nil)
    }

    private func gatewayTimeout(
        for request: URLRequest, _ clock: any NetworkClock, detail: String? = nil
    ) -> TransportResponse {
        var response = TransportResponse.gatewayTimeout(for: request, clock: clock)
        mark(&response, CacheStatus(source: .cache, detail: detail ?? "only-if-cached"))
        return response
    }

    /// Sends a request, and notes whether interceptors behind the cache added credentials to the original without naming their owner. All requests
    /// of the cache to a server go through here.
    func send(
        _ request: URLRequest, insteadOf original: URLRequest? = nil, _ next: Next
    ) async throws -> TransportResponse {
        notices.reportFailedRemovals(next.context)
        let response = try await next(request)
        let original = original ?? request
        next.hiddenCredentials?.note(!response.unownedAdditions(to: original).isEmpty, for: original)
        return response
    }

    func invalidate(for request: URLRequest) async {
        let address = request.url.flatMap { CacheAddress($0, ignoringQueryItems: rules.ignoredQueryItems) }
        if let address { await invalidate(address.text, at: Date()) }
    }

    /// Invalidates the URL, and those in `Location` and `Content-Location` of the same origin. Returns whether the store removed everything.
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
