// From the caller's request to a value: every front door uses these functions.
//
// Sending never runs on the caller's actor. Encoding and decoding do only if the response is `Decodable` and not `Sendable`, since its conformance
// may belong to that actor. A call without a response is encoded on the caller's actor.
extension NetworkClient {
    /// Builds and sends a request, and decodes the response off the caller's actor.
    @concurrent
    func value<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, _ make: @Sendable () throws -> Call
    ) async throws(NetworkFailure) -> Value {
        let call = try await build(anywhere: make)
        let (data, response) = try await data(for: call.request, body: call.body, context: call.context)
        return try value(of: data, response) { try decoder.value(type, of: $0, response: $1) }
    }

    /// Builds and sends a request, and decodes the response on the caller's actor.
    nonisolated(nonsending) func value<Value: Decodable>(
        as type: Value.Type = Value.self, _ make: () throws -> Call
    ) async throws(NetworkFailure) -> Value {
        let call = try build(make)
        let (data, response) = try await data(for: call.request, body: call.body, context: call.context)
        return try value(of: data, response) { try decoder.value(type, of: $0, response: $1) }
    }

    /// Builds and sends a request, and ignores the body of its response.
    nonisolated(nonsending) func send(_ make: @Sendable () throws -> Call) async throws(NetworkFailure) {
        let call = try await build(anywhere: make)
        _ = try await data(for: call.request, body: call.body, context: call.context)
    }

    /// Builds the request here, or on the main actor if its body can be encoded only there.
    nonisolated(nonsending) func build(
        anywhere make: @Sendable () throws -> Call
    ) async throws(NetworkFailure) -> BuiltCall {
        do throws(NetworkFailure) {
            return try build(make)
        } catch {
            guard case .encodingError(let inner) = error.cause, inner is IsolatedEncodableError else { throw error }
            return try await buildOnMainActor(make)
        }
    }

    @MainActor
    private func buildOnMainActor(_ make: @Sendable () throws -> Call) throws(NetworkFailure) -> BuiltCall {
        try build(make)
    }

    /// Builds and sends a request, and decodes the response on the caller's actor, if its type is `Decodable`.
    nonisolated(nonsending) func valueIfDecodable<Value>(
        _ make: @Sendable () throws -> Call
    ) async throws(NetworkFailure) -> Value {
        let call = try await build(anywhere: make)
        let (data, response) = try await data(for: call.request, body: call.body, context: call.context)
        return try value(of: data, response) { try decoder.valueIfDecodable(Value.self, of: $0, response: $1) }
    }

    /// Builds a request on the caller's actor, sends it, and collects the response.
    package nonisolated(nonsending) func outcome(_ make: @Sendable () throws -> Call) async -> CallOutcome {
        await outcome(of: preparation(of: make))
    }

    /// Builds the request as ``build(anywhere:)`` does, and returns its error.
    private nonisolated(nonsending) func preparation(
        of make: @Sendable () throws -> Call
    ) async -> Result<BuiltCall, NetworkFailure> {
        do { return .success(try await build(anywhere: make)) } catch { return .failure(error) }
    }

    /// Sends a built call, and collects the response.
    @concurrent
    package func outcome(of built: Result<BuiltCall, NetworkFailure>) async -> CallOutcome {
        var request: URLRequest?
        do {
            let call = try built.get()
            request = call.request
            let response = try await perform(call.request, body: call.body, context: call.context, isCollected: true)
            return CallOutcome(request: request, result: .success(response), validation: call.context.validation)
        } catch {
            return CallOutcome(request: request, result: .failure(error))
        }
    }

    /// Builds and sends a request, and serialises the response off the caller's actor.
    @concurrent
    package func networkResponse<Serializer: ResponseSerializer>(
        by serializer: Serializer, _ make: @Sendable () throws -> Call
    ) async -> NetworkResponse<Serializer.Value> {
        await outcome(of: preparation(of: make)).serialized(by: serializer, timestamp: clock.now)
    }

    /// Makes the value of a response, here.
    func value<Value>(
        of data: Data, _ response: TransportResponse, _ make: (Data, TransportResponse) throws -> Value
    ) throws(NetworkFailure) -> Value {
        do {
            return try make(data, response)
        } catch {
            throw NetworkFailure(serializing: error, response: response, data: data, timestamp: clock.now)
        }
    }

    package func call(for config: RequestConfig) throws -> Call {
        try Call(config, environment: environment, encoder: encoder, queryEncoding: queryEncoding)
    }

    package func build(_ make: () throws -> Call) throws(NetworkFailure) -> BuiltCall {
        do {
            let call = try make()
            var request = try call.urlRequest(defaultTimeout: configuration.defaultTimeout)
            request.cachePolicy =
                call.foundationCachePolicy ?? configuration.defaultCachePolicy(besides: call.cachePolicy)
            return BuiltCall(request: request, body: call.body, context: context(of: call))
        } catch {
            throw NetworkFailure(wrapping: error, request: nil, timestamp: clock.now)
        }
    }

    private func context(of call: Call) -> RequestContext {
        var context = RequestContext(clock: clock)
        context.pipeline.isRequestComplete = true
        context.cachePolicy = call.cachePolicy
        if let isCached = call.isCached { context[CachedKey.self] = isCached }
        if call.retryCount != 0 { context[RetryCountKey.self] = call.retryCount }
        context.priority = call.priority
        if let policy = call.retryPolicy { context[RetryPolicyKey.self] = policy }
        if let validation = call.validation { context.validation = validation }
        if let seconds = call.totalTimeout { context.deadline = clock.uptime + seconds }
        if let provider = call.authenticationProvider { context[AuthenticationProviderKey.self] = provider.unwrapped }
        context.partition = call.partition
        context.setOptions(call.options)
        return context
    }
}

package struct BuiltCall: Sendable {
    package var request: URLRequest
    package var body: HTTPBody?
    package var context: RequestContext

    package init(request: URLRequest, body: HTTPBody?, context: RequestContext) {
        self.request = request
        self.body = body
        self.context = context
    }
}

/// The outcome of a call before its body is decoded, which all call styles share.
package struct CallOutcome: Sendable {
    package let request: URLRequest?
    package let result: Result<TransportResponse, NetworkFailure>
    /// The call's rules for responses; nil for the client's.
    private let validation: ResponseValidation?

    package init(
        request: URLRequest?, result: Result<TransportResponse, NetworkFailure>, validation: ResponseValidation? = nil
    ) {
        self.request = request
        self.result = result
        self.validation = validation
    }

    /// Returns the response with its serialised value or its error.
    package func serialized<Serializer: ResponseSerializer>(
        by serializer: Serializer, timestamp: Date
    ) -> NetworkResponse<Serializer.Value> {
        switch result {
        case .failure(let failure):
            return NetworkResponse(
                request: request, response: nil, data: nil, result: .failure(failure.cause), failure: failure)
        case .success(let response):
            let data = response.body.data ?? Data()
            let request = response.request ?? request
            do {
                try response.validate(data: data, by: validation, timestamp: timestamp)
                let value = try serializer.serialize(data, response: response)
                return NetworkResponse(request: request, head: response, data: data, result: .success(value))
            } catch {
                let failure =
                    error as? NetworkFailure
                    ?? NetworkFailure(serializing: error, response: response, data: data, timestamp: timestamp)
                return NetworkResponse(
                    request: request, head: response, data: data, result: .failure(failure.cause), failure: failure)
            }
        }
    }

    /// Returns the response with its value, decoded on the caller's actor, or its error.
    package func decoded<Value: Decodable>(
        by decoder: any BodyDecoder, keyPath: String? = nil, timestamp: Date
    ) -> NetworkResponse<Value> {
        serialized(by: DataSerializer(), timestamp: timestamp)
            .decoded(by: decoder, keyPath: keyPath, timestamp: timestamp)
    }
}
