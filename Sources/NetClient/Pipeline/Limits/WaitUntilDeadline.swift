import NetCore

extension RequestContext {
    /// Waits for a result, but no longer than the call may take; nil if its deadline passed first.
    ///
    /// Where there is no deadline, waiting is all it does. Otherwise a second task sleeps until then and cancels the first. Both have
    /// ended when this returns, and what `wait` got at the last moment is not lost.
    ///
    /// - Parameter wait: ends at once when its task is cancelled.
    /// - Throws: what `wait` throws.
    func waitUntilDeadline<Result: Sendable>(
        _ wait: @escaping @Sendable () async throws -> Result
    ) async throws -> Result? {
        guard let remaining = timeRemaining else { return try await wait() }
        let clock = clock
        return try await withThrowingTaskGroup(of: Event<Result>.self) { group in
            group.addTask { .done(try await wait()) }
            group.addTask {
                do {
                    try await clock.sleep(for: remaining)
                    return .deadlinePassed
                } catch {
                    // Cancelled, with the other task or because of it: that one knows the outcome.
                    return .stopped
                }
            }
            defer { group.cancelAll() }
            var hasPassed = false
            do {
                while let event = try await group.next() {
                    switch event {
                    case .done(let result): return result
                    case .deadlinePassed: hasPassed = true
                    case .stopped: break
                    }
                    group.cancelAll()
                }
            } catch let error as CancellationError {
                guard hasPassed, !Task.isCancelled else { throw error }
            }
            return nil
        }
    }
}

private enum Event<Result: Sendable>: Sendable {
    case done(Result)
    case deadlinePassed
    case stopped
}
