#if canImport(Combine)
    import Combine

    /// What a task has to say to a subscriber: as many values as it asked for, and one end.
    ///
    /// Unchecked, since Combine's subscribers are not Sendable: by Combine's rules they are told one thing at a time, as the one task that
    /// speaks here does.
    final class SubscriptionGate<Input: Sendable, Failure: Error>: @unchecked Sendable {
        private struct State {
            var demand = Subscribers.Demand.none
            var isOver = false
            var waiting: CheckedContinuation<Void, Never>?

            mutating func takeWaiting() -> CheckedContinuation<Void, Never>? {
                defer { waiting = nil }
                return waiting
            }
        }

        private let receiveValue: (Input) -> Subscribers.Demand
        private let receiveCompletion: (Subscribers.Completion<Failure>) -> Void
        private let state = Locked(State())

        init<Downstream: Subscriber>(_ subscriber: Downstream)
        where Downstream.Input == Input, Downstream.Failure == Failure {
            receiveValue = subscriber.receive
            receiveCompletion = subscriber.receive
        }

        /// More values are wanted.
        func add(_ demand: Subscribers.Demand) {
            let waiting = state.withLock { state in
                state.demand += demand
                return state.takeWaiting()
            }
            waiting?.resume()
        }

        /// Nothing more is said.
        func close() {
            let waiting = state.withLock { state in
                state.isOver = true
                return state.takeWaiting()
            }
            waiting?.resume()
        }

        /// Returns when a value is wanted, or nothing any more.
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

    /// Runs a task from the first demand on, until it ends or the subscriber cancels.
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
            // Outside of the lock, since it runs the cancellation handlers of whatever the task is busy with.
            if case .running(let task) = before { task.cancel() }
        }
    }
#endif
