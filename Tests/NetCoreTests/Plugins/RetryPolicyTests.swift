import NetCore
import Testing

@Suite struct RetryPolicyTests {
    private func lost(after status: Int? = nil) -> NetworkFailure {
        NetworkFailure(
            wrapping: TransportError(.connectionLost, phase: .receivingBody, message: ""), request: nil,
            response: status.map { ResponseSnapshot(statusCode: $0, headers: HTTPHeaders()) })
    }

    /// Seed 004: 1, 2 and 4 s. Seed 001: from 0.3 s.
    @Test func delaysOfPolicies() {
        #expect((0..<3).map { RetryPolicy.connectionFailures.delay(for: $0) } == [1, 2, 4])
        #expect((0..<3).map { RetryPolicy.default.delay(for: $0) } == [0.3, 0.6, 1.2])
        #expect(RetryPolicy(maxRetries: 1, delay: .fixed(2)).delay(for: 5) == 2)
        #expect(RetryPolicy(maxRetries: 1, delay: .immediate).delay(for: 5) == 0)
        #expect(RetryPolicy(maxRetries: 1).delay(for: 1) == 2)
        for invalid in [-1, TimeInterval.nan] {
            #expect(RetryPolicy(maxRetries: 1, delay: .fixed(invalid)).delay(for: 0) == 0)
            #expect(RetryPolicy(maxRetries: 1, delay: .exponential(base: invalid)).delay(for: 0) == 0)
        }
        #expect(RetryPolicy.connectionFailures.delay(for: .max) == 120)
    }

    /// The types of seed 001 are functions here.
    @Test func maxRetriesOfPolicies() {
        let policies = [RetryPolicy.none, .default, .connectionFailures, RetryPolicy(maxRetries: -1)]
        #expect((policies + [DefaultRetryPolicy(), NoRetryPolicy()]).map(\.maxRetries) == [0, 3, 3, 0, 3, 0])
        #expect(DefaultRetryPolicy().delay == RetryPolicy.default.delay)
    }

    /// The codes of seed 001.
    @Test func defaultRetriesTransientErrors() {
        let policy = RetryPolicy.default
        #expect((400..<600).filter { policy.shouldRetry(.serverError(statusCode: $0)) } == [408, 500, 502, 503, 504])
        // The head was received, and the body was not: that is a lost connection, and not a status.
        let transient = [.timeout(), .noConnection(), lost(), lost(after: 200)]
        for failure in transient { #expect(policy.shouldRetry(failure)) }
        for failure: NetworkFailure in [.cancelled(), .noContent(), .unknown()] {
            #expect(!policy.shouldRetry(failure))
        }
    }

    /// Seed 004: connection lost, timeout, cannot connect, offline; never for a status.
    @Test func connectionFailuresRetriesNoStatus() {
        let policy = RetryPolicy.connectionFailures
        #expect(!(400..<600).contains { policy.shouldRetry(.serverError(statusCode: $0)) })
        let failures = [.timeout(), .noConnection(), lost(), lost(after: 200)]
        for failure in failures { #expect(policy.shouldRetry(failure)) }
        #expect(!policy.shouldRetry(.decodingFailed(PluginError())))
    }

    @Test func reauthenticationStatuses() {
        #expect(RetryPolicy.default.reauthenticationStatuses == [401, 403], "seed 001")
        #expect(RetryPolicy.none.reauthenticationStatuses.isEmpty)
        #expect(RetryPolicy(maxRetries: 1).reauthenticationStatuses == [401])
    }

    @Test func proposalHasRequestResponseAndFailure() throws {
        let url = try url()
        let response = TransportResponse(status: 503, headers: ["X-A": "b"], url: url)
        let failure = NetworkFailure.serviceUnavailable(data: Data("busy".utf8))
        let proposal = RetryPolicy.Proposal(
            request: URLRequest(url: url), failure: failure, response: response, attempt: 2)
        #expect(proposal.response?.statusCode == 503 && proposal.statusCode == 503)
        #expect(proposal.headers?["X-A"] == "b" && proposal.data == Data("busy".utf8) && proposal.attempt == 2)
        #expect(proposal.error == failure && proposal.authenticationProvider is NoAuthProvider)
        let lost = RetryPolicy.Proposal(request: URLRequest(url: url), failure: lost(after: 200))
        #expect(lost.response == nil && lost.data == nil && lost.statusCode == nil)
    }

    private static let numbers: [Double] = [
        -.infinity, -1, -0.0, 0, .leastNonzeroMagnitude, 0.3, 1, 2, 1e300, .greatestFiniteMagnitude, .infinity, .nan,
        .signalingNaN,
    ]
    private static let tries = [Int.min, -1, 0, 1, 2, 10, 1000, .max].flatMap { attempt in
        [0, 0.25, 0.5, 1, -1, 2, .nan, .infinity].map { (attempt, $0) }
    }

    /// Each delay can be slept, and none is over its maximum.
    @Test(arguments: numbers) func delaysAreFiniteForAllNumbers(base: Double) {
        for (factor, maximum) in Self.numbers.flatMap({ factor in Self.numbers.map { (factor, $0) } }) {
            let delays: [RetryPolicy.Delay] = [
                .fixed(base), .exponential(base: base, multiplier: factor, jitter: factor, maximum: maximum),
                .fullJitter(base: base, multiplier: factor, maximum: maximum),
                .decorrelatedJitter(base: base, maximum: maximum),
            ]
            let backoff = ExponentialBackoff(baseDelay: base, backoffBase: factor, maxDelay: maximum, jitter: factor)
            let limit = max(0, maximum.isNaN ? 0 : maximum)
            for (attempt, random) in Self.tries {
                // A million expectations would take minutes.
                for (index, delay) in delays.enumerated() {
                    let seconds = delay.seconds(for: attempt, previous: factor, random: random)
                    if !(0...(index == 0 ? .infinity : limit)).contains(seconds) {
                        Issue.record("\(delay) \(attempt) \(random)")
                    }
                    if !(delay.seconds(for: attempt, random: random) >= 0) { Issue.record("\(delay)") }
                }
                let seconds = backoff.delay(for: attempt, random: random)
                if !(0...limit).contains(seconds) { Issue.record("\(backoff) \(attempt) \(random)") }
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

    @Test func backoffEndsAtTheMaximum() {
        #expect(ExponentialBackoff().delay(for: 7) == 120)
        #expect(ExponentialBackoff(baseDelay: 5, maxDelay: 3).delay(for: 0) == 3)
        for count in [63, 64, 1_023, 1_024, 1_000_000, Int.max] {
            #expect(ExponentialBackoff().delay(for: count) == 120)
            #expect(ExponentialBackoff(baseDelay: 0).delay(for: count) == 0)
            #expect(ExponentialBackoff(backoffBase: 0.5).delay(for: count) < 1e-12)
        }
    }

    @Test func jitterOfABackoffSpreadsInBothDirections() {
        let backoff = ExponentialBackoff(jitter: 0.1)
        #expect(abs(backoff.delay(for: 1, random: 0) - 1.8) < 1e-9 && backoff.delay(for: 1, random: 0.5) == 2)
        #expect(abs(backoff.delay(for: 1, random: 1) - 2.2) < 1e-9)
        #expect(backoff.delay(for: 20, random: 1) == 120, "never longer than the longest")
        #expect(abs(backoff.delay(for: 20, random: 0) - 108) < 1e-9)
        #expect(ExponentialBackoff(jitter: 0).delay(for: 1, random: 1) == 2)
    }

    @Test func invalidParametersOfABackoffAreClamped() {
        for nonsense in [-1, .nan, -.infinity] as [Double] {
            let backoff = ExponentialBackoff(
                baseDelay: nonsense, backoffBase: nonsense, maxDelay: nonsense, jitter: nonsense)
            #expect(backoff.baseDelay == 0 && backoff.backoffBase == 1 && backoff.maxDelay == 0 && backoff.jitter == 0)
            #expect(backoff.delay(for: 3) == 0)
        }
        #expect(ExponentialBackoff(jitter: 7).jitter == 1)
        for count in [-1, .min] { #expect(ExponentialBackoff().delay(for: count) == 1, "a negative count is zero") }
    }
}
