// The way from what a caller wrote to a value: every front door goes through here.
//
// Sending never runs on the caller's actor. What is `Decodable` and `Sendable` is made off it as well, body and answer. An answer that is
// only known as `Decodable` may belong to the caller's actor: then its body and its answer are encoded and decoded there, and so is the body
// of a call without an answer, of which nothing is known.
extension NetworkClient {
    /// Sends what a builder describes, and decodes the body of the response off the caller's actor.
    @concurrent
    func value<Value: Decodable & Sendable>(
        _ options: CallOptions, as type: Value.Type = Value.self, lower: @Sendable () throws -> RequestBuilder
    ) async throws(NetworkFailure) -> Value {
        let call = try await prepared(options, anywhere: lower)
        return try await value(
            for: call.request, body: call.body, context: call.context,
            serializer: DecodableSerializer(type, decoder: decoder))
    }

    /// Sends what a builder describes, and decodes the body of the response on the caller's actor.
    nonisolated(nonsending) func value<Value: Decodable>(
        _ options: CallOptions, as type: Value.Type = Value.self, lower: () throws -> RequestBuilder
    ) async throws(NetworkFailure) -> Value {
        let call = try prepared(options, lower: lower)
        return try await value(for: call.request, body: call.body, context: call.context)
    }

    /// Sends what a builder describes, of which only the success matters.
    nonisolated(nonsending) func send(
        _ options: CallOptions, lower: @Sendable () throws -> RequestBuilder
    ) async throws(NetworkFailure) {
        let call = try await prepared(options, anywhere: lower)
        _ = try await data(for: call.request, body: call.body, context: call.context)
    }

    /// The request as the pipeline takes it: made here, and on the main actor if that alone can encode its body.
    nonisolated(nonsending) func prepared(
        _ options: CallOptions, anywhere lower: @Sendable () throws -> RequestBuilder
    ) async throws(NetworkFailure) -> PreparedCall {
        do throws(NetworkFailure) {
            return try prepared(options, lower: lower)
        } catch {
            guard case .encodingError(let inner) = error.cause, inner is EncodableOfAnotherActor else { throw error }
            return try await preparedOnMainActor(options, lower: lower)
        }
    }

    @MainActor
    private func preparedOnMainActor(
        _ options: CallOptions, lower: @Sendable () throws -> RequestBuilder
    ) throws(NetworkFailure) -> PreparedCall {
        try prepared(options, lower: lower)
    }

    /// Sends a request, and decodes the body of the response on the caller's actor.
    nonisolated(nonsending) func value<Value: Decodable>(
        for request: URLRequest, body: HTTPBody? = nil, context: RequestContext? = nil
    ) async throws(NetworkFailure) -> Value {
        try await value(for: request, body: body, context: context) {
            try decoder.value(Value.self, of: $0, response: $1)
        }
    }

    /// Sends what a builder describes, and decodes the body of the response on the caller's actor, if its type can be.
    nonisolated(nonsending) func valueIfDecodable<Value>(
        _ options: CallOptions, lower: @Sendable () throws -> RequestBuilder
    ) async throws(NetworkFailure) -> Value {
        let call = try await prepared(options, anywhere: lower)
        return try await value(for: call.request, body: call.body, context: call.context) {
            try decoder.valueIfDecodable(Value.self, of: $0, response: $1)
        }
    }

    /// Sends a request, and makes a value of the body of its response where this is called.
    nonisolated(nonsending) func value<Value>(
        for request: URLRequest, body: HTTPBody?, context: RequestContext?,
        _ make: (Data, TransportResponse) throws -> Value
    ) async throws(NetworkFailure) -> Value {
        let (data, response) = try await data(for: request, body: body, context: context)
        do {
            return try make(data, response)
        } catch {
            throw NetworkFailure(serializing: error, response: response, data: data, timestamp: clock.now)
        }
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
