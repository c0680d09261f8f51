import NetCore
import NetTesting
import TestLab
import Testing

@testable import NetClient

@Suite struct HedgeTimerTests {
    private let clock = TestClock()

    private func start(_ timer: HedgeTimer) -> HedgeRace {
        let race = HedgeRace(timer)
        race.startTimer(on: clock)
        return race
    }

    private func isDue(_ race: HedgeRace) async throws -> Bool {
        if case .due = try await race.next() { true } else { false }
    }

    @Test func oneTaskSleepsForAllRaces() async throws {
        let timer = HedgeTimer(delay: 2)
        let first = start(timer)
        try await clock.waitForSleepers()
        await clock.advance(by: 1.5)
        let second = start(timer)
        await clock.advance(by: 0.5)
        #expect(try await isDue(first))
        try await clock.waitForSleepers()
        #expect(timer.entryCount == 1)
        await clock.advance(by: 1.5)
        #expect(try await isDue(second))
        #expect(timer.entryCount == 0 && clock.sleeperCount == 0)
        #expect(clock.sleeps == [2, 1.5])
    }

    @Test func aRaceThatEndedIsNotTold() async throws {
        let timer = HedgeTimer(delay: 1)
        let races = (0..<3).map { _ in start(timer) }
        races[0].end()
        races[1].end()
        races[1].end()
        try await clock.waitForSleepers()
        await clock.advance(by: 1)
        #expect(try await isDue(races[2]))
        #expect(timer.entryCount == 0)
        await #expect(throws: CancellationError.self) { try await races[0].next() }
        let next = start(timer)
        try await clock.waitForSleepers()
        await clock.advance(by: 1)
        #expect(try await isDue(next), "a new sleeper")
    }

    @Test func racesThatEndedAreRemovedBeforeTheirTime() {
        let timer = HedgeTimer(delay: 1_000)
        let race = start(timer)
        for _ in 1...10_000 { start(timer).end() }
        #expect(timer.entryCount < 200 && !race.isOver)
    }

    @Test func nothingKeepsATimer() async throws {
        weak var released: HedgeTimer?
        do {
            let timer = HedgeTimer(delay: 1)
            released = timer
            let race = start(timer)
            try await clock.waitForSleepers()
            race.end()
        }
        #expect(released == nil)
        await clock.advance(by: 1)
        #expect(clock.sleeperCount == 0)
    }
}
