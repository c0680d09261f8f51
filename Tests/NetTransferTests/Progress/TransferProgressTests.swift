import NetTransfer
import Testing

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
