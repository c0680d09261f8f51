@testable import NetClient

@Suite struct CredentialRefresherTests {
    private let refresher = CredentialRefresher()
    private let clock = TestClock()
    private let gate = Gate()

    private func timeouts(_ timeRemaining: TimeInterval? = nil) -> CredentialRefresher.RefreshTimeouts {
        .init(timeRemaining: timeRemaining, clock: clock, refreshTimeout: 60, refreshClock: clock)
    }

    private func now() async throws -> CredentialRefresher.Generation { try await refresher.current(timeouts()) }

    @Test func eachRefreshIncrementsTheGeneration() async throws {
        #expect(try await now() == 0)
        let count = Locked(0)
        // The second one is late.
        for (used, expected) in [(0, 1), (0, 1), (1, 2)] as [(UInt64, Int)] {
            try await refresher.refresh(after: used, timeouts()) { count.withLock { $0 += 1 } }
            #expect(try await now() == UInt64(expected) && count.withLock { $0 } == expected)
        }
    }

    @Test func lateWaitersShareTheFailureUntilTheNextRefresh() async throws {
        let fail: CredentialRefresher.Operation = { throw RefreshError() }
        await #expect(throws: RefreshFailure.self) { try await refresher.refresh(after: 0, timeouts(), by: fail) }
        await #expect(throws: RefreshFailure.self) {
            try await refresher.refresh(after: 0, timeouts()) { Issue.record("it came late") }
        }
        #expect(try await now() == 1)
        try await refresher.refresh(after: 1, timeouts()) {}
        try await refresher.refresh(after: 0, timeouts()) { Issue.record("there are new ones") }
        await #expect(throws: RefreshFailure.self) { try await refresher.refresh(after: 2, timeouts(), by: fail) }
        try await refresher.refresh(after: 1, timeouts()) { Issue.record("newer than these") }
    }

    @Test func cancelledWaiterDoesNotCancelTheRefresh() async throws {
        let first = Task { try await refresher.refresh(after: 0, timeouts()) { [gate] in await gate.pass() } }
        try await gate.waitForArrivals()
        let second = Task { try await refresher.refresh(after: 0, timeouts()) {} }
        let held = Task { try await refresher.current(timeouts()) }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.open()
        try await second.value
        #expect(try await held.value == 1)
        try await waitUntil("no sleeper is left") { clock.sleeperCount == 0 ? () : nil }
    }

    @Test func refreshWithoutWaitersCompletes() async throws {
        let wasCancelled = Locked(false)
        let task = Task {
            try await refresher.refresh(after: 0, timeouts()) { [gate] in
                await gate.pass()
                wasCancelled.withLock { $0 = Task.isCancelled }
            }
        }
        try await gate.waitForArrivals()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        gate.open()
        #expect(try await now() == 1 && !wasCancelled.withLock { $0 })
        try await refresher.refresh(after: 0, timeouts()) { Issue.record("there are new ones") }
    }

    @Test func cancelledTaskDoesNotRefresh() async throws {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await refresher.refresh(after: 0, timeouts()) { Issue.record("cancelled") }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await now() == 0)
    }

    @Test func deadlineEndsOneWait() async throws {
        let patient = Task { try await refresher.refresh(after: 0, timeouts()) { [gate] in await gate.pass() } }
        try await gate.waitForArrivals()
        let hasty = Task { try await refresher.refresh(after: 0, timeouts(3)) {} }
        let held = Task { try await refresher.current(timeouts(5)) }
        try await clock.advance(by: 3, whenSleeping: 3)
        let error = await #expect(throws: TransportError.self) { try await hasty.value }
        #expect(error?.code == .totalTimeout && error?.isUnprocessed == true)
        await clock.advance(by: 2)
        await #expect(throws: TransportError.self) { try await held.value }
        await #expect(throws: TransportError.self) { try await refresher.refresh(after: 0, timeouts(0)) {} }
        // NaN sets no limit.
        let endless = Task { try await refresher.refresh(after: 0, timeouts(.nan)) {} }
        gate.open()
        try await patient.value
        try await endless.value
        try await waitUntil("no sleeper is left") { clock.sleeperCount == 0 ? () : nil }
        #expect(Set(clock.sleeps) == [60, 3, 5])
    }

    @Test func refreshThatCompletesAfterItsTimeoutCounts() async throws {
        let task = Task { try await refresher.refresh(after: 0, timeouts()) { [gate] in await gate.pass() } }
        try await gate.waitForArrivals()
        try await clock.advance(by: 60, whenSleeping: 1)
        await #expect(throws: RefreshFailure.self) { try await task.value }
        #expect(try await now() == 1)
        try await refresher.refresh(after: 1, timeouts()) {}
        gate.open()
        try await waitUntil("the late refresh counts") { refresher.generationNow == 3 ? () : nil }
        try await refresher.refresh(after: 2, timeouts()) { Issue.record("there are new ones") }
    }

    @Test func refreshScopeIsTaskLocal() async throws {
        let other = CredentialRefresher()
        #expect(!refresher.isRefreshing && !RefreshScope.isActive)
        try await refresher.refresh(after: 0, timeouts()) { [refresher, timeouts = timeouts()] in
            #expect(refresher.isRefreshing && !other.isRefreshing && RefreshScope.isActive)
            try await other.refresh(after: 0, timeouts) {
                #expect(refresher.isRefreshing && other.isRefreshing)
                await Task { #expect(refresher.isRefreshing) }.value
            }
        }
        #expect(!refresher.isRefreshing)
    }

    /// Refreshes that succeed and fail, late waiters, cancellations and deadlines in random order. Each request ends once,
    /// and no two refreshes overlap.
    @Test(arguments: 1...20) func randomRefreshesCancellationsAndDeadlines(seed: UInt64) async throws {
        var random = SeededGenerator(state: seed &* 0x9E37_79B9_7F4A_7C15)
        let running = Locked((now: 0, most: 0, started: 0, ended: 0))
        let outcomes = Locked((success: 0, failure: 0, cancelled: 0, late: 0))
        let count = 200
        var steady = 0
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                let yields = (random.next(below: 20), random.next(below: 20))
                let (fails, age, role) = (random.next(below: 3) == 0, random.next(below: 3), random.next(below: 4))
                if role > 1 { steady += 1 }
                let task = Task {
                    for _ in 0..<5 {
                        for _ in 0..<yields.0 { await Task.yield() }
                        let generation = try await refresher.current(timeouts())
                        let old = generation > UInt64(age) ? generation - UInt64(age) : 0
                        do {
                            try await refresher.refresh(after: old, timeouts(role == 0 ? 1 : nil)) {
                                running.withLock {
                                    $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.started + 1, $0.ended)
                                }
                                defer { running.withLock { $0 = ($0.now - 1, $0.most, $0.started, $0.ended + 1) } }
                                for _ in 0..<yields.1 { await Task.yield() }
                                if fails { throw RefreshError() }
                            }
                        } catch is RefreshFailure { outcomes.withLock { $0.failure += 1 } }
                    }
                }
                if role == 1 {
                    group.addTask {
                        for _ in 0..<(index % 17) { await Task.yield() }
                        task.cancel()
                    }
                }
                group.addTask {
                    let result = await task.result
                    outcomes.withLock { outcomes in
                        switch result {
                        case .success: outcomes.success += 1
                        case .failure(is CancellationError): outcomes.cancelled += 1
                        case .failure: outcomes.late += 1
                        }
                    }
                }
            }
            group.addTask { await clock.advance(by: 1) }
            try await group.waitForAll()
        }
        try await waitUntil("all refreshes and waits have ended") {
            running.withLock { $0.now == 0 && $0.started == $0.ended } && clock.sleeperCount == 0 ? () : nil
        }
        let (success, failure, cancelled, late) = outcomes.withLock { $0 }
        #expect(success + cancelled + late == count && running.withLock { $0.most } == 1)
        #expect(success >= steady && failure <= count * 5)
        #expect(running.withLock { $0.started } >= 5, "one for each round with the newest credentials")
    }
}
