import NetCore
import NetTesting
import Testing

@testable import NetClient

@Suite struct SharedAlarmTests {
    private let clock = TestClock()
    private let rung = Locked<[Int]>([])

    private func set(_ number: Int, _ alarm: SharedAlarm) -> SharedAlarm.ID {
        alarm.set(on: clock) { [rung] in rung.withLock { $0.append(number) } }
    }

    @Test func eachRingsAfterItsDelayAndNotBefore() async throws {
        let alarm = SharedAlarm(delay: 2)
        _ = set(1, alarm)
        try await clock.waitForSleepers()
        await clock.advance(by: 1.5)
        _ = set(2, alarm)
        await clock.advance(by: 0.5)
        try await clock.waitForSleepers()
        #expect(rung.withLock { $0 } == [1])
        #expect(alarm.count == 1)
        await clock.advance(by: 1.5)
        #expect(rung.withLock { $0 } == [1, 2])
        #expect(alarm.entryCount == 0 && clock.sleeperCount == 0)
        #expect(clock.sleeps == [2, 1.5], "One sleeper for both.")
    }

    @Test func whatWasRemovedDoesNotRing() async throws {
        let alarm = SharedAlarm(delay: 1)
        let ids = (0..<5).map { set($0, alarm) }
        for id in [ids[0], ids[3], ids[0]] { alarm.remove(id) }
        #expect(alarm.count == 3)
        try await clock.waitForSleepers()
        await clock.advance(by: 1)
        #expect(rung.withLock { $0 } == [1, 2, 4])
        alarm.remove(ids[1])
        #expect(alarm.entryCount == 0)
    }

    @Test func aNewOneIsRungAfterAllWereGone() async throws {
        let alarm = SharedAlarm(delay: 1)
        let id = set(1, alarm)
        try await clock.waitForSleepers()
        alarm.remove(id)
        await clock.advance(by: 1)
        #expect(clock.sleeperCount == 0 && alarm.entryCount == 0)
        _ = set(2, alarm)
        try await clock.waitForSleepers()
        await clock.advance(by: 1)
        #expect(rung.withLock { $0 } == [2])
    }

    @Test func whoLosesInterestIsForgottenBeforeHisTime() {
        let alarm = SharedAlarm(delay: 1_000)
        _ = set(0, alarm)
        for number in 1...10_000 { alarm.remove(set(number, alarm)) }
        #expect(alarm.count == 1 && alarm.entryCount < 100)
    }

    @Test func clocksAreKeptApart() async throws {
        let alarm = SharedAlarm(delay: 1)
        let other = TestClock()
        _ = set(1, alarm)
        _ = alarm.set(on: other) { [rung] in rung.withLock { $0.append(2) } }
        try await other.waitForSleepers()
        await other.advance(by: 1)
        #expect(rung.withLock { $0 } == [2])
        try await clock.waitForSleepers()
        await clock.advance(by: 1)
        #expect(rung.withLock { $0 } == [2, 1])
    }

    @Test func nobodySleepsForAnAlarmThatIsGone() async throws {
        var alarm: SharedAlarm? = SharedAlarm(delay: 1)
        _ = alarm?.set(on: clock) { [rung] in rung.withLock { $0.append(1) } }
        try await clock.waitForSleepers()
        alarm = nil
        await clock.advance(by: 1)
        #expect(rung.withLock { $0 } == [] && clock.sleeperCount == 0)
    }
}
