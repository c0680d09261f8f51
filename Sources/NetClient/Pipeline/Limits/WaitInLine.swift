import NetCore

/// What became of a request that asked a limiter for its turn.
enum LineEntry {
    case granted
    /// It stands in the line: whoever takes it out resumes its continuation.
    case waiting
    case full
    /// Its turn would come after the call's deadline.
    case tooLate
    case cancelled
}

extension RequestContext {
    /// Waits for a turn, but no longer than the call may take: what all limiters with a line have in common.
    ///
    /// - Parameters:
    ///   - enter: takes a turn or a place in the line. It is asked on the waiting task, so that it sees a cancellation that came before.
    ///   - quit: leaves the line and resumes the waiter with `CancellationError`; does nothing if it is not there.
    /// - Throws: ``LimitExceeded`` in a failure, or `CancellationError`.
    func waitInLine(
        of limit: LimitExceeded.Limit, at origin: Origin, for request: URLRequest,
        enter: @escaping @Sendable (CheckedContinuation<Void, any Error>) -> LineEntry,
        quit: @escaping @Sendable () -> Void
    ) async throws {
        @Sendable func failure(_ reason: LimitExceeded.Reason) -> NetworkFailure {
            LimitExceeded(limit: limit, reason: reason, host: origin.host).failure(of: request, at: clock.now)
        }
        let turn: Void? = try await waitUntilDeadline {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    switch enter(continuation) {
                    case .granted: continuation.resume()
                    case .full: continuation.resume(throwing: failure(.tooManyWaiting))
                    case .tooLate: continuation.resume(throwing: failure(.deadline))
                    case .cancelled: continuation.resume(throwing: CancellationError())
                    case .waiting: break
                    }
                }
            } onCancel: {
                quit()
            }
        }
        if turn == nil { throw failure(.deadline) }
    }
}
