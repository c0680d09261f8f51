@testable import NetClient

@Suite struct RateLimiterTests {
    private let clock = TestClock()
    private let sent = Locked<[String]>([])

    private func client(_ limiter: RateLimiter) -> PlainPipeline {
        let transport = StubTransport { [sent] request, _, context in
            sent.withLock { $0.append("\(request.url?.path ?? "") at \(context.clock.uptime)") }
            return answer()
        }
        return PlainPipeline(interceptors: [limiter], transport: transport, clock: clock)
    }

    /// Starts a call, and returns when it is sent or waiting.
    private func start(
        _ path: String, _ limiter: RateLimiter, _ context: RequestContext? = nil
    ) async throws -> Task<TransportResponse, any Error> {
        try await client(limiter).start(path, context) { limiter.waitingCount(for: $0) + sentCount }
    }

    private var sentCount: Int { sent.withLock(\.count) }

    /// Advances the clock until `count` requests were sent.
    private func run(until count: Int) async throws {
        while sentCount < count {
            let before = sentCount
            try await clock.waitForSleepers()
            await clock.advanceToNextSleeper()
            try await waitUntil("one more is sent") { sentCount > before ? () : nil }
        }
    }

    @Test func burstThenSteadyRate() async throws {
        let limiter = RateLimiter(requests: 2, per: 1, burst: 2)
        var tasks: [Task<TransportResponse, any Error>] = []
        for path in ["/a", "/b", "/c", "/d", "/e"] { tasks.append(try await start(path, limiter)) }
        #expect(sent.withLock { $0 } == ["/a at 0.0", "/b at 0.0"])
        try await run(until: 5)
        #expect(sent.withLock { $0[2...] } == ["/c at 0.5", "/d at 1.0", "/e at 1.5"])
        #expect(clock.sleeps == [0.5, 0.5, 0.5])
        for task in tasks { #expect(try await task.value.status == 200) }
        #expect(clock.sleeperCount == 0)
    }

    @Test func pauseRefillsTheBucketUpToTheBurst() async throws {
        let limiter = RateLimiter(requests: 10, per: 10, burst: 3)
        let client = client(limiter)
        let url = try url()
        #expect(limiter.availableCount(for: url, clock: clock) == 3)
        for count in [2, 1, 0] {
            _ = try await client.response(for: request())
            #expect(limiter.availableCount(for: url, clock: clock) == count)
        }
        await clock.advance(by: 1.5)
        #expect(limiter.availableCount(for: url, clock: clock) == 1)
        await clock.advance(by: 1_000)
        #expect(limiter.availableCount(for: url, clock: clock) == 3)
        for _ in 0..<3 { _ = try await client.response(for: request()) }
        let fourth = try await start("/4", limiter)
        #expect(limiter.waitingCount(for: url) == 1)
        try await run(until: 7)
        _ = try await fourth.value
        #expect(clock.sleeps == [1])
    }

    @Test func higherPrioritiesAreSentFirst() async throws {
        let limiter = RateLimiter(requests: 1, per: 2)
        var tasks = [try await start("/first", limiter)]
        for (path, priority) in [
            ("/low", RequestContext.Priority.low), ("/normal", .normal), ("/high", .high), ("/normal2", .normal),
        ] { tasks.append(try await start(path, limiter, clock.context(priority))) }
        try await run(until: 5)
        let order = ["/first at 0.0", "/high at 2.0", "/normal at 4.0", "/normal2 at 6.0", "/low at 8.0"]
        #expect(sent.withLock { $0 } == order)
        for task in tasks { _ = try await task.value }
    }

    @Test func callThatWouldExceedItsDeadlineFailsImmediately() async throws {
        let limiter = RateLimiter(requests: 1, per: 1)
        let client = client(limiter)
        var tasks: [Task<TransportResponse, any Error>] = []
        for path in ["/a", "/b", "/c"] { tasks.append(try await start(path, limiter)) }
        // The third in the queue is due at 3.
        let failure = try await failure {
            try await client.response(for: request("https://a.example/late"), context: clock.context(deadline: 2.9))
        }
        #expect(clock.uptime == 0 && failure.cause == .timeout)
        let limit = LimitExceeded(limit: .rate, reason: .deadline, host: "a.example")
        #expect(failure.underlyingError as? LimitExceeded == limit)
        let inTime = try await start("/in-time", limiter, clock.context(deadline: 3))
        let urgent = try await start("/urgent", limiter, clock.context(.high, deadline: 1.5))
        try await run(until: 3)
        #expect(sent.withLock { $0 } == ["/a at 0.0", "/urgent at 1.0", "/b at 2.0"])
        // Overtaken, it ends at its deadline, and the earlier one gets the token.
        try await run(until: 4)
        let overtaken = try await TestLab.failure { try await inTime.value }
        #expect(overtaken.cause == .timeout && overtaken.underlyingError is LimitExceeded)
        #expect(sent.withLock { $0.last } == "/c at 3.0" && sentCount == 4)
        for task in tasks + [urgent] { _ = try await task.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func cancelledCallLeavesTheQueue() async throws {
        let limiter = RateLimiter(requests: 1, per: 1)
        let first = try await start("/first", limiter)
        let cancelled = try await start("/cancelled", limiter)
        let last = try await start("/last", limiter)
        cancelled.cancel()
        await #expect(throws: NetworkFailure(cause: .cancelled)) { try await cancelled.value }
        try await run(until: 2)
        #expect(sent.withLock { $0 } == ["/first at 0.0", "/last at 1.0"])
        _ = try await (first.value, last.value)
    }

    @Test func noTaskSleepsWithoutWaitingCalls() async throws {
        let limiter = RateLimiter(requests: 1, per: 60)
        let client = client(limiter)
        _ = try await client.response(for: request())
        for _ in 0..<3 {
            let waiting = try await start("/waiting", limiter)
            try await clock.waitForSleepers()
            waiting.cancel()
            await #expect(throws: NetworkFailure.self) { try await waiting.value }
            try await waitUntil("the driver has ended") { clock.sleeperCount == 0 ? () : nil }
        }
        await clock.advance(by: 60)
        _ = try await client.response(for: request())
        #expect(sentCount == 2)
    }

    @Test func maxWaitingPerHostLimitsTheQueue() async throws {
        let limiter = RateLimiter(requests: 1, per: 1, maxWaitingPerHost: 1)
        let client = client(limiter)
        let tasks = [try await start("/a", limiter), try await start("/b", limiter)]
        let failure = try await failure { try await client.response(for: request()) }
        let limit = LimitExceeded(limit: .rate, reason: .tooManyWaiting, host: "a.example")
        #expect(failure.underlyingError as? LimitExceeded == limit && failure.code == "unknown")
        try await run(until: 2)
        for task in tasks { _ = try await task.value }
    }

    @Test func limitIsPerOrigin() async throws {
        let limiter = RateLimiter(requests: 1, per: 60)
        let client = client(limiter)
        for url in ["https://a.example/", "https://b.example/", "http://a.example/", "https://a.example:8443/"] {
            _ = try await client.response(for: request(url))
        }
        #expect(sentCount == 4)
    }

    @Test(arguments: [0, -1, TimeInterval.nan]) func invalidIntervalIsNoLimit(interval: TimeInterval) async throws {
        let client = client(RateLimiter(requests: 1, per: interval))
        for _ in 0..<100 { _ = try await client.response(for: request()) }
        #expect(sentCount == 100 && clock.sleeps.isEmpty)
    }

    @Test func hostsWithAFullBucketAreForgotten() async throws {
        let limiter = RateLimiter(requests: 1, per: 1)
        let next = Next(context: clock.context()) { request, _, _ in answer() }
        for number in 0..<5_000 {
            _ = try await limiter.intercept(request("https://h\(number).example/"), next: next)
            if number % 500 == 0 { await clock.advance(by: 1) }
        }
        #expect(limiter.hostCount <= 2_048)
    }
}

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
