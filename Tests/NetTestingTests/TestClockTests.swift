import NetTesting
import Testing

struct TestClockTests {
    @Test func standsStillUntilItIsMoved() async {
        let clock = TestClock(now: Date(timeIntervalSince1970: 1_000))
        #expect((clock.now, clock.uptime) == (Date(timeIntervalSince1970: 1_000), 0))
        await clock.advance(by: 2.5)
        #expect((clock.now, clock.uptime) == (Date(timeIntervalSince1970: 1_002.5), 2.5))
    }

    @Test func setsTheDateWithoutMovingTheUptime() async {
        let clock = TestClock()
        await clock.advance(by: 5)
        clock.set(now: Date(timeIntervalSince1970: 7))
        #expect((clock.now, clock.uptime) == (Date(timeIntervalSince1970: 7), 5))
        await clock.advance(by: 1)
        #expect(clock.now == Date(timeIntervalSince1970: 8))
    }

    @Test(arguments: [0, -1, -Double.infinity, Double.nan]) func returnsAtOnceFor(seconds: Double) async throws {
        let clock = TestClock()
        try await clock.sleep(for: seconds)
        #expect((clock.uptime, clock.sleeps.count) == (0, 1))
        await clock.advance(by: seconds)
        #expect(clock.uptime == 0)
    }

    @Test func wakesInOrderOfTheirDueTimes() async throws {
        let clock = TestClock()
        let log = Locked<[String]>([])
        let tasks = [3.0, 1.0, 2.0].map { seconds in
            Task {
                try await clock.sleep(for: seconds)
                log.withLock { $0.append("\(seconds) at \(clock.uptime)") }
            }
        }
        try await clock.waitForSleepers(count: 3)
        for expected in ["1.0 at 1.0", "2.0 at 2.0", "3.0 at 3.0"] {
            #expect(await clock.advanceToNextSleeper())
            // The task was resumed; how soon it runs is up to the scheduler.
            while log.withLock({ $0.last }) != expected { await Task.yield() }
        }
        for task in tasks { try await task.value }
        #expect(await !clock.advanceToNextSleeper())
    }

    /// At the very nanosecond; and tenths add up.
    @Test(arguments: [(1.0, [0.999_999_999, 0.000_000_001]), (0.8, Array(repeating: 0.1, count: 8))])
    func wakesAtItsTime(_ time: Double, steps: [Double]) async throws {
        let clock = TestClock()
        let sleeper = Task {
            try await clock.sleep(for: time)
            return clock.uptime
        }
        try await clock.waitForSleepers()
        for step in steps {
            #expect(clock.sleeperCount == 1)
            await clock.advance(by: step)
        }
        #expect((clock.sleeperCount, clock.uptime) == (0, time))
        #expect(try await sleeper.value == time)
    }

    @Test func autoAdvanceReturnsAtOnceAndKeepsTheSchedule() async throws {
        let clock = TestClock(autoAdvance: true)
        for seconds in [1.0, 2.0, 4.0] { try await clock.sleep(for: seconds) }
        #expect((clock.sleeps, clock.uptime, clock.sleeperCount) == ([1, 2, 4], 7, 0))
    }

    @Test(arguments: [false, true]) func infiniteSleepEndsByCancellationOnly(autoAdvance: Bool) async throws {
        let clock = TestClock(autoAdvance: autoAdvance)
        let task = Task { try await clock.sleep(for: .infinity) }
        try await clock.waitForSleepers()
        await clock.advance(by: 1e12)
        await clock.advance(by: .infinity)
        #expect(await !clock.advanceToNextSleeper())
        #expect(clock.sleeperCount == 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func runMovesOnWhateverSleeps() async throws {
        let clock = TestClock()
        let result = try await clock.run {
            async let slow: Void = clock.sleep(for: 3_600)
            for delay in [1.0, 2.0, 4.0] { try await clock.sleep(for: delay) }
            try await slow
            return clock.uptime
        }
        // At least: under load it may be seen asleep before the others are, which are then late.
        #expect(result >= 3_600 && clock.sleeps.sorted() == [1, 2, 4, 3_600])
        await #expect(throws: URLError.self) {
            try await clock.run {
                try await clock.sleep(for: 1)
                throw URLError(.timedOut)
            }
        }
    }

    @Test func cancelledTaskDoesNotSleep() async throws {
        let clock = TestClock(autoAdvance: true)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await clock.sleep(for: 1)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeps.isEmpty && clock.uptime == 0)
    }

    /// Cancelling, waking and sleeping race against each other: nobody may be resumed twice (a trap) or never (a hang).
    @Test func survivesRaces() async throws {
        let clock = TestClock()
        let ended = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<500 {
                group.addTask {
                    let sleeper = Task { try await clock.sleep(for: Double(number % 7)) }
                    let canceller = Task { if number.isMultiple(of: 2) { sleeper.cancel() } }
                    _ = await sleeper.result
                    await canceller.value
                    return true
                }
            }
            let mover = Task { while !Task.isCancelled { await clock.advance(by: 1) } }
            let count = await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            mover.cancel()
            return count
        }
        #expect((ended, clock.sleeperCount) == (500, 0))
    }

    @Test func waitingForSleepersHasAnEnd() async throws {
        let clock = TestClock()
        await #expect(throws: NetTestingError.timedOut(seconds: 0.01)) {
            try await clock.waitForSleepers(timeout: 0.01)
        }
        let task = Task { try await clock.waitForSleepers() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
