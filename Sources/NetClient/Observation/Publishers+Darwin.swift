#if canImport(Combine)
    public import Combine

    extension CallBuilder where Response: Decodable & Sendable {
        /// Returns a publisher of the response's value.
        ///
        /// ```
        /// client.request(GetUserEndpoint(id: "123")).publisher()
        ///     .receive(on: DispatchQueue.main)
        ///     .sink { completion in … } receiveValue: { user in … }
        /// ```
        ///
        /// Each subscription sends a call, and cancelling it ends the call. The value arrives on a thread of the concurrency pool: use
        /// `receive(on:)` for another one. It fails as `send()` throws.
        public func publisher() -> AnyPublisher<Response, NetworkFailure> {
            CallPublisher {
                do throws(NetworkFailure) { return .success(try await send()) } catch { return .failure(error) }
            }.eraseToAnyPublisher()
        }

        /// Returns a publisher of the whole response with its value or its error. It never fails: see `response()`.
        public func responsePublisher() -> AnyPublisher<NetworkResponse<Response>, Never> {
            CallPublisher { .success(await response()) }.eraseToAnyPublisher()
        }
    }

    // For a model of the main actor.
    extension CallBuilder where Response: Decodable {
        /// Returns a publisher of the value, which is decoded on the main actor and arrives on the main queue.
        @MainActor
        public func publisher() -> AnyPublisher<Response, NetworkFailure> {
            CallPublisher.onMainActor {
                do throws(NetworkFailure) { return .success(try await send()) } catch { return .failure(error) }
            }
        }

        /// Returns a publisher of the whole response. Its value is decoded on the main actor, and it arrives on the main queue.
        @MainActor
        public func responsePublisher() -> AnyPublisher<NetworkResponse<Response>, Never> {
            CallPublisher.onMainActor { .success(await response()) }
        }
    }

    extension ConnectionMonitoring {
        /// A publisher of the status now, and then of each change. A slow subscriber gets the newest of several changes.
        public var statusPublisher: AnyPublisher<ConnectionStatus, Never> {
            // The closure retains the monitor: a released one would report no more.
            CallPublisher(reading: { statuses }).eraseToAnyPublisher()
        }
    }
#endif
