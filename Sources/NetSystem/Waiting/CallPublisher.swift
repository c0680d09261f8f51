#if canImport(Combine)
    package import Combine

    /// Publishes what an async call or a stream yields. Each subscriber has its own call, which starts at its first demand and is cancelled
    /// with the subscription.
    package struct CallPublisher<Output: Sendable, Failure: Error>: Publisher {
        private let run: @Sendable (CallSubscription<Output, Failure>) async -> Void

        /// Publishes the result of the call.
        package init(_ call: @escaping @Sendable () async -> Result<Output, Failure>) {
            run = { subscription in
                let result = await call()
                guard !Task.isCancelled else { return }
                switch result {
                case .success(let value):
                    subscription.send(value)
                    subscription.finish(.finished)
                case .failure(let failure): subscription.finish(.failure(failure))
                }
            }
        }

        package func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Output, Downstream.Failure == Failure {
            subscriber.receive(subscription: CallSubscription(subscriber, run))
        }

        /// Publishes the result of a call on the main actor, on the main queue.
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

    extension CallPublisher where Failure == Never {
        /// Publishes the values of a stream. It reads only as many values as the subscriber demands, and releases the stream when the
        /// subscriber cancels. Each subscriber has a stream of its own.
        package init(reading makeStream: @escaping @Sendable () -> AsyncStream<Output>) {
            run = { subscription in
                for await value in makeStream() {
                    subscription.send(value)
                    await subscription.demanded()
                    guard !Task.isCancelled else { return }
                }
                subscription.finish(.finished)
            }
        }
    }

    /// Sends values to a subscriber, as many as it demanded, and one completion. A task does so from the first demand until it ends or the
    /// subscriber cancels.
    ///
    /// Unchecked, because Combine's subscribers are not Sendable. Combine requires serial calls, which the one sending task makes.
    final class CallSubscription<Input: Sendable, Failure: Error>: Subscription, @unchecked Sendable {
        private struct State {
            /// Nil from the first demand on.
            var body: (@Sendable (CallSubscription) async -> Void)?
            var task: Task<Void, Never>?
            var demand = Subscribers.Demand.none
            var isOver = false
            var waiting: CheckedContinuation<Void, Never>?
        }

        private let receiveValue: (Input) -> Subscribers.Demand
        private let receiveCompletion: (Subscribers.Completion<Failure>) -> Void
        private let state: Locked<State>

        init<Downstream: Subscriber>(
            _ subscriber: Downstream, _ body: @escaping @Sendable (CallSubscription) async -> Void
        ) where Downstream.Input == Input, Downstream.Failure == Failure {
            receiveValue = subscriber.receive
            receiveCompletion = subscriber.receive
            state = Locked(State(body: body))
        }

        func request(_ demand: Subscribers.Demand) {
            guard demand > .none else { return }
            change { state in
                state.demand += demand
                guard let body = state.body else { return }
                state.body = nil
                state.task = Task { await body(self) }
            }
        }

        func cancel() {
            // Outside of the lock: cancelling runs the task's handlers, and the release of a body that never ran may end a stream.
            let (task, _) = change { state in
                state.isOver = true
                return (state.task.take(), state.body.take())
            }
            task?.cancel()
        }

        /// Changes the state, and resumes the sending task.
        private func change<Result>(_ change: (inout State) -> Result) -> Result {
            let (result, waiting) = state.withLock { (change(&$0), $0.waiting.take()) }
            waiting?.resume()
            return result
        }

        /// Waits until there is demand, or sending has stopped.
        func demanded() async {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if state.demand > .none || state.isOver { return true }
                    state.waiting = continuation
                    return false
                }
                if isOpen { continuation.resume() }
            }
        }

        func send(_ value: Input) {
            let isWanted = state.withLock { state in
                guard !state.isOver, state.demand > .none else { return false }
                state.demand -= 1
                return true
            }
            guard isWanted else { return }
            let more = receiveValue(value)
            if more > .none { request(more) }
        }

        func finish(_ completion: Subscribers.Completion<Failure>) {
            let isFirst = state.withLock { state in
                defer { state.isOver = true }
                return !state.isOver
            }
            if isFirst { receiveCompletion(completion) }
        }
    }
#endif
