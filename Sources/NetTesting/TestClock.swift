public import NetCore

/// A clock that a test moves, so that back-off, timeouts and expiry are exact and take no time.
///
/// ```swift
/// let clock = TestClock()
/// let networking = Networking(transport: .platform, interceptor: BackoffInterceptor(), clock: clock)
/// let task = Task { await networking.request(url: url) as NetworkResponse<User> }      // retries after 1 s
/// try await clock.waitForSleepers()
/// await clock.advance(by: 1)
/// ```
///
/// With `autoAdvance` of ``init(now:autoAdvance:)``, or by ``run(_:)``, the clock moves whenever a task sleeps, and ``sleeps`` has the
/// durations. Use neither if a timeout races against real I/O, since the timeout would always win. Move the clock by hand there.
///
/// Time is counted in whole nanoseconds, so ten steps of 0.1 s end a sleep of 1 s.
public final class TestClock: NetworkClock {
    private struct State {
        /// The date at uptime zero.
        var origin: Date
        var uptime: Int64 = 0
        /// The end of each sleep by its number; `Int64.max` for a sleep without an end.
        var sleepers: [UInt64: Int64] = [:]
        var sleeps: [TimeInterval] = []

        /// The earliest end of a sleep, or nil. Ignores sleeps without an end.
        var nextDue: Int64? { sleepers.values.filter { $0 < .max }.min() }
    }

    private let state: ConditionLock<State>
    private let autoAdvance: Bool
    private let lastID = Locked<UInt64>(0)

    /// - Parameters:
    ///   - now: the initial date. The default is 14 November 2023, 22:13:20 UTC.
    ///   - autoAdvance: whether each sleep moves the clock and returns at once. An infinite sleep still ends only by cancellation.
    public init(now: Date = Date(timeIntervalSince1970: 1_700_000_000), autoAdvance: Bool = false) {
        state = ConditionLock(State(origin: now))
        self.autoAdvance = autoAdvance
    }

    // MARK: The clock

    /// The date of the clock.
    public var now: Date { state.read { $0.origin.addingTimeInterval(Self.seconds($0.uptime)) } }

    /// The seconds by which the clock was moved.
    public var uptime: TimeInterval { state.read { Self.seconds($0.uptime) } }

    /// Sleeps until the clock is moved that far. See ``NetworkClock/sleep(for:)``.
    public func sleep(for seconds: TimeInterval) async throws {
        let id = lastID.next()
        do {
            try await state.wait { [autoAdvance] state -> Void? in
                if let due = state.sleepers[id] {
                    guard due <= state.uptime else { return nil }
                    state.sleepers[id] = nil
                    return ()
                }
                state.sleeps.append(seconds)
                guard seconds > 0 else { return () }
                let due = Self.sum(state.uptime, Self.nanoseconds(seconds))
                if autoAdvance, due < .max {
                    state.uptime = due
                    return ()
                }
                state.sleepers[id] = due
                return nil
            }
        } catch {
            state.update { $0.sleepers[id] = nil }
            throw error
        }
    }

    // MARK: Sleeping tasks

    /// The durations of all sleeps in order, including cancelled ones, for example the schedule of a back-off.
    public var sleeps: [TimeInterval] { state.read(\.sleeps) }

    /// The number of tasks that sleep.
    public var sleeperCount: Int { state.read(\.sleepers.count) }

    /// Waits until at least that many tasks sleep, so that moving the clock wakes them.
    ///
    /// - Parameters:
    ///   - count: the number of tasks.
    ///   - timeout: the time limit in seconds of *real* time.
    /// - Throws: ``NetTestingError/timedOut(seconds:)``, `CancellationError`.
    public func waitForSleepers(count: Int = 1, timeout: TimeInterval = 60) async throws {
        try await state.wait(timeout: timeout) { $0.sleepers.count >= count ? () : nil }
    }

    // MARK: Moving the clock

    /// Sets the date, as a user or a time server does. No task wakes, and ``uptime`` stays.
    public func set(now date: Date) { state.update { $0.origin = date.addingTimeInterval(-Self.seconds($0.uptime)) } }

    /// Moves the clock, and wakes the tasks whose sleeps end, in order of time. Between two ends, the first can run and sleep again.
    ///
    /// The clock yields so that other tasks can run. If one needs longer, call ``waitForSleepers(count:timeout:)`` before the next move.
    ///
    /// - Parameter seconds: the seconds to move. Zero, negative numbers and NaN do not move the clock. It stops after 292 years.
    public func advance(by seconds: TimeInterval) async {
        await settle()
        let target = state.read { min(.max - 1, Self.sum($0.uptime, Self.nanoseconds(seconds))) }
        while moveToNextDue(notAfter: target) { await settle() }
        state.update { $0.uptime = max($0.uptime, target) }
        await settle()
    }

    /// Moves the clock to the earliest end of a sleep, and wakes the tasks whose sleeps end then.
    ///
    /// - Returns: whether a task slept. Ignores sleeps without an end.
    @discardableResult
    public func advanceToNextSleeper() async -> Bool {
        await settle()
        guard moveToNextDue(notAfter: .max) else { return false }
        await settle()
        return true
    }

    /// Runs an operation, and moves the clock whenever a task sleeps. The shortest sleep ends first.
    ///
    /// - Throws: the errors of the operation.
    public func run<Result: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let driver = Task {
            while !Task.isCancelled {
                try await state.wait { $0.nextDue == nil ? nil : () }
                await advanceToNextSleeper()
            }
        }
        defer { driver.cancel() }
        return try await operation()
    }

    /// Moves the clock to the earliest end of a sleep. Returns false if there is none up to the limit.
    private func moveToNextDue(notAfter limit: Int64) -> Bool {
        state.update { state in
            guard let due = state.nextDue, due <= limit else { return false }
            state.uptime = max(state.uptime, due)
            return true
        }
    }

    /// Lets other tasks run to their next `await`.
    private func settle() async { for _ in 0..<20 { await Task.yield() } }

    /// `Int64.max` means without an end.
    private static func nanoseconds(_ seconds: TimeInterval) -> Int64 {
        guard seconds > 0 else { return 0 }
        return seconds < 9e9 ? Int64((seconds * 1e9).rounded()) : .max
    }

    private static func seconds(_ nanoseconds: Int64) -> TimeInterval { TimeInterval(nanoseconds) / 1e9 }

    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }
}
