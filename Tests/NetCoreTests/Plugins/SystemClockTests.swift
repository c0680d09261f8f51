import NetCore
import Testing

@Suite struct SystemClockTests {
    private let clock: any NetworkClock = .system

    @Test func dateOfTheSystemAndMonotonicUptime() {
        let before = Date()
        let now = clock.now
        #expect(before <= now && now <= Date())
        let uptimes = (0...10_000).map { _ in clock.uptime }
        #expect(uptimes[0] > 0 && uptimes == uptimes.sorted())
    }

    /// How late it wakes depends on the machine.
    @Test func sleepIsNotTooShort() async throws {
        let start = clock.uptime
        try await clock.sleep(for: 0.03)
        #expect(clock.uptime - start >= 0.029)
    }

    @Test(.timeLimit(.minutes(5)), arguments: [0, -0.0, -1, -.infinity, .nan, .leastNonzeroMagnitude])
    func sleepOfZeroReturnsImmediately(for seconds: TimeInterval) async throws { try await clock.sleep(for: seconds) }

    @Test(.timeLimit(.minutes(5)), arguments: [.infinity, .greatestFiniteMagnitude, 1e10, 3600] as [TimeInterval])
    func sleepUntilCancellation(for seconds: TimeInterval) async {
        let isDone = Locked(false)
        let task = Task { [clock] in
            defer { isDone.withLock { $0 = true } }
            try await clock.sleep(for: seconds)
        }
        try? await Task.sleep(nanoseconds: 20_000_000)
        #expect(!isDone.withLock { $0 }, "It returned without being cancelled")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(arguments: [0, -1, .nan, 3600] as [TimeInterval])
    func sleepInACancelledTaskThrows(for seconds: TimeInterval) async {
        let task = Task { [clock] in
            while !Task.isCancelled { await Task.yield() }
            try await clock.sleep(for: seconds)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
