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
    /// Runs an operation, and cancels it after the given seconds of this clock.
    ///
    /// - Returns: the operation's result, or nil if the time ran out.
    /// - Throws: the operation's error, or `CancellationError` if the task is cancelled.
    package func limit<Value: Sendable>(
        to seconds: TimeInterval, _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                try await sleep(for: seconds)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
