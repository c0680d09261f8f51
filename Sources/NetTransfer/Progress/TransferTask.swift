public import NetCore

/// A transfer that has been started: its result, and the means to stop it.
///
/// ```swift
/// let (progress, task) = client.upload(file: url, to: UploadEndpoint())
/// for await update in progress { print(update) }
/// let response = try await task.value
/// ```
///
/// The transfer runs whether or not this object is kept and `value` is awaited: letting go of it stops nothing, ``cancel()``
/// does. (A `Task` of Swift's would do, if its failure could have a type.)
public final class TransferTask<Value>: Sendable {
    private let result: TransferResult<Value>
    private let work: Task<Void, Never>
    private let pausing: TransferPausing?

    /// - Parameter start: begins the work that resolves the result. It holds the result and not the object, which would keep itself alive.
    private init(pausing: TransferPausing?, start: (TransferResult<Value>) -> Task<Void, Never>) {
        let result = TransferResult<Value>()
        self.result = result
        self.pausing = pausing
        work = start(result)
    }

    /// Whether there is a result.
    public var isFinished: Bool { result.isThere }

    /// Stops the transfer. Its `value` then is ``NetworkError/cancelled``, unless it has ended already. Twice is fine.
    public func cancel() {
        work.cancel()
    }

    /// Stops the transfer in such a way that ``resume()`` goes on with it. Twice is fine.
    ///
    /// - Throws: ``NetworkError/unsupported(_:)`` for a transfer that cannot be paused, such as a plain upload: HTTP gives no means to
    ///   go on with one.
    public func pause() throws(NetworkError) {
        try requirePausing().pause()
    }

    /// Goes on with a transfer that was paused; does nothing for one that was not.
    ///
    /// - Throws: as ``pause()``.
    public func resume() throws(NetworkError) {
        try requirePausing().resume()
    }

    private func requirePausing() throws(NetworkError) -> TransferPausing {
        guard let pausing else {
            throw .unsupported(
                "This transfer cannot be paused: HTTP has no way to go on with a plain upload. Cancel it, and send it again."
            )
        }
        return pausing
    }
}

extension TransferTask where Value: Sendable {
    /// Starts a transfer of your own, such as a mock's.
    ///
    /// - Parameter operation: gives the value. It runs in a task of its own, which ``cancel()`` cancels. What it throws becomes a
    ///   ``NetworkFailure``, and `CancellationError` the failure ``NetworkError/cancelled``.
    public convenience init(_ operation: @escaping @Sendable () async throws -> Value) {
        self.init(pausing: nil, operation)
    }

    /// - Parameter pausing: for a transfer that can be paused.
    package convenience init(pausing: TransferPausing?, _ operation: @escaping @Sendable () async throws -> Value) {
        self.init(pausing: pausing) { result in
            Task {
                do {
                    result.resolve(.success(try await operation()))
                } catch {
                    result.resolve(.failure(NetworkFailure(wrapping: error, request: nil)))
                }
            }
        }
    }

    /// The result, as soon as the transfer has ended. It may be asked for any number of times, from anywhere.
    ///
    /// - Throws: why it failed; ``NetworkError/cancelled`` after ``cancel()``. A task that waits here and is cancelled itself gets
    ///   ``NetworkError/cancelled`` at once, and the transfer goes on.
    public var value: Value {
        get async throws(NetworkFailure) { try await result.wait().get() }
    }

    /// The result when the transfer has really ended. Cancelling the task that waits cancels the transfer.
    fileprivate var outcomeOrCancellation: Result<Value, NetworkFailure> {
        get async {
            await withTaskCancellationHandler {
                await outcome
            } onCancel: {
                cancel()
            }
        }
    }

    /// The result when the transfer has really ended, however long that takes a cancelled one.
    package var outcome: Result<Value, NetworkFailure> {
        get async {
            await work.value
            return await result.wait()
        }
    }
}

// For a value that is made on the main actor and stays there.
extension TransferTask {
    /// The same transfer as another one, its value made of that one's on the main actor.
    @MainActor
    convenience init<Other: Sendable>(
        _ other: TransferTask<Other>, onMainActor value: @escaping @MainActor (Other) throws -> Value
    ) {
        self.init(pausing: nil) { result in
            Task { @MainActor in
                let outcome = await other.outcomeOrCancellation
                result.resolve(Self.result { try value(outcome.get()) })
            }
        }
    }

    /// The same transfer as another one, its value made of that one's and used by nothing else.
    convenience init<Other: Sendable>(
        _ other: TransferTask<Other>, value: @escaping @Sendable (Other) throws -> UncheckedSendable<Value>
    ) {
        self.init(pausing: nil) { result in
            Task {
                let outcome = await other.outcomeOrCancellation
                result.resolve(Self.result { try value(outcome.get()).value })
            }
        }
    }

    /// Starts a transfer whose value is used by nothing else.
    package static func start(
        _ operation: @escaping @Sendable () async throws -> UncheckedSendable<Value>
    ) -> TransferTask {
        TransferTask(TransferTask<UncheckedSendable<Value>>(operation)) { $0 }
    }

    private static func result(_ value: () throws -> Value) -> Result<Value, NetworkFailure> {
        Result { try value() }.mapError { NetworkFailure(wrapping: $0, request: nil) }
    }

    /// The result, as soon as the transfer has ended, for a value that stays on the main actor.
    ///
    /// - Throws: as for one that is `Sendable`.
    @MainActor
    public var value: Value {
        get async throws(NetworkFailure) { try await result.wait().get() }
    }
}

/// How a kind of transfer is paused.
package struct TransferPausing: Sendable {
    package let pause: @Sendable () -> Void
    package let resume: @Sendable () -> Void

    package init(pause: @escaping @Sendable () -> Void, resume: @escaping @Sendable () -> Void) {
        self.pause = pause
        self.resume = resume
    }
}

/// A result that several tasks may wait for, each until it is cancelled.
///
/// A value that is not `Sendable` belongs to the main actor, which alone makes one and asks for one: see ``TransferTask``.
private final class TransferResult<Value>: Sendable {
    typealias Outcome = UncheckedSendable<Result<Value, NetworkFailure>>

    private struct State {
        var outcome: Outcome?
        var waiters = WaiterList<Outcome>()
    }

    private let state = Locked(State())

    var isThere: Bool { state.withLock { $0.outcome != nil } }

    /// Sets the result. Only the first call has an effect.
    func resolve(_ result: Result<Value, NetworkFailure>) {
        let outcome = Outcome(result)
        let waiters = state.withLock { state -> [WaiterList<Outcome>.Waiter] in
            guard state.outcome == nil else { return [] }
            state.outcome = outcome
            return state.waiters.popAll()
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    /// Returns the result, also to a cancelled task if it is there.
    func wait() async -> Result<Value, NetworkFailure> {
        if let outcome = state.withLock({ $0.outcome }) { return outcome.value }
        return await state.wait(in: \.waiters, cancelled: Outcome(.failure(.cancelled()))) { $0.outcome }.value
    }
}
