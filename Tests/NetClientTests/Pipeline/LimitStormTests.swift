/// Circuit breaker, limits, coalescing and hedging together, with calls that fail and are cancelled at random.
@Suite struct LimitStormTests {
    /// Answers, fails and delays in turn, and counts the exchanges.
    private final class Flapping: HTTPTransport {
        let counts = Locked((started: 0, ended: 0, running: 0, peak: 0))
        func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
            let number = counts.withLock { counts in
                counts.started += 1
                counts.running += 1
                counts.peak = max(counts.peak, counts.running)
                return counts.started
            }
            defer { counts.withLock { $0 = ($0.started, $0.ended + 1, $0.running - 1, $0.peak) } }
            switch (number / 100) % 4 == 0 ? number % 10 : 5 + number % 5 {
            case 0...1: throw lostConnection
            case 2...3: return answer(500)
            case 5:
                try await SystemClock().sleep(for: 0.003)
                return answer()
            default:
                await Task.yield()
                return answer(200, "body")
            }
        }
    }

    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        @Test(.ownProcess) func tenThousandCallsAgainstAFlappingServer() async {
            await #expect(processExitsWith: .success) { try await LimitStormTests().tenThousandCalls() }
        }
    #endif

    private func tenThousandCalls() async throws {
        let transport = Flapping()
        let attempts = Locked(0)
        let coalescer = RequestCoalescer()
        let rate = RateLimiter(requests: 40_000, per: 1, burst: 2_000)
        let concurrency = ConcurrencyLimiter(maxConcurrentPerHost: 50)
        let client = NetworkClient(
            interceptors: [
                HedgingInterceptor(delay: 0.002), CircuitBreaker(failureThreshold: 8, resetTimeout: 0.005), rate,
                concurrency, Before { _, _ in attempts.withLock { $0 += 1 } },
            ],
            retryPolicy: RetryPolicy(maxRetries: 1, delay: .immediate), transport: transport,
            callInterceptors: [coalescer])
        let hosts = try (0..<4).map { try #require(URL(string: "https://h\($0).example/")) }
        var generator = SeededGenerator(state: 7)
        var tasks: [Task<TransportResponse, any Error>] = []
        for number in 0..<10_000 {
            let path = Int.random(in: 0..<3_000, using: &generator)
            let request = URLRequest(url: hosts[number % 4].appendingPathComponent("\(path)"))
            var context = RequestContext()
            context.priority = RequestContext.Priority.allCases.randomElement(using: &generator) ?? .normal
            if number % 50 == 0 { context.deadline = context.clock.uptime + 5 }
            tasks.append(
                Task { [context] in try await client.response(for: request, context: context) as TransportResponse })
            if Int.random(in: 0..<10, using: &generator) == 0 {
                let index = Int.random(in: 0...number, using: &generator)
                tasks[index].cancel()
            }
        }
        var tally = Tally()
        for task in tasks { tally.add(await task.result) }
        #expect(tally.total == 10_000, "\(tally)")
        #expect(tally.succeeded > 0 && tally.failed > 0 && tally.cancelled > 0, "\(tally)")
        // Abandoned exchanges end a little later.
        try await waitUntil("all exchanges have ended") { transport.counts.withLock { $0.running } == 0 ? () : nil }
        let counts = transport.counts.withLock { $0 }
        #expect(counts.started == counts.ended && counts.started == attempts.withLock { $0 } && counts.peak <= 4 * 50)
        #expect(coalescer.inFlightCount == 0 && coalescer.waitingCount == 0)
        for host in hosts {
            try await waitUntil("all places are free") { concurrency.activeCount(for: host) == 0 ? () : nil }
            #expect(concurrency.waitingCount(for: host) == 0 && rate.waitingCount(for: host) == 0)
        }
    }

    /// Calls are cancelled at random, and bodies are read, dropped or broken.
    @Test(arguments: 1...10 as ClosedRange<UInt64>) func allPlacesAreFreed(seed: UInt64) async throws {
        var generator = SeededGenerator(state: seed)
        let clock = TestClock(autoAdvance: true)
        let concurrency = ConcurrencyLimiter(maxConcurrentPerHost: 3)
        let rate = RateLimiter(requests: 1, per: 1, burst: 20)
        let running = Locked((now: 0, peak: 0))
        let stub = StubTransport { request, _, _ in
            running.withLock { $0 = ($0.now + 1, max($0.peak, $0.now + 1)) }
            defer { running.withLock { $0.now -= 1 } }
            for _ in 0..<3 {
                await Task.yield()
                try Task.checkCancellation()
            }
            let count = Locked<UInt64>(0)
            let body = HTTPBody(pulling: {
                await Task.yield()
                try Task.checkCancellation()
                let number = count.next()
                if number == 2, request.url?.path == "/broken" { throw lostConnection }
                return number < 3 ? Data("x".utf8) : nil
            })
            return TransportResponse(status: 200, url: request.url, body: body)
        }
        let client = NetworkClient(interceptors: [rate, concurrency], transport: stub, clock: clock)
        let paths = try ["/read", "/dropped", "/broken"].map { try request("https://a.example\($0)") }
        let tasks = (0..<300).map { number in
            let request = paths[number % 3]
            return Task {
                let response = try await client.send(request)
                if request.url?.path != "/dropped" { _ = try await response.body.collect(upTo: 100) }
            }
        }
        for _ in 0..<150 {
            if Bool.random(using: &generator) { await Task.yield() }
            tasks.randomElement(using: &generator)?.cancel()
        }
        for task in tasks { _ = await task.result }
        let url = try #require(paths[0].url)
        try await waitUntil("all places are free") { concurrency.activeCount(for: url) == 0 ? () : nil }
        #expect(concurrency.waitingCount(for: url) == 0 && rate.waitingCount(for: url) == 0)
        #expect(running.withLock { $0.peak } <= 3)
        try await waitUntil("nobody sleeps") { clock.sleeperCount == 0 ? () : nil }
    }
}

/// Ten thousand concurrent calls over sockets to a server that answers with errors, resets and delays. In a process of
/// its own, since so many tasks would delay all tests.
@Suite struct FlappingServerTests {
    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        @Test(.ownProcess) func eachAttemptReachesTheServer() async {
            await #expect(processExitsWith: .success) { try await FlappingServerTests().tenThousandCalls() }
        }
    #endif

    private func tenThousandCalls() async throws {
        let received = Locked<UInt64>(0)
        let server = try MockServer(keepingRequestsUpTo: 0) { request in
            switch received.next() % 10 {
            case 0, 1: .status(500)
            case 2: .status(503)
            // After the first byte, or libcurl would send it again by itself.
            case 3: .text(String(repeating: "x", count: 1000)).fault(.reset(.inBody))
            case 4: .text("late").delayed(by: 0.01)
            default: .text(request.path)
            }
        }
        let attempts = Locked(0)
        let concurrency = ConcurrencyLimiter(maxConcurrentPerHost: 24)
        let client = NetworkClient(
            interceptors: [Before { _, _ in attempts.withLock { $0 += 1 } }],
            retryPolicy: RetryPolicy(maxRetries: 2, delay: .fullJitter(base: 0.005, maximum: 0.02)),
            resilience: Resilience(
                retryBudget: RetryPolicy.Budget(extraLoad: 0.3),
                circuitBreaker: CircuitBreaker(failureThreshold: 4, resetTimeout: 0.02),
                concurrencyLimiter: concurrency))
        let url = server.url
        var tally = Tally()
        let results = try await atOnce(10_000) { number in
            let request = URLRequest(url: url.appendingPathComponent("\(number)"))
            return await Task { try await client.response(for: request) as TransportResponse }.result
        }
        for result in results {
            if case .success(let response) = result, response.status == 200 {
                let text = String(decoding: response.body.data ?? Data(), as: UTF8.self)
                #expect(text == "late" || text == response.url?.path, "the response of another call")
            }
            tally.add(result)
        }
        #expect(tally.total == 10_000, "\(tally)")
        #expect(tally.succeeded > 0 && tally.failed > 0 && tally.rejected > 0 && tally.cancelled == 0, "\(tally)")
        #expect(attempts.withLock { UInt64($0) } == received.withLock { $0 })
        #expect(concurrency.activeCount(for: url) == 0 && concurrency.waitingCount(for: url) == 0)
        await client.shutdown()
        await server.stop()
    }
}
