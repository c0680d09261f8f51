// From the caller's request to a value: every front door uses these functions.
//
// Sending never runs on the caller's actor. A `Sendable` response is decoded off it too, and the body of its request encoded. If a response is only
// known as `Decodable`, its conformance may be isolated to the caller's actor: then both run there. So does the encoding of the body of a call
// without a response.
extension NetworkClient {
    /// Builds and sends a request, and decodes the response off the caller's actor.
    @concurrent
    func value<Value: Decodable & Sendable>(
        _ options: CallOptions, as type: Value.Type = Value.self, lower: @Sendable () throws -> RequestBuilder
    ) async throws(NetworkFailure) -> Value {
        let call = try await prepared(options, anywhere: lower)
        return try await value(
            for: call.request, body: call.body, context: call.context,
            serializer: DecodableSerializer(type, decoder: decoder))
    }

    /// Builds and sends a request, and decodes the response on the caller's actor.
    nonisolated(nonsending) func value<Value: Decodable>(
        _ options: CallOptions, as type: Value.Type = Value.self, lower: () throws -> RequestBuilder
    ) async throws(NetworkFailure) -> Value {
        let call = try prepared(options, lower: lower)
        return try await value(for: call.request, body: call.body, context: call.context)
    }

    /// Builds and sends a request, and ignores the body of its response.
    nonisolated(nonsending) func send(
        _ options: CallOptions, lower: @Sendable () throws -> RequestBuilder
    ) async throws(NetworkFailure) {
        let call = try await prepared(options, anywhere: lower)
        _ = try await data(for: call.request, body: call.body, context: call.context)
    }

    /// Builds the request here, or on the main actor if its body can be encoded only there.
    nonisolated(nonsending) func prepared(
        _ options: CallOptions, anywhere lower: @Sendable () throws -> RequestBuilder
    ) async throws(NetworkFailure) -> PreparedCall {
        do throws(NetworkFailure) {
            return try prepared(options, lower: lower)
        } catch {
            guard case .encodingError(let inner) = error.cause, inner is IsolatedEncodableError else { throw error }
            return try await preparedOnMainActor(options, lower: lower)
        }
    }

    @MainActor
    private func preparedOnMainActor(
        _ options: CallOptions, lower: @Sendable () throws -> RequestBuilder
    ) throws(NetworkFailure) -> PreparedCall {
        try prepared(options, lower: lower)
    }

    /// Sends a request, and decodes the response on the caller's actor.
    nonisolated(nonsending) func value<Value: Decodable>(
        for request: URLRequest, body: HTTPBody? = nil, context: RequestContext? = nil
    ) async throws(NetworkFailure) -> Value {
        try await value(for: request, body: body, context: context) {
            try decoder.value(Value.self, of: $0, response: $1)
        }
    }

    /// Builds and sends a request, and decodes the response on the caller's actor, if its type is `Decodable`.
    nonisolated(nonsending) func valueIfDecodable<Value>(
        _ options: CallOptions, lower: @Sendable () throws -> RequestBuilder
    ) async throws(NetworkFailure) -> Value {
        let call = try await prepared(options, anywhere: lower)
        return try await value(for: call.request, body: call.body, context: call.context) {
            try decoder.valueIfDecodable(Value.self, of: $0, response: $1)
        }
    }

    /// Sends a request, and makes a value of the response on the caller's actor.
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

    /// Builds the request.
    package func prepared(
        _ options: CallOptions, lower: () throws -> RequestBuilder
    ) throws(NetworkFailure) -> PreparedCall {
        do {
            var builder = try lower()
            if let change = options.change { builder.changeOptions(change) }
            for header in options.headers { builder.headers.add(header) }
            builder.timeout = options.timeout ?? builder.timeout ?? configuration.defaultTimeout
            var request = try builder.urlRequest()
            request.cachePolicy =
                options.foundationCachePolicy ?? configuration.defaultCachePolicy(besides: options.cachePolicy)
            var context = context(for: request, options)
            context.setOptions(builder.options)
            return PreparedCall(request: request, body: builder.body, context: context)
        } catch {
            throw NetworkFailure(wrapping: error, request: nil, timestamp: clock.now)
        }
    }

    private func context(for request: URLRequest, _ options: CallOptions) -> RequestContext {
        var context = RequestContext(clock: clock)
        context.isRequestComplete = true
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

/// The options of one call beside its request, for all front doors.
package struct CallOptions: Sendable {
    package var headers = HTTPHeaders()
    package var timeout: TimeInterval?
    /// For the call as a whole, in seconds.
    package var totalTimeout: TimeInterval?
    package var retryPolicy: RetryPolicy?
    /// The number of retries, beside the policy's.
    package var retryCount = 0
    package var cachePolicy: CachePolicy?
    /// Whether to use the cache; nil for the client's rules. ``cachePolicy`` wins.
    package var isCached: Bool?
    package var foundationCachePolicy: URLRequest.CachePolicy?
    package var authenticationProvider: (any AuthenticationProvider)?
    package var partition: String?
    package var validation: ResponseValidation?
    /// Changes the options of the request.
    package var change: (@Sendable (inout RequestOptions) -> Void)?
    package var priority = RequestContext.Priority.normal

    package init() {}
}
