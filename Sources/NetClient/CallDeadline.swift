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
        var inner = context
        inner[RetryTraceKey.self] = trace
        let value = try await context.clock.run(for: remaining) { [inner] in try await operation(inner) }
        if let value { return value }
        throw failure(context, request, phase: .waiting, trace: trace.withLock { $0 })
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

/// The retries of a call, kept outside of it: a call that ends at its deadline has no response or error to carry them.
enum RetryTraceKey: RequestContextKey {
    static let defaultValue: Locked<RetryTrace>? = nil
}

extension NetworkClock {
    /// Runs an operation for a limited time. It has ended when this returns.
    ///
    /// If the time runs out, the operation is cancelled. A result that it still returns is not lost.
    ///
    /// - Parameters:
    ///   - seconds: the limit; nil, infinity and NaN set none.
    ///   - operation: ends at once when its task is cancelled.
    /// - Returns: the result, or nil if the time ran out.
    /// - Throws: the error of the operation. After the time ran out, only a timeout of its own or a cancellation by the caller.
    func run<Value: Sendable>(
        for seconds: TimeInterval?, _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        guard let seconds, seconds < .infinity else { return try await operation() }
        return try await withThrowingTaskGroup(of: Event<Value>.self) { group in
            group.addTask { .done(try await operation()) }
            group.addTask {
                do { try await sleep(for: seconds) } catch { return .stopped }
                return .timeIsUp
            }
            defer { group.cancelAll() }
            var isLate = false
            do {
                while let event = try await group.next() {
                    switch event {
                    case .done(let value): return value
                    case .timeIsUp:
                        isLate = true
                        group.cancelAll()
                    // Cancelled by the caller, as the operation is: its outcome counts.
                    case .stopped: break
                    }
                }
            } catch {
                if !isLate || Task.isCancelled || (error as? NetworkFailure)?.cause == .timeout { throw error }
            }
            return nil
        }
    }
}

private enum Event<Value: Sendable>: Sendable {
    case done(Value)
    case timeIsUp
    case stopped
}
