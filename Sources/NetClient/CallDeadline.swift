/// Ends a call at its deadline, whatever it is doing: sending, sleeping before a retry, waiting for a limit or for new credentials.
///
/// A transport that knows the deadline reports its own timeout, which says more. That error is preferred.
enum CallDeadline {
    /// Runs a call until its deadline. The call has ended when this returns.
    ///
    /// - Throws: the error of the operation, or ``NetworkError/timeout`` over ``TransportError/Code/totalTimeout`` at the deadline.
    static func run<Value: Sendable>(
        _ context: RequestContext, _ request: URLRequest,
        operation: @escaping @Sendable (RequestContext) async throws -> Value
    ) async throws -> Value {
        // NaN counts as no deadline.
        guard let remaining = context.timeRemaining, remaining < .infinity else { return try await operation(context) }
        guard remaining > 0 else { throw failure(context, request, phase: .preparing, trace: RetryTrace()) }
        let trace = Locked(RetryTrace())
        let value = try await context.clock.run(for: remaining) { [context] in
            var inner = context
            inner.retryTrace = trace
            return try await operation(inner)
        }
        if let value { return value }
        throw failure(context, request, phase: .waiting, trace: trace.withLock { $0 })
    }

    @inline(never)
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
