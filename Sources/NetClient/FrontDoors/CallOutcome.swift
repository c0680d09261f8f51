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

extension NetworkClient {
    /// Builds a request on the caller's actor, sends it, and collects the response.
    package nonisolated(nonsending) func outcome(_ make: @Sendable () throws -> Call) async -> CallOutcome {
        let call: Result<PreparedCall, NetworkFailure>
        do {
            call = .success(try await prepared(anywhere: make))
        } catch {
            call = .failure(error)
        }
        return await outcome(of: call)
    }

    /// Sends a prepared call, and collects the response.
    @concurrent
    package func outcome(of prepared: Result<PreparedCall, NetworkFailure>) async -> CallOutcome {
        let call: PreparedCall
        do {
            call = try prepared.get()
        } catch {
            return CallOutcome(request: nil, result: .failure(error))
        }
        do {
            let response = try await response(for: call.request, body: call.body, context: call.context)
            return CallOutcome(
                request: call.request, result: .success(response), validation: call.context.validation)
        } catch {
            return CallOutcome(request: call.request, result: .failure(error))
        }
    }

    /// Builds and sends a request, and serialises the response off the caller's actor.
    @concurrent
    package func networkResponse<Serializer: ResponseSerializer>(
        by serializer: Serializer, _ make: @Sendable () throws -> Call
    ) async -> NetworkResponse<Serializer.Value> {
        await outcome(make).serialized(by: serializer, timestamp: clock.now)
    }
}
