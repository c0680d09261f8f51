import NetCore
import Testing

@Suite struct ExponentialBackoffTests {
    @Test func delayEndsAtTheMaximum() {
        #expect(ExponentialBackoff().delay(for: 7) == 120)
        #expect(ExponentialBackoff(baseDelay: 5, maxDelay: 3).delay(for: 0) == 3)
        for count in [63, 64, 1_023, 1_024, 1_000_000, Int.max] {
            #expect(ExponentialBackoff().delay(for: count) == 120)
            #expect(ExponentialBackoff(baseDelay: 0).delay(for: count) == 0)
            #expect(ExponentialBackoff(backoffBase: 0.5).delay(for: count) < 1e-12)
        }
    }

    @Test func jitterSpreadsInBothDirections() {
        let backoff = ExponentialBackoff(jitter: 0.1)
        #expect(abs(backoff.delay(for: 1, random: 0) - 1.8) < 1e-9 && backoff.delay(for: 1, random: 0.5) == 2)
        #expect(abs(backoff.delay(for: 1, random: 1) - 2.2) < 1e-9)
        #expect(backoff.delay(for: 20, random: 1) == 120, "never longer than the longest")
        #expect(abs(backoff.delay(for: 20, random: 0) - 108) < 1e-9)
        #expect(ExponentialBackoff(jitter: 0).delay(for: 1, random: 1) == 2)
    }

    @Test func invalidParametersAreClamped() {
        for nonsense in [-1, .nan, -.infinity] as [Double] {
            let backoff = ExponentialBackoff(
                baseDelay: nonsense, backoffBase: nonsense, maxDelay: nonsense, jitter: nonsense)
            #expect(backoff.baseDelay == 0 && backoff.backoffBase == 1 && backoff.maxDelay == 0 && backoff.jitter == 0)
            #expect(backoff.delay(for: 3) == 0)
        }
        #expect(ExponentialBackoff(jitter: 7).jitter == 1)
        for count in [-1, .min] { #expect(ExponentialBackoff().delay(for: count) == 1, "a negative count is zero") }
    }

    @Test func delayIsAlwaysFinite() {
        let numbers: [Double] = [0, 1, 0.3, -1, .nan, .infinity, -.infinity, 1e308, Double.leastNonzeroMagnitude]
        let randoms = [0, 0.5, 1, -1, 2, Double.nan, .infinity]
        for (base, factor) in numbers.flatMap({ base in numbers.map { (base, $0) } }) {
            for jitter in [0, 0.5, 1] {
                let backoff = ExponentialBackoff(baseDelay: base, backoffBase: factor, jitter: jitter)
                for count in [0, 1, 5, 10_000, Int.max] {
                    for random in randoms { #expect((0...120).contains(backoff.delay(for: count, random: random))) }
                }
            }
        }
    }
}
