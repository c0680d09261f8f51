import Combine
import NetCore

/// Asks for values when the test says so.
final class SlowSubscriber<Input: Sendable, Failure: Error>: Subscriber, @unchecked Sendable {
    // Unchecked, since Combine's subscriptions are not Sendable: the lock guards it.
    private struct State {
        var subscription: (any Subscription)?
        var values: [Input] = []
    }

    private let state = Locked(State())
    private let ended = AsyncStream<Void>.makeStream()
    private let heard = AsyncStream<Void>.makeStream()

    var values: [Input] { state.withLock(\.values) }
    func receive(subscription: any Subscription) { state.withLock { $0.subscription = subscription } }

    func receive(_ input: Input) -> Subscribers.Demand {
        state.withLock { $0.values.append(input) }
        heard.continuation.yield()
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) { ended.continuation.finish() }
    func ask(_ demand: Subscribers.Demand) { state.withLock(\.subscription)?.request(demand) }
    func cancel() { state.withLock(\.subscription)?.cancel() }
    func end() async { for await _ in ended.stream {} }
    func next() async { for await _ in heard.stream { return } }
}
