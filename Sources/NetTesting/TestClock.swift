public import NetCore

/// A clock that a test moves by hand: back-off, timeouts and expiry are tested to the second and take no time.
///
/// ```swift
/// let clock = TestClock()
/// let networking = Networking(transport: .platform, interceptor: BackoffInterceptor(), clock: clock)
/// let task = Task { await networking.request(url: url) as NetworkResponse<User> }      // retries after 1 s
/// try await clock.waitForSleepers()
/// await clock.advance(by: 1)
/// ```
///
/// With ``init(now:autoAdvance:)`` and `autoAdvance`, or by ``run(_:)``, nobody has to know when who sleeps:
/// ``sleeps`` tells afterwards what was asked for. Neither is for code that lets a timeout race against real I/O, since the timeout would
/// always win: move the clock by hand there.
///
/// Time is counted in whole nanoseconds, so that ten steps of 0.1 s end a sleep of 1 s.
public final class TestClock: NetworkClock {
    private struct State {
        /// The date at uptime zero.
        var origin: Date
        var uptime: Int64 = 0
        /// When each sleep ends, by its number.
        var sleepers: [UInt64: Int64] = [:]
        var sleeps: [TimeInterval] = []
        var lastID: UInt64 = 0

        /// When the first sleeper is due, those left out that sleep for ever.
        var nextDue: Int64? { sleepers.values.filter { $0 < .max }.min() }
    }

    private let state: ConditionLock<State>
    private let autoAdvance: Bool

    /// A clock that stands still.
    ///
    /// - Parameters:
    ///   - now: the date to begin with. The default is 14 November 2023, 22:13:20 UTC.
    ///   - autoAdvance: whether each sleep moves the clock and returns at once. An infinite one sleeps until it is cancelled.
    public init(now: Date = Date(timeIntervalSince1970: 1_700_000_000), autoAdvance: Bool = false) {
        state = ConditionLock(State(origin: now))
        self.autoAdvance = autoAdvance
    }

    // MARK: The clock

    /// The date that the test has set, and moved.
    public var now: Date { state.read { $0.origin.addingTimeInterval(Self.seconds($0.uptime)) } }

    /// The seconds by which the clock was moved so far.
    public var uptime: TimeInterval { state.read { Self.seconds($0.uptime) } }

    /// Sleeps until the clock was moved that far. See ``NetworkClock/sleep(for:)``.
    public func sleep(for seconds: TimeInterval) async throws {
        let id = state.update { state in
            state.lastID += 1
            return state.lastID
        }
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

    // MARK: What a test sees

    /// The durations that were asked for, in order, also those that were cancelled later: the exact schedule of a back-off.
    public var sleeps: [TimeInterval] { state.read(\.sleeps) }

    /// How many tasks sleep now.
    public var sleeperCount: Int { state.read(\.sleepers.count) }

    /// Waits until at least that many tasks sleep, so that moving the clock reaches them.
    ///
    /// - Parameters:
    ///   - count: how many have to sleep.
    ///   - timeout: how long to wait, in seconds of *real* time.
    /// - Throws: ``NetTestingError/timedOut(seconds:)``, `CancellationError`.
    public func waitForSleepers(count: Int = 1, timeout: TimeInterval = 60) async throws {
        try await state.wait(timeout: timeout) { $0.sleepers.count >= count ? () : nil }
    }

    // MARK: Moving it

    /// Sets the date, as a user or a time server does: nobody wakes, and ``uptime`` goes on as before.
    public func set(now date: Date) {
        state.update { $0.origin = date.addingTimeInterval(-Self.seconds($0.uptime)) }
    }

    /// Moves the clock, and wakes those who are due, one moment after the other: between two of them the first has the chance to
    /// run and to sleep again.
    ///
    /// It gives other tasks the chance to run by yielding to them. A task that has more to do than that needs
    /// ``waitForSleepers(count:timeout:)`` before the next move.
    ///
    /// - Parameter seconds: how far, in seconds. Zero, negative numbers and NaN do not move it; it ends after 292 years.
    public func advance(by seconds: TimeInterval) async {
        await settle()
        let target = state.read { min(.max - 1, Self.sum($0.uptime, Self.nanoseconds(seconds))) }
        while moveToNextDue(notAfter: target) { await settle() }
        state.update { $0.uptime = max($0.uptime, target) }
        await settle()
    }

    /// Moves the clock to the moment at which the next sleeper is due, and wakes those who are due then.
    ///
    /// - Returns: whether somebody slept. Who sleeps for ever does not count.
    @discardableResult
    public func advanceToNextSleeper() async -> Bool {
        await settle()
        guard moveToNextDue(notAfter: .max) else { return false }
        await settle()
        return true
    }

    /// Runs an operation, and moves the clock on whenever a task sleeps: what sleeps for less wakes first.
    ///
    /// - Throws: what the operation throws.
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

    /// Whether somebody was due by then.
    private func moveToNextDue(notAfter limit: Int64) -> Bool {
        state.update { state in
            guard let due = state.nextDue, due <= limit else { return false }
            state.uptime = max(state.uptime, due)
            return true
        }
    }

    /// Lets other tasks run. How long they need nobody can know; this is for those who only have to reach their next `await`.
    private func settle() async {
        for _ in 0..<20 { await Task.yield() }
    }

    // MARK: Nanoseconds

    /// `Int64.max` stands for ever.
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
