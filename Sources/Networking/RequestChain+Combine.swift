#if canImport(Combine)
    public import Combine

    extension RequestChain {
        /// Returns a publisher of the decoded body.
        ///
        /// The request is sent once, and all subscribers get the same response. Cancelling a subscription does not cancel the request; ``cancel()``
        /// does. The parameters are those of `responseDecodable`.
        public func publisher<Value: Decodable & Sendable>(
            of type: Value.Type = Value.self, decoder: (any BodyDecoder)? = nil
        ) -> AnyPublisher<Value, NetworkFailure> {
            CallPublisher { [self] in
                let response = await response(of: type, decoder: decoder)
                return Result { () throws(NetworkFailure) in try response.getOrFailure() }
            }.eraseToAnyPublisher()
        }

        /// Returns a publisher of the response with its value or its error. It never fails.
        public func responsePublisher<Value: Decodable & Sendable>(
            of type: Value.Type = Value.self, decoder: (any BodyDecoder)? = nil
        ) -> AnyPublisher<NetworkResponse<Value>, Never> {
            CallPublisher { [self] in .success(await response(of: type, decoder: decoder)) }.eraseToAnyPublisher()
        }

        /// Returns a publisher of the body, decoded on the main actor. It publishes on the main queue.
        @MainActor
        public func publisher<Value: Decodable>(
            of type: Value.Type = Value.self, decoder: (any BodyDecoder)? = nil
        ) -> AnyPublisher<Value, NetworkFailure> {
            CallPublisher.onMainActor { [self] in
                let response = await response(of: type, decoder: decoder).value
                return Result { () throws(NetworkFailure) in try response.getOrFailure() }
            }
        }

        /// Returns a publisher of the response with its value, decoded on the main actor, or its error. It never fails, and publishes on the main
        /// queue.
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
