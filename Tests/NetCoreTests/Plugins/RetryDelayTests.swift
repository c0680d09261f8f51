import NetCore
import Testing

@Suite struct RetryDelayTests {
    private static let numbers: [Double] = [
        -.infinity, -1, -0.0, 0, .leastNonzeroMagnitude, 0.3, 1, 2, 1e300, .greatestFiniteMagnitude, .infinity, .nan,
        .signalingNaN,
    ]
    private static let attempts = [Int.min, -1, 0, 1, 2, 10, 1000, .max]
    private static let randoms: [Double] = [0, 0.25, 0.5, 1, -1, 2, .nan, .infinity]

    /// Each delay can be slept, and none is over its maximum.
    @Test(arguments: numbers) func delaysAreFiniteForAllNumbers(base: Double) {
        for (factor, maximum) in Self.numbers.flatMap({ factor in Self.numbers.map { (factor, $0) } }) {
            let delays: [RetryPolicy.Delay] = [
                .fixed(base), .exponential(base: base, multiplier: factor, jitter: factor, maximum: maximum),
                .fullJitter(base: base, multiplier: factor, maximum: maximum),
                .decorrelatedJitter(base: base, maximum: maximum),
            ]
            for (index, delay) in delays.enumerated() {
                let limit = index == 0 ? .infinity : max(0, maximum.isNaN ? 0 : maximum)
                for attempt in Self.attempts {
                    for random in Self.randoms {
                        let seconds = delay.seconds(for: attempt, previous: factor, random: random)
                        // A million expectations would take minutes.
                        if !(0...limit).contains(seconds) { Issue.record("\(delay) \(attempt) \(random)") }
                        if !(delay.seconds(for: attempt, random: random) >= 0) { Issue.record("\(delay)") }
                    }
                }
            }
        }
    }

    @Test func fullJitterIsAnythingUpToTheExponential() {
        let delay = RetryPolicy.Delay.fullJitter(base: 1, maximum: 10)
        let delays = [(1, [1, 2, 4, 8, 10, 10]), (0, [0, 0, 0, 0, 0, 0]), (0.5, [0.5, 1, 2, 4, 5, 5])]
        for (random, expected) in delays { #expect((0..<6).map { delay.seconds(for: $0, random: random) } == expected) }
        #expect(RetryPolicy.Delay.fullJitter(base: 1).seconds(for: 100, random: 1) == 120)
    }

    @Test func exponentialHasAMaximum() {
        let delay = RetryPolicy.Delay.exponential(base: 1, multiplier: 3, jitter: 0.5, maximum: 5)
        for (random, expected) in [(0.5, [1, 3, 5]), (1, [1.5, 4.5, 5]), (0, [0.5, 1.5, 2.5])] {
            #expect((0..<3).map { delay.seconds(for: $0, random: random) } == expected)
        }
    }

    /// "Exponential Backoff and Jitter", AWS: min(cap, random between base and three times the last).
    @Test func decorrelatedJitterDependsOnTheLastDelay() {
        let delay = RetryPolicy.Delay.decorrelatedJitter(base: 1, maximum: 20)
        #expect(delay.seconds(for: 0, random: 0) == 1 && delay.seconds(for: 0, random: 1) == 3)
        // A delay of a hook may be 0.
        for (previous, random, expected) in [(4.0, 0.0, 1.0), (4, 1, 12), (4, 0.5, 6.5), (10, 1, 20), (0, 1, 3)] {
            #expect(delay.seconds(for: 7, previous: previous, random: random) == expected)
        }
        // If the last delay is unknown, all earlier ones count as the middle.
        #expect((0..<3).map { delay.seconds(for: $0, random: 0.5) } == [2, 3.5, 5.75])
        var last: TimeInterval?
        for _ in 0..<1000 {
            let next = delay.seconds(for: 0, previous: last, random: .random(in: 0...1))
            #expect(next >= 1 && next <= min(20, max(1, last ?? 1) * 3))
            last = next
        }
    }
}
