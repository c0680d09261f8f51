#if canImport(Combine)
    public import Combine
    public import NetCore

    extension RequestChain {
        /// The body, decoded, as a publisher of Combine.
        ///
        /// As with handlers, the request is sent once: all subscribers get the same response. Cancelling a subscription does not stop
        /// it, ``cancel()`` does.
        ///
        /// - Parameters:
        ///   - type: what to decode.
        ///   - decoder: nil for the client's.
        public func publisher<Value: Decodable & Sendable>(
            of type: Value.Type = Value.self, decoder: (any BodyDecoder)? = nil
        ) -> AnyPublisher<Value, NetworkFailure> {
            CallPublisher { [self] in
                let response = await response(of: type, decoder: decoder)
                return response.result.mapError { response.failure ?? NetworkFailure(cause: $0) }
            }
            .eraseToAnyPublisher()
        }

        /// The whole response, with its value or its error, as a publisher of Combine that never fails.
        ///
        /// - Parameters:
        ///   - type: what to decode.
        ///   - decoder: nil for the client's.
        public func responsePublisher<Value: Decodable & Sendable>(
            of type: Value.Type = Value.self, decoder: (any BodyDecoder)? = nil
        ) -> AnyPublisher<NetworkResponse<Value>, Never> {
            CallPublisher { [self] in .success(await response(of: type, decoder: decoder)) }.eraseToAnyPublisher()
        }

        /// The body, decoded on the main actor, as a publisher of Combine. It comes on the main queue.
        @MainActor
        public func publisher<Value: Decodable>(
            of type: Value.Type = Value.self, decoder: (any BodyDecoder)? = nil
        ) -> AnyPublisher<Value, NetworkFailure> {
            CallPublisher.onMainActor { [self] in
                let response = await response(of: type, decoder: decoder).value
                return response.result.mapError { response.failure ?? NetworkFailure(cause: $0) }
            }
        }

        /// The whole response, with its value, decoded on the main actor, or its error, as a publisher of Combine that never fails. It comes
        /// on the main queue.
        @MainActor
        public func responsePublisher<Value: Decodable>(
            of type: Value.Type = Value.self, decoder: (any BodyDecoder)? = nil
        ) -> AnyPublisher<NetworkResponse<Value>, Never> {
            CallPublisher.onMainActor { [self] in .success(await response(of: type, decoder: decoder).value) }
        }

        @MainActor
        private func response<Value: Decodable>(
            of type: Value.Type, decoder: (any BodyDecoder)?
        ) async -> UncheckedSendable<NetworkResponse<Value>> {
            await withCheckedContinuation { continuation in
                _ = responseDecodable(of: type, decoder: decoder) {
                    continuation.resume(returning: UncheckedSendable($0))
                }
            }
        }

        private func response<Value: Decodable & Sendable>(
            of type: Value.Type, decoder: (any BodyDecoder)?
        ) async -> NetworkResponse<Value> {
            await withCheckedContinuation { continuation in
                _ = responseDecodable(of: type, queue: .global(), decoder: decoder) {
                    continuation.resume(returning: $0)
                }
            }
        }
    }
#endif
