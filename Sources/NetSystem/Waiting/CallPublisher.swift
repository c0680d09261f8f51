#if canImport(Combine)
    package import Combine

    /// Publishes what an async call or a stream yields. Each subscriber has its own call, which starts at its first demand and is cancelled
    /// with the subscription.
    package struct CallPublisher<Output: Sendable, Failure: Error>: Publisher {
        private let run: @Sendable (SubscriptionGate<Output, Failure>) async -> Void

        /// Publishes the result of the call.
        package init(_ call: @escaping @Sendable () async -> Result<Output, Failure>) {
            run = { gate in
                let result = await call()
                guard !Task.isCancelled else { return }
                switch result {
                case .success(let value):
                    gate.send(value)
                    gate.finish(.finished)
                case .failure(let failure):
                    gate.finish(.failure(failure))
                }
            }
        }

        package func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Output, Downstream.Failure == Failure {
            let gate = SubscriptionGate(subscriber)
            let run = run
            subscriber.receive(subscription: TaskSubscription(gate) { await run(gate) })
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
            run = { gate in
                for await value in makeStream() {
                    gate.send(value)
                    await gate.demanded()
                    guard !Task.isCancelled else { return }
                }
                gate.finish(.finished)
            }
        }
    }

    /// Sends values to a subscriber, as many as it demanded, and one completion.
    ///
    /// Unchecked, because Combine's subscribers are not Sendable. Combine requires serial calls, which the one sending task makes.
    final class SubscriptionGate<Input: Sendable, Failure: Error>: @unchecked Sendable {
        private struct State {
            var demand = Subscribers.Demand.none
            var isOver = false
            var waiting: CheckedContinuation<Void, Never>?
        }

        private let receiveValue: (Input) -> Subscribers.Demand
        private let receiveCompletion: (Subscribers.Completion<Failure>) -> Void
        private let state = Locked(State())

        init<Downstream: Subscriber>(_ subscriber: Downstream)
        where Downstream.Input == Input, Downstream.Failure == Failure {
            receiveValue = subscriber.receive
            receiveCompletion = subscriber.receive
        }

        func add(_ demand: Subscribers.Demand) { change { $0.demand += demand } }

        /// Stops sending.
        func close() { change { $0.isOver = true } }

        /// Changes the state, and resumes the sending task.
        private func change(_ change: (inout State) -> Void) {
            let waiting = state.withLock { state in
                change(&state)
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume()
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
            if more > .none { add(more) }
        }

        func finish(_ completion: Subscribers.Completion<Failure>) {
            let isFirst = state.withLock { state in
                defer { state.isOver = true }
                return !state.isOver
            }
            if isFirst { receiveCompletion(completion) }
        }
    }

    /// Runs a task from the first demand until it ends or the subscriber cancels.
    final class TaskSubscription<Input: Sendable, Failure: Error>: Subscription, Sendable {
        private enum Progress {
            case idle(@Sendable () async -> Void)
            case running(Task<Void, Never>)
            case ended
        }

        private let gate: SubscriptionGate<Input, Failure>
        private let progress: Locked<Progress>

        init(_ gate: SubscriptionGate<Input, Failure>, _ body: @escaping @Sendable () async -> Void) {
            self.gate = gate
            progress = Locked(.idle(body))
        }

        func request(_ demand: Subscribers.Demand) {
            guard demand > .none else { return }
            gate.add(demand)
            progress.withLock { progress in
                if case .idle(let body) = progress { progress = .running(Task { await body() }) }
            }
        }

        func cancel() {
            gate.close()
            let before = progress.withLock { progress in
                defer { progress = .ended }
                return progress
            }
            // Outside of the lock, because it runs the task's cancellation handlers.
            if case .running(let task) = before { task.cancel() }
        }
    }
#endif
