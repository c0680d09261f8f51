public import NetCore

/// A transfer that has been started: its result, and a way to stop it.
///
/// ```swift
/// let (progress, task) = client.upload(file: url, to: UploadEndpoint())
/// for await update in progress { print(update) }
/// let response = try await task.value
/// ```
///
/// The transfer runs even if this object is released or `value` is never awaited. Only ``cancel()`` stops it. (A `Task`'s failure has no type.)
public final class TransferTask<Value>: Sendable {
    private let result: TransferResult<Value>
    private let work: Task<Void, Never>
    /// How the transfer is paused, or nil if it cannot be.
    private let pausing: TransferPausing?

    /// - Parameter operation: returns the value, which nothing else uses.
    private init(
        pausing: TransferPausing?, unchecked operation: @escaping @Sendable () async throws -> UncheckedSendable<Value>
    ) {
        // Captured in place of the object, which would be a cycle.
        let result = TransferResult<Value>()
        self.result = result
        self.pausing = pausing
        work = Task {
            do {
                result.resolve(.success(try await operation().value))
            } catch {
                result.resolve(.failure(NetworkFailure(wrapping: error, request: nil)))
            }
        }
    }

    public var isFinished: Bool { result.isThere }

    /// Stops the transfer. Its `value` then throws ``NetworkError/cancelled``, unless the transfer has ended. A second call has no effect.
    public func cancel() { work.cancel() }

    /// Pauses the transfer until ``resume()``. A second call has no effect.
    ///
    /// - Throws: ``NetworkError/unsupported(_:)`` for a transfer that cannot be paused, such as a plain upload, which HTTP cannot resume.
    public func pause() throws(NetworkError) { try requirePausing().pause() }

    /// Resumes a paused transfer. Has no effect on one that is not paused.
    ///
    /// - Throws: as ``pause()``.
    public func resume() throws(NetworkError) { try requirePausing().resume() }

    private func requirePausing() throws(NetworkError) -> TransferPausing {
        guard let pausing else {
            throw .unsupported(
                "This transfer cannot be paused: HTTP cannot resume a plain upload. Cancel it, and send it again.")
        }
        return pausing
    }
}

extension TransferTask where Value: Sendable {
    /// Starts a transfer of your own, for example in a mock.
    ///
    /// - Parameter operation: returns the value. It runs in a task, which ``cancel()`` cancels. An error becomes a ``NetworkFailure``, and
    ///   `CancellationError` becomes ``NetworkError/cancelled``.
    public convenience init(_ operation: @escaping @Sendable () async throws -> Value) {
        self.init(pausing: nil, operation)
    }

    convenience init(pausing: TransferPausing?, _ operation: @escaping @Sendable () async throws -> Value) {
        self.init(pausing: pausing, unchecked: { UncheckedSendable(try await operation()) })
    }

    /// The value, when the transfer has ended. It can be awaited any number of times, from any task.
    ///
    /// - Throws: the transfer's failure; ``NetworkError/cancelled`` after ``cancel()``. If the task that waits is cancelled, it gets
    ///   ``NetworkError/cancelled`` at once, and the transfer continues.
    public var value: Value { get async throws(NetworkFailure) { try await result.wait().get() } }

    /// The result when the work has ended, however long that takes after a cancellation.
    package var outcome: Result<Value, NetworkFailure> {
        get async {
            await work.value
            return await result.wait()
        }
    }
}

// Values that are not `Sendable`, and stay on the main actor.
extension TransferTask {
    /// Wraps another transfer, and makes the value from its value. Nothing else uses the value.
    convenience init<Other: Sendable>(
        _ other: TransferTask<Other>, value: @escaping @Sendable (Other) async throws -> UncheckedSendable<Value>
    ) {
        self.init(pausing: nil) {
            let outcome = await withTaskCancellationHandler {
                await other.outcome
            } onCancel: {
                other.cancel()
            }
            return try await value(outcome.get())
        }
    }

    /// Starts a transfer whose value nothing else uses.
    package static func start(
        _ operation: @escaping @Sendable () async throws -> UncheckedSendable<Value>
    ) -> TransferTask { TransferTask(pausing: nil, unchecked: operation) }

    /// The value, when the transfer has ended, for a value that stays on the main actor.
    ///
    /// - Throws: as for a value that is `Sendable`.
    @MainActor
    public var value: Value { get async throws(NetworkFailure) { try await result.wait().get() } }
}

struct TransferPausing: Sendable {
    let pause: @Sendable () -> Void
    let resume: @Sendable () -> Void
}

/// A result that several tasks may wait for, each until it is cancelled.
///
/// A value that is not `Sendable` stays on the main actor: see ``TransferTask``.
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

    /// Waits for the result. A cancelled task gets it only if it exists already.
    func wait() async -> Result<Value, NetworkFailure> {
        if let outcome = state.withLock({ $0.outcome }) { return outcome.value }
        return await state.wait(in: \.waiters, cancelled: Outcome(.failure(.cancelled()))) { $0.outcome }.value
    }
}
