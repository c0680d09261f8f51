// The way from what a caller wrote to a value: every front door goes through here.
extension NetworkClient {
    /// Sends what a builder describes, and decodes the body of the response.
    @concurrent
    func value<Value: Decodable & Sendable>(
        _ options: CallOptions, as type: Value.Type = Value.self, lower: @Sendable () throws -> RequestBuilder
    ) async throws(NetworkFailure) -> Value {
        let call = try prepared(options, lower: lower)
        return try await value(
            for: call.request, body: call.body, context: call.context,
            serializer: DecodableSerializer(type, decoder: decoder))
    }

    /// The request as the pipeline takes it.
    package func prepared(
        _ options: CallOptions, lower: () throws -> RequestBuilder
    ) throws(NetworkFailure) -> PreparedCall {
        do {
            var builder = try lower()
            for header in options.headers { builder.headers.add(header) }
            builder.timeout = options.timeout ?? builder.timeout ?? configuration.usualTimeout
            var request = try builder.urlRequest()
            request.cachePolicy =
                options.foundationCachePolicy ?? configuration.usualCachePolicy(besides: options.cachePolicy)
            return PreparedCall(request: request, body: builder.body, context: context(for: request, options))
        } catch {
            throw NetworkFailure(wrapping: error, request: nil, timestamp: clock.now)
        }
    }

    private func context(for request: URLRequest, _ options: CallOptions) -> RequestContext {
        var context = RequestContext(clock: clock)
        context.isLowered = true
        context.cachePolicy = options.cachePolicy
        if let isCached = options.isCached { context[CachedKey.self] = isCached }
        if options.retryCount != 0 { context[RetryCountKey.self] = options.retryCount }
        context.priority = options.priority
        if let policy = options.retryPolicy { context[RetryPolicyKey.self] = policy }
        if let validation = options.validation { context.validation = validation }
        if let seconds = options.totalTimeout { context.deadline = clock.uptime + seconds }
        if let provider = options.authenticationProvider {
            context[AuthenticationProviderKey.self] = provider
        }
        context.partition = options.partition
        return context
    }
}

/// A call that is ready to be sent.
package struct PreparedCall: Sendable {
    package var request: URLRequest
    package var body: HTTPBody?
    package var context: RequestContext
}
