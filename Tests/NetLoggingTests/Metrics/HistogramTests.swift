import NetLogging
import TestLab
import Testing

@Suite struct HistogramTests {
    @Test func percentilesAreRightToFivePercent() throws {
        var generator = SeededGenerator(state: 3)
        var histogram = CallMetrics.Summary.Histogram()
        var all: [Double] = []
        for _ in 0..<10_000 {
            let time = pow(10, Double.random(in: -5...3, using: &generator))
            all.append(time)
            histogram.add(time)
        }
        all.sort()
        for fraction in [0.01, 0.5, 0.9, 0.99, 0.999, 1] {
            let exact = all[Int((10_000 * fraction).rounded(.up)) - 1]
            let found = try #require(histogram.percentile(fraction))
            #expect(found >= exact * 0.9999 && found <= exact * 1.051, "\(fraction): \(found) for \(exact)")
        }
        #expect(histogram.count == 10_000 && abs(histogram.sum - all.reduce(0, +)) < 0.001)
        #expect(histogram.maximum == all.last)
    }

    @Test func oddNumbers() {
        var histogram = CallMetrics.Summary.Histogram()
        #expect((histogram.percentile(0.5), histogram.mean) == (nil, nil))
        for time in [-1, .nan, 0, .infinity, 1e300] { histogram.add(time) }
        #expect(histogram.count == 5)
        #expect(histogram.percentile(0) == 1e-6, "the shortest that is told apart")
        #expect((histogram.percentile(0.5), histogram.percentile(7)?.isFinite) == (1e-6, true))
        #expect(histogram.percentile(.nan) == nil)
    }
}
