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

@Suite("TransferProgress") struct TransferProgressTests {
    private static let seed003 = TransferProgress(
        bytesCompleted: 512 * 1024, totalBytes: 1024 * 1024, estimatedTimeRemaining: 2, bytesPerSecond: 256 * 1024)
    private static let finished = TransferProgress(
        bytesCompleted: 9, totalBytes: 9, isComplete: true, estimatedTimeRemaining: 0)
    @Test(arguments: [
        (seed003, "50.0% 512 KB of 1 MB (256 KB/s) ETA: 2s"),
        (TransferProgress(bytesCompleted: 0), "0 B"),
        (TransferProgress(bytesCompleted: 0, bytesPerSecond: 0.4), "0 B (0 B/s)"),
        (TransferProgress(bytesCompleted: 0, totalBytes: 0, isComplete: true), "100.0% 0 B of 0 B"),
        (TransferProgress(bytesCompleted: 1023, bytesPerSecond: 0), "1023 B (0 B/s)"),
        (TransferProgress(bytesCompleted: 1, bytesPerSecond: 0.7), "1 B (1 B/s)"),
        (TransferProgress(bytesCompleted: 1536, totalBytes: 4096), "37.5% 1.5 KB of 4 KB"),
        (TransferProgress(bytesCompleted: 1_048_575, totalBytes: 1_048_576), "99.9% 1 MB of 1 MB"),
        (TransferProgress(bytesCompleted: 1, totalBytes: 3), "33.3% 1 B of 3 B"),
        (TransferProgress(bytesCompleted: 29, totalBytes: 100), "29.0% 29 B of 100 B"),
        (TransferProgress(bytesCompleted: 5, totalBytes: 4), "100.0% 5 B of 4 B"),
        (TransferProgress(bytesCompleted: .max - 1, totalBytes: .max), "99.9% 8 EB of 8 EB"),
        (TransferProgress(bytesCompleted: 0, estimatedTimeRemaining: 0.2), "0 B ETA: 1s"),
        (TransferProgress(bytesCompleted: 0, estimatedTimeRemaining: 65), "0 B ETA: 1m 5s"),
        (TransferProgress(bytesCompleted: 0, estimatedTimeRemaining: 12_000), "0 B ETA: 3h 20m"),
        (TransferProgress(bytesCompleted: 0, estimatedTimeRemaining: 367_200), "0 B ETA: 4d 6h"),
        (TransferProgress(bytesCompleted: 0, estimatedTimeRemaining: 1e300), "0 B ETA: over 99d"),
        (finished, "100.0% 9 B of 9 B"),
    ]) func descriptionShowsWhatIsKnown(progress: TransferProgress, text: String) { #expect("\(progress)" == text) }

    @Test func hugeRateIsDescribed() {
        #expect("\(TransferProgress(bytesCompleted: 0, bytesPerSecond: 1e300))".hasSuffix("EB/s)"))
    }

    @Test(arguments: [(0, 0, 1.0), (0, 10, 0), (5, 10, 0.5), (10, 10, 1), (11, 10, 1), (-5, 10, 0), (Int64.max, 1, 1)])
    func fractionIsFromZeroToOne(completed: Int64, total: Int64, fraction: Double) {
        #expect(TransferProgress(bytesCompleted: completed, totalBytes: total).fractionCompleted == fraction)
    }

    @Test func unknownTotalHasNoFraction() {
        #expect(TransferProgress(bytesCompleted: 5).fractionCompleted == nil)
        #expect(TransferProgress(bytesCompleted: 5, totalBytes: -1).totalBytes == nil)
        #expect(TransferProgress(bytesCompleted: 5, isComplete: true).fractionCompleted == nil)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, -1]) func invalidNumbersAreUnknown(number: Double) {
        let progress = TransferProgress(
            bytesCompleted: 1, totalBytes: 2, estimatedTimeRemaining: number, bytesPerSecond: number)
        #expect((progress.estimatedTimeRemaining, progress.bytesPerSecond) == (nil, nil))
        #expect("\(progress)" == "50.0% 1 B of 2 B")
    }
}
