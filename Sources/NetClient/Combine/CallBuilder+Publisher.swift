#if canImport(Combine)
    public import Combine
    import NetCore

    extension CallBuilder where Response: Decodable & Sendable {
        /// The answer as a publisher of Combine.
        ///
        /// ```
        /// client.request(GetUserEndpoint(id: "123")).publisher()
        ///     .receive(on: DispatchQueue.main)
        ///     .sink { completion in … } receiveValue: { user in … }
        /// ```
        ///
        /// Nothing is sent before somebody subscribes; each subscriber has a call of its own, and cancelling ends it. The value comes on
        /// a thread of the concurrency pool: `receive(on:)` brings it to another. It fails as `send()` throws.
        public func publisher() -> AnyPublisher<Response, NetworkFailure> {
            CallPublisher {
                do throws(NetworkFailure) { return .success(try await send()) } catch { return .failure(error) }
            }
            .eraseToAnyPublisher()
        }

        /// The whole response as a publisher of Combine, with its value or its error. It never fails: see `response()`.
        public func responsePublisher() -> AnyPublisher<NetworkResponse<Response>, Never> {
            CallPublisher { .success(await response()) }.eraseToAnyPublisher()
        }
    }

    // For a model of the main actor.
    extension CallBuilder where Response: Decodable {
        /// The answer as a publisher of Combine, decoded on the main actor. It comes on the main queue.
        @MainActor
        public func publisher() -> AnyPublisher<Response, NetworkFailure> {
            CallPublisher.onMainActor {
                do throws(NetworkFailure) { return .success(try await send()) } catch { return .failure(error) }
            }
        }

        /// The whole response as a publisher of Combine, with its value, decoded on the main actor, or its error. It comes on the main queue.
        @MainActor
        public func responsePublisher() -> AnyPublisher<NetworkResponse<Response>, Never> {
            CallPublisher.onMainActor { .success(await response()) }
        }
    }
#endif
