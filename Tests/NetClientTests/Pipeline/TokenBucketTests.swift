import TestLab
import Testing

@testable import NetClient

@Suite struct TokenBucketTests {
    @Test func tenThousandTokensDoNotDrift() {
        let rate = TokenBucket.Rate(interval: 0.1, burst: 1)
        var bucket = TokenBucket()
        let isFirstTaken = bucket.take(now: 0, rate: rate)
        #expect(isFirstTaken)
        for number in 1...10_000 {
            let due = bucket.dueTime(rate: rate)
            let isTakenEarly = bucket.take(now: due - 0.001, rate: rate)
            let isTaken = bucket.take(now: due, rate: rate)
            #expect(abs(due - TimeInterval(number) * 0.1) < 1e-6 && !isTakenEarly && isTaken)
        }
    }

    /// In an interval of `n` tokens, at most `burst + n` are taken.
    @Test(arguments: [1, 2, 3] as [UInt64]) func tokensNeverExceedTheRate(seed: UInt64) {
        var generator = SeededGenerator(state: seed)
        let rate = TokenBucket.Rate(interval: 0.25, burst: 5)
        var bucket = TokenBucket()
        var times: [TimeInterval] = []
        var now: TimeInterval = 0
        for _ in 0..<5_000 {
            now += TimeInterval.random(in: 0...0.3, using: &generator)
            let tokens = bucket.tokens(now: now, rate: rate)
            let isTaken = bucket.take(now: now, rate: rate)
            #expect(isTaken == (tokens > 0))
            if isTaken { times.append(now) }
        }
        for (index, start) in times.enumerated() {
            let end = min(times.count, index + 40)
            for (count, time) in times[index..<end].enumerated() {
                #expect(TimeInterval(count + 1) <= 5 + ((time - start) / 0.25) + 0.001)
            }
        }
    }

    @Test func extremesDoNotTrap() {
        for rate in [
            TokenBucket.Rate(interval: 0, burst: 1), .init(interval: 3e9, burst: .max),
            .init(interval: 1e-300, burst: 7),
        ] {
            var bucket = TokenBucket()
            for now in [0, -1, 1e300, TimeInterval.infinity] {
                _ = bucket.take(now: now, rate: rate)
                #expect((0...rate.burst).contains(bucket.tokens(now: now, rate: rate)))
            }
        }
    }
}
