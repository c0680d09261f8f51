@testable import NetClient

@Suite struct ConcurrencyLimiterTests {
    private let clock = TestClock()
    private let transport = HeldTransport()
    private let limiter = ConcurrencyLimiter(maxConcurrentPerHost: 1)

    private func client(_ limiter: ConcurrencyLimiter) -> PlainPipeline {
        PlainPipeline(interceptors: [limiter], transport: transport, clock: clock)
    }

    /// Starts a call, and returns when it is sent or waiting.
    private func start(
        _ path: String, _ context: RequestContext? = nil, on limiter: ConcurrencyLimiter? = nil
    ) async throws -> Task<TransportResponse, any Error> {
        let limiter = limiter ?? self.limiter
        return try await client(limiter).start(path, context) {
            limiter.waitingCount(for: $0) + transport.started.count
        }
    }

    private func end(_ tasks: [Task<TransportResponse, any Error>], order: [String]) async throws {
        for (count, path) in order.enumerated() {
            try await transport.waitForStarted(count + 1)
            #expect(transport.started.last == path)
            transport.answer(path)
        }
        for task in tasks { #expect(try await task.value.status == 200) }
    }

    @Test func waitingCallsAreSentInFIFOOrder() async throws {
        var tasks: [Task<TransportResponse, any Error>] = []
        for path in ["/a", "/b", "/c", "/d"] { tasks.append(try await start(path)) }
        let url = try url("https://A.example:443/")
        #expect(limiter.activeCount(for: url) == 1 && limiter.waitingCount(for: url) == 3)
        #expect(transport.started == ["/a"])
        try await end(tasks, order: ["/a", "/b", "/c", "/d"])
        #expect(limiter.activeCount(for: url) == 0 && limiter.waitingCount(for: url) == 0)
    }

    @Test func limitIsPerOrigin() async throws {
        let limiter = ConcurrencyLimiter(maxConcurrentPerHost: 2)
        let client = client(limiter)
        let urls = [
            "https://a.example/1", "https://a.example/2", "https://a.example/3", "https://b.example/4",
            "https://a.example:444/5", "http://a.example/6",
        ]
        let tasks = try urls.map { url in
            let request = try request(url)
            return Task { try await client.response(for: request) as TransportResponse }
        }
        try await transport.waitForHeld(5)
        let url = try url()
        try await waitUntil("one waits") { limiter.waitingCount(for: url) == 1 ? () : nil }
        #expect(transport.started.count == 5)
        for _ in 0..<5 { transport.answer() }
        try await transport.waitForHeld(1)
        transport.answer()
        for task in tasks { _ = try await task.value }
    }

    @Test func higherPrioritiesAreSentFirst() async throws {
        var tasks = [try await start("/first")]
        for (path, priority) in [
            ("/low1", RequestContext.Priority.low), ("/normal1", .normal), ("/high1", .high), ("/low2", .low),
            ("/high2", .high), ("/normal2", .normal),
        ] { tasks.append(try await start(path, clock.context(priority))) }
        try await end(tasks, order: ["/first", "/high1", "/high2", "/normal1", "/normal2", "/low1", "/low2"])
    }

    @Test func lowPriorityIsNotStarved() async throws {
        var tasks = [try await start("/first")]
        tasks.append(try await start("/low", clock.context(.low)))
        for number in 1...9 { tasks.append(try await start("/high\(number)", clock.context(.high))) }
        let high = (1...9).map { "/high\($0)" }
        try await end(tasks, order: ["/first"] + high[..<7] + ["/low"] + high[7...])
    }

    @Test func cancelledWaitingCallLeavesTheQueue() async throws {
        let first = try await start("/first")
        let cancelled = try await start("/cancelled")
        let last = try await start("/last")
        cancelled.cancel()
        #expect(try await failure { try await cancelled.value }.cause == .cancelled)
        let url = try url()
        #expect(limiter.waitingCount(for: url) == 1)
        try await end([first, last], order: ["/first", "/last"])
        #expect(limiter.activeCount(for: url) == 0)
    }

    @Test(arguments: [true, false]) func endedCallFreesItsPlace(isCancelled: Bool) async throws {
        let first = try await start("/first")
        let second = try await start("/second")
        if isCancelled { first.cancel() } else { transport.answer("/first", .failure(lostConnection)) }
        await #expect(throws: NetworkFailure.self) { try await first.value }
        try await transport.waitForHeld(1)
        #expect(transport.held == ["/second"] && transport.cancelled == (isCancelled ? ["/first"] : []))
        transport.answer()
        #expect(try await second.value.status == 200)
        #expect(try limiter.activeCount(for: url()) == 0)
    }

    @Test(arguments: [false, true]) func cancelledClientEndsTheWait(isShutdown: Bool) async throws {
        let first = try await start("/first")
        let client = NetworkClient(
            transport: transport, resilience: Resilience(concurrencyLimiter: limiter), clock: clock)
        let (url, request) = (try url(), try request("https://a.example/second"))
        let second = Task { try await client.response(for: request) }
        try await waitUntil("it waits") { limiter.waitingCount(for: url) == 1 ? () : nil }
        if isShutdown { await client.shutdown(.cancel) } else { client.cancelAll() }
        #expect(try await failure { try await second.value }.cause == .cancelled)
        #expect(limiter.waitingCount(for: url) == 0)
        try await end([first], order: ["/first"])
    }

    @Test func deadlineIncludesTheWait() async throws {
        let first = try await start("/first")
        let late = try await start("/late", clock.context(deadline: 3))
        let patient = try await start("/patient", clock.context(deadline: 10))
        try await clock.advance(by: 2.999, whenSleeping: 2)
        #expect(try limiter.waitingCount(for: url()) == 2)
        await clock.advance(by: 0.001)
        let failure = try await failure { try await late.value }
        #expect(failure.cause == .timeout && failure.timestamp == clock.now)
        let limit = LimitExceeded(limit: .concurrency, reason: .deadline, host: "a.example")
        #expect(failure.underlyingError as? LimitExceeded == limit)
        #expect(failure.request?.url?.path == "/late" && failure.retryAttempt == nil)
        try await end([first, patient], order: ["/first", "/patient"])
        #expect(clock.sleeperCount == 0)
    }

    @Test func maxWaitingPerHostLimitsTheQueue() async throws {
        let limiter = ConcurrencyLimiter(maxConcurrentPerHost: 1, maxWaitingPerHost: 1)
        let tasks = [try await start("/first", on: limiter), try await start("/second", on: limiter)]
        let failure = try await failure { try await client(limiter).response(for: request("https://a.example/third")) }
        let limit = LimitExceeded(limit: .concurrency, reason: .tooManyWaiting, host: "a.example")
        #expect(failure.underlyingError as? LimitExceeded == limit && failure.code == "unknown")
        #expect(failure.description.contains("as many requests waiting as it allows"))
        try await end(tasks, order: ["/first", "/second"])
    }
}

@Suite struct WaitingLineTests {
    /// The model searches a list.
    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func agreesWithAModel(seed: UInt64) {
        var generator = SeededGenerator(state: seed)
        var line = WaitingLine<UInt64>()
        var model: [(id: UInt64, priority: RequestContext.Priority)] = []
        var overtakings = 0
        var lastID: UInt64 = 0
        for _ in 0..<5_000 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                lastID += 1
                let priority = RequestContext.Priority.allCases.randomElement(using: &generator) ?? .normal
                #expect(line.count(before: priority) == model.count { $0.priority >= priority })
                line.append(lastID, id: lastID, priority: priority)
                model.append((lastID, priority))
            case 5..<7:
                let id = UInt64.random(in: 0...lastID, using: &generator)
                let expected = model.firstIndex { $0.id == id }.map { model.remove(at: $0).id }
                let removed = line.remove(id)
                #expect(removed == expected)
            default:
                var index = model.indices.max { (model[$0].priority, $1) < (model[$1].priority, $0) }
                if let found = index, found > 0 {
                    overtakings += 1
                    if overtakings > WaitingLine<UInt64>.overtakingLimit { index = 0 }
                }
                if index == 0 { overtakings = 0 }
                let expected = index.map { model.remove(at: $0).id }
                let popped = line.popNext()
                #expect(popped == expected)
            }
            #expect(line.count == model.count && line.isEmpty == model.isEmpty)
        }
    }

    @Test func removedWaitersAreFreed() {
        var line = WaitingLine<UInt64>()
        line.append(0, id: 0, priority: .low)
        for id in 1...100_000 as ClosedRange<UInt64> {
            line.append(id, id: id, priority: .low)
            if line.remove(id) != id { Issue.record("\(id) was not there") }
        }
        #expect(line.count == 1)
        let popped = [line.popNext(), line.popNext()]
        #expect(popped == [0, nil])
    }
}
