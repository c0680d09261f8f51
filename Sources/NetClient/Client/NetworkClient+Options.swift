// Calls with settings of their own: see `RequestOptions`.
extension NetworkClient {
    /// Applies the options of a call, and returns the pipeline that it goes through: the client's, or one of its own.
    ///
    /// - Throws: ``NetworkError/unsupported(_:)`` for an option that the client or its transport lacks.
    func pipeline(
        for request: inout URLRequest, _ context: inout RequestContext
    ) throws -> (chain: InterceptorChain, preparer: RequestPreparer) {
        guard context.hasOptions else { return (chain, preparer) }
        let options = context.options
        if let usesCookies = options.usesCookies {
            guard !usesCookies || cookies != nil else {
                throw NetworkError.unsupported(
                    "The call asks for cookies, and its client has no cookie store. Set Configuration.cookies.")
            }
            request.httpShouldHandleCookies = usesCookies
        }
        guard options.changesPipeline else { return (chain, preparer) }
        var configuration = configuration
        configuration.callInterceptors += options.callInterceptors
        configuration.interceptors += options.interceptors
        if let hooks = RequestHooks(options) { configuration.interceptors.append(hooks) }
        if let policy = options.redirectPolicy { configuration.redirectPolicy = policy }
        var resources = resources
        if let trust = options.trust {
            resources = try resources.trusting(trust)
            if trust.policy != nil {
                try context.refuseCacheUse(
                    "A call with a trust policy of its own has no cache. Leave out the cache policy.")
                context.cachePolicy = .networkOnly
            }
        }
        let pipeline = PipelineBuilder(configuration, resources)
        return (pipeline.chain(calls: calls), pipeline.preparer)
    }
}

/// The closures of ``RequestOptions`` as an interceptor.
private struct RequestHooks: RequestInterceptor {
    let onRequest: (@Sendable (inout URLRequest) async throws -> Void)?
    let onResponse: (@Sendable (TransportResponse) async throws -> Void)?

    init?(_ options: RequestOptions) {
        guard options.onRequest != nil || options.onResponse != nil else { return nil }
        onRequest = options.onRequest
        onResponse = options.onResponse
    }

    func adapt(_ request: URLRequest) async throws -> URLRequest {
        var request = request
        try await onRequest?(&request)
        return request
    }

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        let response = try await next(request)
        try await onResponse?(response)
        return response
    }
}
