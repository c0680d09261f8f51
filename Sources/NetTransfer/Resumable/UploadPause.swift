import NetCore

/// Stops what is being sent when the caller pauses, and lets it wait until the caller resumes.
final class UploadPause: Sendable {
    private struct State {
        var isPaused = false
        /// Whether the operation that runs was stopped.
        var isStopped = false
        var stop: (@Sendable () -> Void)?
        var wake: AsyncStream<Void>.Continuation?
    }

    private let state = Locked(State())

    /// What was going on was stopped, to go on later.
    struct Paused: Error {}

    /// For the task.
    var pausing: TransferPausing {
        TransferPausing(pause: { self.pause() }, resume: { self.resume() })
    }

    /// Runs an operation that a pause cancels. The caller's own cancellation reaches it as well.
    ///
    /// - Throws: ``Paused``, `CancellationError`, and what the operation throws.
    func run<Result: Sendable>(_ operation: @escaping @Sendable () async throws -> Result) async throws -> Result {
        try Task.checkCancellation()
        let task = Task { try await operation() }
        let isPaused = state.withLock { state in
            (state.isStopped, state.stop) = (state.isPaused, { task.cancel() })
            return state.isPaused
        }
        if isPaused { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        let isStopped = state.withLock { state in
            state.stop = nil
            return state.isStopped
        }
        if isStopped, case .failure = result, !Task.isCancelled { throw Paused() }
        return try result.get()
    }

    /// Returns when nobody pauses any more.
    ///
    /// - Throws: `CancellationError`.
    func wait() async throws {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let isPaused = state.withLock { state in
            if state.isPaused { state.wake = continuation }
            return state.isPaused
        }
        if isPaused { for await _ in stream {} }
        try Task.checkCancellation()
    }

    private func pause() {
        let stop = state.withLock { state in
            state.isPaused = true
            state.isStopped = true
            return state.stop
        }
        stop?()
    }

    private func resume() {
        let wake = state.withLock { state in
            state.isPaused = false
            defer { state.wake = nil }
            return state.wake
        }
        wake?.finish()
    }
}
