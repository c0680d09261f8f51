/// The deadline of a whole call. The tests advance the clock, since the deadline is a sleeper too.
@Suite struct RetryDeadlineTests {
    private let clock = TestClock()

    private func context(deadline seconds: TimeInterval) -> RequestContext {
        clock.context(deadline: clock.uptime + seconds)
    }

    /// Answers after the seconds, and records whether it was not cancelled.
    private func slow(_ seconds: TimeInterval, ended: Locked<[Bool]> = Locked([])) -> StubTransport {
        StubTransport { [clock] _, _, _ in
            defer { ended.withLock { $0.append(!Task.isCancelled) } }
            try await clock.sleep(for: seconds)
            return answer(503)
        }
    }

    @Test func noRetryStartsAfterTheDeadline() async throws {
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let client = NetworkClient(
            retryPolicy: RetryPolicy(maxRetries: 100, delay: .fixed(2)), transport: transport, clock: clock)
        let context = context(deadline: 5)
        let task = Task { try await client.response(for: request(), context: context) }
        for _ in 0..<2 {
            try await clock.advance(by: 2, whenSleeping: 2)
        }
        let failure = try await failure { try await task.value }
        #expect(failure.cause == .networkUnavailable)
        #expect(failure.retryTrace.end == .deadline && failure.retryTrace.attempts == 3)
        #expect(clock.sleeps.sorted() == [2, 2, 5], "a third would end after the deadline")
        #expect(clock.sleeperCount == 0 && clock.uptime == 4)
    }

    @Test func deadlineCancelsTheAttempt() async throws {
        let ended = Locked<[Bool]>([])
        let transport = slow(3, ended: ended)
        let client = NetworkClient(
            retryPolicy: RetryPolicy(maxRetries: 100, delay: .fixed(1)), transport: transport, clock: clock)
        let context = context(deadline: 6)
        let task = Task { try await client.response(for: request("https://a.example/?q=s3cr3t"), context: context) }
        for step in [3, 1] as [TimeInterval] {  // The first answer, the delay; the second would come at 7.
            try await clock.advance(by: step, whenSleeping: 2)
        }
        try await clock.waitForSleepers(count: 2)
        #expect(clock.uptime == 4)
        await clock.advance(by: 2)
        let failure = try await failure { try await task.value }
        #expect(failure.cause == .timeout && failure.transportError?.code == .totalTimeout)
        #expect(failure.transportError?.isUnprocessed == false && !failure.description.contains("s3cr3t"))
        #expect(failure.retryAttempt == 1 && failure.retryTrace.end == .deadline)
        #expect(failure.retryTrace.retries.map(\.statusCode) == [503])
        #expect(ended.withLock { $0 } == [true, false], "the second attempt was cancelled")
        #expect(clock.sleeperCount == 0 && clock.uptime == 6)
    }

    @Test func errorAtTheDeadlineHasTheRedirects() async throws {
        let transport = StubTransport { [clock] request, _, _ in
            if request.url?.path == "/" { return answer(302, headers: ["Location": "/b"]) }
            try await clock.sleep(for: 100)
            return answer()
        }
        let client = NetworkClient(transport: transport, clock: clock)
        let context = context(deadline: 5)
        let task = Task { try await client.response(for: request(), context: context) }
        try await clock.advance(by: 5, whenSleeping: 2)
        let failure = try await failure { try await task.value }
        #expect(failure.transportError?.code == .totalTimeout && failure.redirects.map(\.status) == [302])
        #expect(failure.retryTrace.attempts == 2)
    }

    @Test func passedDeadlineSendsNothing() async throws {
        for seconds in [0, -1, -.infinity] as [TimeInterval] {
            let transport = StubTransport { _, _, _ in answer() }
            let client = NetworkClient(transport: transport, clock: clock)
            let failure = try await failure {
                try await client.response(for: request(), context: context(deadline: seconds))
            }
            #expect(failure.cause == .timeout && transport.exchanges.isEmpty)
            #expect(failure.transportError?.phase == .preparing && failure.retryAttempt == nil)
        }
    }

    @Test func infiniteOrNaNDeadlineIsNone() async throws {
        for seconds in [TimeInterval.infinity, .nan] {
            let transport = StubTransport { _, _, _ in answer() }
            let client = NetworkClient(transport: transport, clock: clock)
            #expect(try await client.response(for: request(), context: context(deadline: seconds)).status == 200)
        }
        #expect(clock.sleeps.isEmpty)
    }

    @Test func callsWithinTheDeadlineAreUnchanged() async throws {
        let client = NetworkClient(transport: StubTransport { _, _, _ in answer(200, "in time") }, clock: clock)
        let response = try await client.response(for: request(), context: context(deadline: 5))
        #expect(response.body.data == Data("in time".utf8) && clock.sleeperCount == 0)
        let failing = NetworkClient(transport: StubTransport(.failure(lostConnection)), clock: clock)
        let failure = try await failure { try await failing.response(for: request(), context: context(deadline: 5)) }
        #expect(failure.cause == .networkUnavailable)
        #expect(clock.sleeps.isEmpty, "a call that does not wait starts no timer")
    }

    /// The transport applies the deadline too, and its error has more details.
    @Test func timeoutOfTheTransportIsPreferred() async throws {
        let own = TransportError(.totalTimeout, phase: .receivingHead, message: "own")
        let transport = StubTransport { [clock] _, _, _ in
            do { try await clock.sleep(for: 100) } catch { throw own }
            return answer()
        }
        let context = context(deadline: 5)
        let client = NetworkClient(transport: transport, clock: clock)
        let task = Task { try await client.response(for: request(), context: context) }
        try await clock.advance(by: 5, whenSleeping: 2)
        #expect(try await failure { try await task.value }.transportError == own.adding(url: url()))
    }

    @Test func cancellationIsNotATimeout() async throws {
        let context = context(deadline: 50)
        let client = NetworkClient(transport: slow(100), clock: clock)
        let task = Task { try await client.response(for: request(), context: context) }
        try await clock.waitForSleepers(count: 2)
        task.cancel()
        #expect(try await failure { try await task.value }.cause == .cancelled && clock.sleeperCount == 0)
    }

    @Test func deadlineLimitsInterceptorsAndTheBody() async throws {
        let transport = StubTransport { [clock] _, _, _ in
            let body = HTTPBody(pulling: {
                try await clock.sleep(for: 60)
                return nil
            })
            return TransportResponse(status: 200, url: nil, body: body)
        }
        for interceptors in [[], [Before { [clock] _, _ in try await clock.sleep(for: 60) }]] {
            let client = NetworkClient(transport: transport, callInterceptors: interceptors, clock: clock)
            let context = context(deadline: 5)
            let task = Task { try await client.response(for: request(), context: context) }
            try await clock.advance(by: 5, whenSleeping: 2)
            #expect(try await failure { try await task.value }.cause == .timeout && clock.sleeperCount == 0)
        }
    }
}
