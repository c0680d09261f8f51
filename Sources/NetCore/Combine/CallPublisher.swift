#if canImport(Combine)
    package import Combine

    /// The result of an async call as a publisher. Each subscriber has a call of its own, which begins when it asks for the value and
    /// ends when it cancels.
    package struct CallPublisher<Output: Sendable, Failure: Error>: Publisher {
        private let call: @Sendable () async -> Result<Output, Failure>

        package init(_ call: @escaping @Sendable () async -> Result<Output, Failure>) {
            self.call = call
        }

        package func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Output, Downstream.Failure == Failure {
            let gate = SubscriptionGate(subscriber)
            let call = call
            subscriber.receive(
                subscription: TaskSubscription(gate) {
                    let result = await call()
                    guard !Task.isCancelled else { return }
                    switch result {
                    case .success(let value):
                        gate.send(value)
                        gate.finish(.finished)
                    case .failure(let failure):
                        gate.finish(.failure(failure))
                    }
                })
        }

        /// The result of a call whose value belongs to the main actor: it is made there, and comes on the main queue.
        @MainActor
        package static func onMainActor<Value>(
            _ call: @escaping @MainActor () async -> Result<Value, Failure>
        ) -> AnyPublisher<Value, Failure> where Output == UncheckedSendable<Value> {
            CallPublisher { @MainActor in await call().map(UncheckedSendable.init) }
                .receive(on: DispatchQueue.main)
                .map(\.value)
                .eraseToAnyPublisher()
        }
    }
#endif
