import NetCore

/// The wishes of those who hold a download's task, and what they interrupt.
final class DownloadControl: Sendable {
    private struct State {
        var isPaused = false
        /// Whether what runs was interrupted by a pause, which may be over by the time that it notices.
        var wasPaused = false
        var isStopped = false
        /// Cancels what can be interrupted just now.
        var interrupt: (@Sendable () -> Void)?
        /// Wakes the download when it is not to be paused any more.
        var waiter: CheckedContinuation<Void, Never>?
        var resumeData: Data?
    }

    private let state = Locked(State())

    /// What the download left behind when it was stopped.
    var resumeData: Data? {
        get { state.withLock { $0.resumeData } }
        set { state.withLock { $0.resumeData = newValue } }
    }

    /// Whether it is to end, and to be resumed later with what has arrived.
    var isStopped: Bool { state.withLock { $0.isStopped } }
    /// Whether it was a pause that ended what ran last.
    var wasPaused: Bool { state.withLock { $0.wasPaused } }

    func pause() {
        interrupt { ($0.isPaused, $0.wasPaused) = (true, true) }
    }

    func stop() {
        interrupt { $0.isStopped = true }
        wake { _ in }
    }

    func resume() {
        wake { $0.isPaused = false }
    }

    /// Interrupts what runs just now, for a reason that the download knows of.
    func interrupt() {
        interrupt { _ in }
    }

    /// Does something that a pause and a stop cancel.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { try await work() }
        let isUnwanted = state.withLock { state in
            (state.interrupt, state.wasPaused) = ({ task.cancel() }, state.isPaused)
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

    /// Returns at once unless it is paused; else as soon as it is not, or is stopped or cancelled.
    func waitWhilePaused() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    // Asked under the lock: a cancellation after it finds the waiter.
                    guard state.isPaused, !state.isStopped, !Task.isCancelled else { return false }
                    state.waiter = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            wake { _ in }
        }
    }

    private func interrupt(_ change: (inout State) -> Void) {
        let interrupt = state.withLock { state in
            change(&state)
            return state.interrupt
        }
        interrupt?()
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiter = state.withLock { state in
            change(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
