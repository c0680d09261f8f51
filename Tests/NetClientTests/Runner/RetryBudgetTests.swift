@Suite struct RetryBudgetTests {
    /// The number of retries until one is refused.
    private func take(_ budget: RetryPolicy.Budget, at uptime: TimeInterval, upTo limit: Int = 10_000) -> Int {
        (0..<limit).first { _ in !budget.takeRetry(at: uptime) } ?? limit
    }

    @Test func extraLoadAndMinimum() {
        let budget = RetryPolicy.Budget(extraLoad: 0.2, minimumPerSecond: 1, window: 10)
        #expect(take(budget, at: 100) == 10, "the minimum of a window")
        for _ in 0..<50 { budget.noteCall(at: 100) }
        #expect(take(budget, at: 100) == 10, "a fifth of fifty calls")
        #expect(take(budget, at: 109.9) == 0)
        // Calls and retries of second 100 leave the window together.
        #expect(take(budget, at: 110) == 10)
    }

    @Test func windowSlides() {
        let budget = RetryPolicy.Budget(extraLoad: 0.5, minimumPerSecond: 0, window: 10)
        for second in 0..<10 { for _ in 0..<2 { budget.noteCall(at: TimeInterval(second)) } }
        #expect(take(budget, at: 9) == 10)
        // Two calls leave the window each second, and all retries with the last ones.
        #expect((10..<20).map { take(budget, at: TimeInterval($0)) } == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        budget.noteCall(at: 20)
        budget.noteCall(at: 20)
        #expect(take(budget, at: 20) == 1 && take(budget, at: 1e300) == 0)
    }

    @Test func fractionsAddUp() {
        let budget = RetryPolicy.Budget(extraLoad: 0.1, minimumPerSecond: 0)
        for _ in 0..<30 { budget.noteCall(at: 5) }
        #expect(take(budget, at: 5) == 3)
    }

    @Test(arguments: [-1, 0, Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude])
    func extremeNumbersDoNotTrap(_ number: Double) {
        for budget in [
            RetryPolicy.Budget(extraLoad: number), RetryPolicy.Budget(minimumPerSecond: number),
            RetryPolicy.Budget(window: number),
            RetryPolicy.Budget(extraLoad: number, minimumPerSecond: number, window: number),
        ] {
            for uptime in [number, 0, 1, -5] {
                budget.noteCall(at: uptime)
                _ = budget.takeRetry(at: uptime)
            }
        }
        #expect(!RetryPolicy.Budget(extraLoad: .nan, minimumPerSecond: -1).takeRetry(at: 0))
        #expect(RetryPolicy.Budget(extraLoad: 0, minimumPerSecond: .infinity).takeRetry(at: 0))
    }

    private let clock = TestClock(autoAdvance: true)

    @Test func emptyBudgetReturnsTheFailure() async throws {
        let transport = StubTransport { _, _, _ in answer(503, "down") }
        let client = NetworkClient(
            retryPolicy: RetryPolicy(maxRetries: 3, delay: .immediate), transport: transport,
            resilience: Resilience(retryBudget: RetryPolicy.Budget(extraLoad: 0.5, minimumPerSecond: 0)), clock: clock)
        var attempts: [Int] = []
        for _ in 0..<20 {
            let response = try await client.response(for: request())
            #expect(response.status == 503 && response.body.data == Data("down".utf8))
            #expect(response.retryTrace.end == .budgetEmpty)
            attempts.append(response.retryTrace.attempts)
        }
        #expect(attempts.reduce(0, +) == 30 && transport.exchanges.count == 30, "twenty calls and ten retries")
        #expect(attempts == Array(repeating: [1, 2], count: 10).flatMap { $0 })
    }

    @Test func hooksIgnoreTheBudgetAndRetryCountRespectsIt() async throws {
        let empty = RetryPolicy.Budget(extraLoad: 0, minimumPerSecond: 0)
        let hooked = StubTransport(.success(answer(503)), .success(answer()))
        let hook = Hook(retrying: { _, _, _ in .retry })
        let client = NetworkClient(
            interceptors: [hook], transport: hooked, resilience: Resilience(retryBudget: empty), clock: clock)
        #expect(try await client.response(for: request()).status == 200)
        let context = RequestContext.with { $0[RetryCountKey.self] = 3 }
        let lost = StubTransport(.failure(lostConnection))
        let counted = NetworkClient(transport: lost, resilience: Resilience(retryBudget: empty), clock: clock)
        let failure = try await failure { try await counted.response(for: request(), context: context) }
        #expect(failure.retryTrace.end == .budgetEmpty && failure.cause == .networkUnavailable)
    }
}
