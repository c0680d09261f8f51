import NetTesting
import NetTransfer
import Testing

@Suite("ProgressMeter") struct ProgressMeterTests {
    private let clock = TestClock()

    @Test func steadyTransferHasItsRate() async throws {
        var meter = ProgressMeter(totalBytes: 10_000, clock: clock)
        var progress = meter.progress
        for step in 1...20 {
            await clock.advance(by: 0.5)
            progress = meter.update(bytesCompleted: Int64(step) * 250)
        }
        #expect(try abs(#require(progress.bytesPerSecond) - 500) < 0.001)
        #expect(try abs(#require(progress.estimatedTimeRemaining) - 10) < 0.001)
    }

    @Test func oneBurstDoesNotSetTheRate() async throws {
        var meter = ProgressMeter(clock: clock)
        for step in 1...20 {
            await clock.advance(by: 1)
            _ = meter.update(bytesCompleted: Int64(step) * 100)
        }
        await clock.advance(by: 0.25)
        let rate = try #require(meter.update(bytesCompleted: 2000 + 10_000).bytesPerSecond)
        #expect(rate > 100 && rate < 10_000, "the burst alone is 40,000 bytes a second")
    }

    @Test func stallReducesTheRate() async throws {
        var meter = ProgressMeter(totalBytes: 10_000, clock: clock)
        await clock.advance(by: 1)
        #expect(meter.update(bytesCompleted: 1000).bytesPerSecond == 1000)
        var last = 1000.0
        for _ in 1...10 {
            await clock.advance(by: 1)
            let rate = try #require(meter.update(bytesCompleted: 1000).bytesPerSecond)
            #expect(rate < last)
            last = rate
        }
        #expect(last < 50)
    }

    @Test func frequentUpdatesAreOneSample() async {
        var meter = ProgressMeter(clock: clock)
        for count in 1...100 {
            await clock.advance(by: 0.01)
            _ = meter.update(bytesCompleted: Int64(count) * 10)
        }
        #expect(meter.progress.bytesPerSecond.map { abs($0 - 1000) < 50 } == true)
    }

    @Test func updatesNeverDecreaseNorCompleteAndAnExceededTotalIsUnknown() {
        var meter = ProgressMeter(totalBytes: 100, clock: clock)
        let first = meter.update(bytesCompleted: 10)
        #expect((first.bytesPerSecond, first.estimatedTimeRemaining, first.fractionCompleted) == (nil, nil, 0.1))
        for (count, completed) in [(60, 60), (40, 60), (-1, 60)] as [(Int64, Int64)] {
            #expect(meter.update(bytesCompleted: count).bytesCompleted == completed)
        }
        let all = meter.update(bytesCompleted: 100)
        #expect((all.fractionCompleted, all.isComplete) == (1, false))
        let over = meter.update(bytesCompleted: 101)
        #expect((over.totalBytes, over.fractionCompleted, over.estimatedTimeRemaining) == (nil, nil, nil))
    }

    @Test func finishCompletesTheTotal() {
        var meter = ProgressMeter(clock: clock)
        _ = meter.update(bytesCompleted: 70)
        let end = meter.finish()
        #expect(end.isComplete && (end.totalBytes, end.fractionCompleted, end.estimatedTimeRemaining) == (70, 1, 0))
        #expect((meter.update(bytesCompleted: 500), meter.finish()) == (end, end))
    }

    @Test func resumedBytesDoNotCountForTheRate() async {
        var meter = ProgressMeter(totalBytes: 2000, startingAt: 1000, clock: clock)
        #expect(meter.progress.fractionCompleted == 0.5)
        await clock.advance(by: 1)
        #expect(meter.update(bytesCompleted: 1100).bytesPerSecond == 100)
    }

    @Test func restartKeepsTheCountAndResetsTheRate() async {
        var meter = ProgressMeter(totalBytes: 2000, clock: clock)
        await clock.advance(by: 1)
        _ = meter.update(bytesCompleted: 1500)
        let again = meter.restart()
        #expect(again.bytesCompleted == 1500 && again.attempt == 1)
        #expect((again.totalBytes, again.bytesPerSecond) == (2000, nil))
        await clock.advance(by: 1)
        let behind = meter.update(bytesCompleted: 10)
        #expect(behind.bytesCompleted == 1500 && behind.bytesPerSecond == 10)
        // Of the bytes that are still to be sent, not of those beyond the count.
        #expect((behind.estimatedTimeRemaining, meter.update(bytesCompleted: 1600).bytesCompleted) == (199, 1600))
    }

    @Test func restartWithAnotherTotalResetsTheCount() {
        var meter = ProgressMeter(totalBytes: 2000, clock: clock)
        _ = meter.update(bytesCompleted: 1500)
        _ = meter.restart()
        #expect(meter.update(bytesCompleted: 10, totalBytes: 2000).fractionCompleted == 0.75)
        #expect(meter.update(bytesCompleted: 10, totalBytes: 1000).fractionCompleted == 0.01)
    }

    @Test func finishUsesTheCountOfTheLastAttempt() {
        var meter = ProgressMeter(clock: clock)
        _ = meter.update(bytesCompleted: 1500)
        _ = meter.restart()
        _ = meter.update(bytesCompleted: 700)
        let end = meter.finish()
        #expect(end.bytesCompleted == 700 && end.totalBytes == 700 && end.fractionCompleted == 1)
    }
}
