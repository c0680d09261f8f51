import NetCore

/// Pauses, resumes and stops a transfer, for the holder of its task.
final class TransferControl: Sendable {
    private struct State {
        var isPaused = false
        /// Whether a pause cancelled the work that ran last. The pause may be over when the transfer notices.
        var wasPaused = false
        /// Whether ``TransferControl/interrupt()`` cancelled the work that ran last.
        var wasInterrupted = false
        var isStopped = false
        var interrupt: (@Sendable () -> Void)?
        /// The transfer, while it waits for the end of a pause.
        var waiters = WaiterList<Void>()
        var resumeData: Data?
    }

    private let state = Locked(State())

    /// What a stopped download needs to be resumed.
    var resumeData: Data? {
        get { state.withLock { $0.resumeData } }
        set { state.withLock { $0.resumeData = newValue } }
    }

    /// Whether the transfer has to end, and keep what has arrived.
    var isStopped: Bool { state.withLock { $0.isStopped } }
    var wasPaused: Bool { state.withLock { $0.wasPaused } }
    var wasInterrupted: Bool { state.withLock { $0.wasInterrupted } }

    var pausing: TransferPausing {
        TransferPausing(
            pause: { [self] in interrupt { ($0.isPaused, $0.wasPaused) = (true, true) } },
            resume: { [self] in wake { $0.isPaused = false } })
    }

    func stop() {
        interrupt { $0.isStopped = true }
        wake { _ in }
    }

    /// Cancels the work that is running, because its network is lost.
    func interrupt() { interrupt { $0.wasInterrupted = true } }

    /// Runs work that a pause or a stop cancels, as does the cancellation of the caller.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        let task = Task { try await work() }
        let isUnwanted = state.withLock { state in
            (state.interrupt, state.wasPaused, state.wasInterrupted) = ({ task.cancel() }, state.isPaused, false)
            return state.isPaused || state.isStopped
        }
        if isUnwanted { task.cancel() }
        defer { state.withLock { $0.interrupt = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Waits for the end of a pause, a stop or the cancellation of the task.
    func waitWhilePaused() async {
        await state.wait(in: \.waiters, cancelled: ()) { $0.isPaused && !$0.isStopped ? nil : () }
    }

    private func interrupt(_ change: (inout State) -> Void) {
        let interrupt = state.withLock { state in
            change(&state)
            return state.interrupt
        }
        interrupt?()
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            return state.waiters.popAll()
        }
        for waiter in waiters { waiter.resume() }
    }
}
