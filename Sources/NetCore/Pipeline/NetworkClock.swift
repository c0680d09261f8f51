/// Where time comes from: retry, timeouts, breakers, caches and expiry all ask the client's clock, so that tests move it
/// by hand (`TestClock` in NetTesting) and take no real time.
///
/// It is a protocol of ours because Swift's `Clock` is above this SDK's floors (iOS 16).
public protocol NetworkClock: Sendable {
    /// The date, as a calendar has it: for `Date` headers, expiry and timestamps. It may jump.
    var now: Date { get }

    /// Seconds since some moment in the past, never going backwards: for measuring and for deadlines.
    var uptime: TimeInterval { get }

    /// Returns after that many seconds; at once for zero, a negative number or NaN.
    ///
    /// - Parameter seconds: how long, in seconds. `TimeInterval.infinity` sleeps until cancelled.
    /// - Throws: `CancellationError` as soon as the task is cancelled, also when it was before the call.
    func sleep(for seconds: TimeInterval) async throws
}

extension NetworkClock where Self == SystemClock {
    /// The system's clock.
    public static var system: SystemClock { SystemClock() }
}

/// The system's clock: the real time.
public struct SystemClock: NetworkClock {
    /// The system's clock. All are the same.
    public init() {}

    /// The current date.
    public var now: Date { Date() }

    /// Seconds since the system started.
    public var uptime: TimeInterval { ProcessInfo.processInfo.systemUptime }

    /// Sleeps by `Task.sleep`. What is longer than a hundred years counts as a hundred years.
    public func sleep(for seconds: TimeInterval) async throws {
        try Task.checkCancellation()
        guard seconds > 0 else { return }
        let longest: TimeInterval = 100 * 365 * 86_400
        try await Task.sleep(nanoseconds: UInt64(Swift.min(seconds, longest) * 1_000_000_000))
    }
}

extension NetworkClock {
    /// Runs an operation, and cancels it when the time is up.
    ///
    /// - Parameter seconds: by this clock.
    /// - Returns: what the operation gives, or nil if it was cancelled for the time.
    /// - Throws: what the operation throws, or `CancellationError` if the task is cancelled.
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
