#if canImport(Combine)
    package import Combine

    /// The values of a stream as a publisher. It reads on only as far as its subscriber asks for values, and lets go of the stream when it
    /// cancels.
    package struct StreamPublisher<Output: Sendable>: Publisher {
        package typealias Failure = Never

        private let makeStream: @Sendable () -> AsyncStream<Output>

        /// - Parameter makeStream: called for each subscriber.
        package init(_ makeStream: @escaping @Sendable () -> AsyncStream<Output>) {
            self.makeStream = makeStream
        }

        package func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Output, Downstream.Failure == Never {
            let gate = SubscriptionGate(subscriber)
            let makeStream = makeStream
            subscriber.receive(
                subscription: TaskSubscription(gate) {
                    for await value in makeStream() {
                        gate.send(value)
                        await gate.demanded()
                        guard !Task.isCancelled else { return }
                    }
                    gate.finish(.finished)
                })
        }
    }
#endif
