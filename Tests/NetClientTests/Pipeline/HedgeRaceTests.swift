import NetTesting
import Testing

@testable import NetClient

@Suite(.timeLimit(.minutes(1))) struct HedgeRaceTests {
    private static let clocks: [any NetworkClock] = [SystemClock(), TestClock(autoAdvance: true)]

    @Test(arguments: clocks) func timerFiresAfterTheDelay(on clock: any NetworkClock) async throws {
        let race = HedgeRace()
        race.startTimer(after: 0.001, on: clock)
        if case .due = try await race.next() {} else { Issue.record("the timer is the only event") }
        race.end()
    }

    @Test(arguments: [SystemClock(), TestClock()] as [any NetworkClock])
    func endedRaceHasNoTimer(on clock: any NetworkClock) async throws {
        weak var released: HedgeRace?
        do {
            let race = HedgeRace()
            released = race
            race.startTimer(after: 1_000, on: clock)
            race.end()
            race.end()
            await #expect(throws: CancellationError.self) { try await race.next() }
            race.startTimer(after: 1_000, on: clock)
        }
        // A cancelled task ends later.
        while released != nil { try await SystemClock().sleep(for: 0.001) }
    }
}
