/// The source of time for retries, timeouts, circuit breakers, caches and expiry. Tests replace it with `TestClock` of NetTesting.
///
/// Swift's `Clock` requires iOS 16, which is above this SDK's deployment targets.
public protocol NetworkClock: Sendable {
    /// The wall-clock date, for `Date` headers, expiry and timestamps. It may jump.
    var now: Date { get }

    /// Seconds since a fixed moment, which never go backwards: for measurements and deadlines.
    var uptime: TimeInterval { get }

    /// Suspends for that many seconds. Returns at once for zero, a negative number or NaN.
    ///
    /// - Parameter seconds: the duration in seconds. `TimeInterval.infinity` sleeps until cancelled.
    /// - Throws: `CancellationError` as soon as the task is cancelled, also if it was cancelled before the call.
    func sleep(for seconds: TimeInterval) async throws
}

extension NetworkClock where Self == SystemClock { public static var system: SystemClock { SystemClock() } }

/// The system's clock.
public struct SystemClock: NetworkClock {
    public init() {}

    public var now: Date { Date() }

    /// Seconds since the system started.
    public var uptime: TimeInterval { ProcessInfo.processInfo.systemUptime }

    /// Sleeps with `Task.sleep`, for at most a hundred years.
    public func sleep(for seconds: TimeInterval) async throws {
        try Task.checkCancellation()
        guard seconds > 0 else { return }
        try await Task.sleep(nanoseconds: UInt64(Swift.min(seconds, .longestWait) * 1_000_000_000))
    }
}

extension NetworkClock {
    /// Runs an operation for a limited time. It has ended when this returns.
    ///
    /// If the time runs out, the operation is cancelled, and has to end at once. A result that it still returns is not lost.
    ///
    /// - Parameter seconds: the limit; nil, infinity and NaN set none.
    /// - Returns: the result, or nil if the time ran out.
    /// - Throws: the error of the operation. After the time ran out, only a timeout of its own or a cancellation by the caller.
    package func run<Value: Sendable>(
        for seconds: TimeInterval?, _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        // A task of its own would not know that the caller's is cancelled.
        guard let seconds, seconds < .infinity, !Task.isCancelled else { return try await operation() }
        let hasEnded = OnceFlag()
        let task = beginTask {
            defer { _ = hasEnded.take() }
            return try await operation()
        }
        // It has not waited, as for a stored response: a timer would cost as much as the rest.
        if hasEnded.isTaken { return try await task.value }
        let timer = ClockTimer(on: self, after: seconds) { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        let isLate = await timer.cancel()
        do {
            return try result.get()
        } catch {
            if !isLate || Task.isCancelled || (error as? NetworkFailure)?.cause == .timeout { throw error }
            return nil
        }
    }
}

/// A function that is called at its time by a clock, unless it is cancelled before. With the system's clock it needs no task: one that sleeps
/// costs more than the rest of the pipeline, and most timers are cancelled before their time.
package enum ClockTimer: Sendable {
    case ticket(TimerQueue.Ticket)
    case sleep(Task<Bool, Never>)

    /// - Parameter seconds: the time until the function is called, on another thread or task.
    package init(on clock: some NetworkClock, after seconds: TimeInterval, _ action: @escaping @Sendable () -> Void) {
        if clock is SystemClock {
            self = .ticket(TimerQueue.shared.schedule(after: seconds, action))
        } else {
            self = .sleep(
                Task {
                    guard (try? await clock.sleep(for: seconds)) != nil else { return false }
                    action()
                    return true
                })
        }
    }

    /// Cancels it without waiting. The function may be called still if the time was up.
    package func stop() {
        switch self {
        case .ticket(let ticket): TimerQueue.shared.cancel(ticket)
        case .sleep(let task): task.cancel()
        }
    }

    /// Cancels it, and returns whether the time was up. Then the function may be called still.
    fileprivate func cancel() async -> Bool {
        switch self {
        case .ticket(let ticket): return !TimerQueue.shared.cancel(ticket)
        case .sleep(let task):
            task.cancel()
            return await task.value
        }
    }
}
