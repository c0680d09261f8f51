import NetCore

/// Completes the request of a hop before the cache sees it.
struct PreparationInterceptor: HTTPInterceptor {
    let preparer: RequestPreparer

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var next = next
        next.context.resolveCredentials()
        let prepared = await preparer.prepare(request, body: next.body, context: next.context, isSending: false)
        next.context.prepared = prepared
        next.body = prepared.body
        return try await next(prepared.request)
    }
}

/// Prepares a request again that has waited for a limit while its credentials were replaced.
struct CurrentCredentials: HTTPInterceptor {
    let preparer: RequestPreparer

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard let prepared = next.context.prepared, !preparer.isCurrent(prepared, next.context) else {
            return try await next(request)
        }
        var next = next
        // Two steps: a call takes its copy of `next` before it looks at its arguments.
        let ready = try await next.prepareAgain(request)
        return try await next(ready)
    }
}

/// Takes the cookies out of each response that comes from the network, by the URL that was really asked (RFC 6265, section 5.3).
struct CookieReceiver: HTTPInterceptor {
    let store: CookieStore

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        let response = try await next(request)
        if let url = request.url, request.httpShouldHandleCookies {
            store.receive(response.headers, from: url, method: HTTPMethod(rawValue: request.httpMethod ?? "GET"))
        }
        return response
    }
}
