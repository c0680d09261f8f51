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

extension NetworkClock where Self == SystemClock {
    public static var system: SystemClock { SystemClock() }
}

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
        let longest: TimeInterval = 100 * 365 * 86_400
        try await Task.sleep(nanoseconds: UInt64(Swift.min(seconds, longest) * 1_000_000_000))
    }
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
    package func run<Value: Sendable>(
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
