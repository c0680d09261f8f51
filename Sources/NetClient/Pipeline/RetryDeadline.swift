/// Ends a call when its deadline comes, whatever it is doing: sending, sleeping before a retry, waiting for its turn or for new
/// credentials.
///
/// Transports keep the deadline of their own exchange themselves, and say best what that was doing: their error is preferred.
enum RetryDeadline {
    /// Runs a call until its deadline. It has ended, too, when this returns: no task is left behind.
    ///
    /// - Throws: what the operation throws; ``NetworkError/timeout`` over ``TransportError/Code/totalTimeout`` at the deadline.
    static func run<Value: Sendable>(
        _ context: RequestContext, _ request: URLRequest,
        operation: @escaping @Sendable (RequestContext) async throws -> Value
    ) async throws -> Value {
        // NaN is no deadline.
        guard let remaining = context.timeRemaining, remaining < .infinity else { return try await operation(context) }
        guard remaining > 0 else { throw failure(context, request, phase: .preparing, trace: RetryTrace()) }
        let trace = Locked(RetryTrace())
        var inner = context
        inner[RetryTraceKey.self] = trace
        return try await withThrowingTaskGroup(of: Value?.self) { [inner] group in
            group.addTask { try await operation(inner) }
            group.addTask {
                try await inner.clock.sleep(for: remaining)
                return nil
            }
            if let value = try await group.next() ?? nil {
                group.cancelAll()
                return value
            }
            group.cancelAll()
            do {
                // Both may have come at the same moment.
                if let value = try await group.next() ?? nil { return value }
            } catch let failure as NetworkFailure where failure.cause == .timeout {
                throw failure
            } catch {
                try Task.checkCancellation()
            }
            throw failure(context, request, phase: .waiting, trace: trace.withLock { $0 })
        }
    }

    private static func failure(
        _ context: RequestContext, _ request: URLRequest, phase: TransportError.Phase, trace: RetryTrace
    ) -> NetworkFailure {
        let message =
            phase == .preparing
            ? "The call's deadline had passed before it was sent." : "The call's deadline came before its answer."
        var failure = NetworkFailure(
            wrapping: TransportError(.totalTimeout, phase: phase, message: message, url: request.url), request: request,
            timestamp: context.clock.now, retryAttempt: phase == .preparing ? nil : trace.retries.count)
        failure.retryTrace = trace
        failure.retryTrace.end = .deadline
        return failure
    }
}
