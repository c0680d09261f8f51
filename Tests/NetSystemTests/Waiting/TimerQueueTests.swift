import Foundation
import TestLab
import Testing

@testable import NetSystem

struct TimerQueueTests {
    private let timers = TimerQueue.shared

    @Test func functionsAreCalledInTheOrderOfTheirTimes() async throws {
        var all: [Int] = []
        // After a pause of this machine, two may be due at once, and run at once. A wrong heap gives a wrong order each time.
        for _ in 0..<5 where all != [0, 1, 2, 3] {
            let called = Locked<[Int]>([])
            for index in [3, 1, 2, 0] {
                _ = timers.schedule(after: 0.05 + Double(index) / 5) { called.withLock { $0.append(index) } }
            }
            all = try await waitUntil("all functions") { called.withLock { $0.count == 4 ? $0 : nil } }
        }
        #expect(all == [0, 1, 2, 3])
    }

    @Test(arguments: [0, -1, 1e-12]) func dueTimerIsCalledAtOnce(seconds: TimeInterval) async throws {
        let isCalled = Locked(false)
        _ = timers.schedule(after: seconds) { isCalled.withLock { $0 = true } }
        _ = try await waitUntil("the function") { isCalled.withLock { $0 ? true : nil } }
    }

    @Test func infiniteDelayIsAccepted() {
        let ticket = timers.schedule(after: .greatestFiniteMagnitude) { Issue.record("called") }
        timers.cancel(ticket)
    }

    /// Random functions, of which some are cancelled: exactly the others are called. A ticket of one that has been called cancels no later one.
    @Test func cancelledFunctionsAreNotCalled() async throws {
        let called = Locked<Set<Int>>([])
        var expected: Set<Int> = []
        var earlier: [TimerQueue.Ticket] = []
        var cancelledCount = 0
        for round in 0..<20 {
            var tickets = (round * 100..<round * 100 + 100).map { number in
                (number, timers.schedule(after: .random(in: 0.3...0.5)) { called.withLock { _ = $0.insert(number) } })
            }
            tickets.shuffle()
            // After a pause of this machine, the time of one may have come. Then `cancel` says so.
            let cancelled = Set(tickets.prefix(50).filter { timers.cancel($0.1) }.map(\.0))
            cancelledCount += cancelled.count
            for ticket in earlier { timers.cancel(ticket) }
            let left = Set(tickets.map(\.0)).subtracting(cancelled)
            expected.formUnion(left)
            if round % 5 == 0 {
                _ = try await waitUntil("the functions of a round") {
                    called.withLock { left.isSubset(of: $0) ? true : nil }
                }
                earlier = tickets.map(\.1)
            }
        }
        let all = expected
        _ = try await waitUntil("all functions") { called.withLock { all.isSubset(of: $0) ? true : nil } }
        #expect(called.withLock { $0 } == expected && cancelledCount > 0)
    }
}

@Suite(.timeLimit(.minutes(5))) struct InFlightCallsTests {
    private let calls = InFlightCalls()

    /// Returns whether the wait of a call goes on until the test ends it.
    private func waits(_ call: UInt64) async throws -> Bool {
        do {
            // Without a cancellation the sleep ends by itself.
            try await calls.run(for: call) { try await Task.sleep(nanoseconds: 100_000_000) }
            return true
        } catch is CancellationError { return false }
    }

    @Test func waitOfACancelledCallEnds() async throws {
        let early = try #require(calls.enter())
        #expect(try await waits(early))
        calls.cancelAll()
        #expect(try await !waits(early))
        let late = try #require(calls.enter())
        #expect(try await waits(late))
        // Work that belongs to no call.
        #expect(try await waits(0))
        calls.close(cancelling: true)
        #expect(try await !waits(late))
    }

    /// Such as the pause before a download's next attempt, whose call has ended.
    @Test func cancelAllEndsAWaitThatBeginsAfterItsCall() async throws {
        _ = calls.enter()
        calls.cancelAll()
        let next = calls.nextCall
        #expect(try await waits(next), "the cancellation was earlier")
        _ = calls.enter()
        calls.cancelAll()
        #expect(try await !waits(next))
    }
}
