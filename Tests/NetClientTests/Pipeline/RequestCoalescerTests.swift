@Suite struct RequestCoalescerTests {
    private let clock = TestClock()
    private let transport = HeldTransport()
    private let coalescer = RequestCoalescer()
    private let client: NetworkClient

    init() { client = NetworkClient(transport: transport, callInterceptors: [coalescer], clock: clock) }

    /// Starts equal calls, and waits for their exchange.
    private func startTogether(
        deadlines: [TimeInterval?] = [nil, nil]
    ) async throws -> [Task<TransportResponse, any Error>] {
        var tasks: [Task<TransportResponse, any Error>] = []
        for deadline in deadlines {
            let before = coalescer.waitingCount
            let (request, context) = (try request(), clock.context(deadline: deadline))
            tasks.append(Task { try await client.response(for: request, context: context) as TransportResponse })
            try await waitUntil("it waits") { coalescer.waitingCount > before ? () : nil }
        }
        try await transport.waitForHeld(1)
        return tasks
    }

    @Test func equalCallsShareOneExchange() async throws {
        let tasks = try await startTogether(deadlines: Array(repeating: nil, count: 50))
        transport.answer(nil, .success(answer(200, "shared", headers: ["X-A": "1"])))
        for task in tasks {
            var response = try await task.value
            #expect(response.body.data == Data("shared".utf8) && response.headers["X-A"] == "1")
            response.headers["X-A"] = "mine"
        }
        #expect(transport.started.count == 1 && coalescer.inFlightCount == 0 && coalescer.waitingCount == 0)
        let next = try await startTogether(deadlines: [nil])
        transport.answer()
        _ = try await next[0].value
        #expect(transport.started.count == 2, "An ended exchange is not shared.")
    }

    @Test func errorsAreShared() async throws {
        let broken = TransportResponse(status: 200, url: nil, body: HTTPBody(pulling: { throw lostConnection }))
        let idle = TransportError(.idleTimeout, phase: .waiting, message: "late")
        for (result, cause, status, deadline) in [
            (.failure(lostConnection), .networkUnavailable, nil, nil), (.failure(idle), .timeout, nil, 2),
            (.success(broken), .networkUnavailable, 200, nil),
        ] as [(Result<TransportResponse, any Error>, NetworkError, Int?, TimeInterval?)] {
            let tasks = try await startTogether(deadlines: [deadline, nil])
            transport.answer(nil, result)
            for task in tasks {
                let failure = try await failure { try await task.value }
                #expect(failure.cause == cause && failure.response?.statusCode == status)
                if case .failure(let error as TransportError) = result {
                    #expect(failure.transportError?.code == error.code)
                }
            }
        }
        #expect(transport.started.count == 3)
    }

    @Test(arguments: [0, 1]) func cancellationOfOneCallKeepsTheExchange(index: Int) async throws {
        var tasks = try await startTogether(deadlines: [nil, nil, nil])
        let cancelled = tasks.remove(at: index)
        cancelled.cancel()
        #expect(try await failure { try await cancelled.value }.isCancellation)
        #expect(coalescer.waitingCount == 2 && transport.cancelled.isEmpty)
        transport.answer()
        for task in tasks { #expect(try await task.value.status == 200) }
        #expect(transport.started.count == 1)
    }

    @Test func cancellationOfAllCallsCancelsTheExchange() async throws {
        let tasks = try await startTogether()
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: NetworkFailure(cause: .cancelled)) { try await task.value } }
        try await waitUntil("the exchange is cancelled") { transport.cancelled.count == 1 ? () : nil }
        #expect(coalescer.inFlightCount == 0)
        let next = try await startTogether(deadlines: [nil])
        transport.answer()
        #expect(try await next[0].value.status == 200, "A later call is not cancelled.")
    }

    @Test func eachCallKeepsItsDeadline() async throws {
        let tasks = try await startTogether(deadlines: [nil, 2])
        try await clock.advance(by: 2, whenSleeping: 1)
        #expect(try await failure { try await tasks[1].value }.cause == .timeout && clock.uptime == 2)
        transport.answer()
        #expect(try await tasks[0].value.status == 200 && clock.sleeperCount == 0 && transport.started.count == 1)
    }

    @Test func callsWithALaterDeadlineStartANewExchange() async throws {
        let tasks = try await startTogether(deadlines: [2, 2, 9, nil])
        #expect(transport.contexts.map(\.deadline) == [2])
        transport.answer(nil, .failure(TransportError(.totalTimeout, phase: .waiting, message: "late")))
        for task in tasks[..<2] { await #expect(throws: NetworkFailure(cause: .timeout)) { try await task.value } }
        // They share the second exchange, or it has ended before the other one comes.
        let answering = Task {
            while !Task.isCancelled {
                if !transport.held.isEmpty { transport.answer() }
                try await SystemClock().sleep(for: 0.001)
            }
        }
        defer { answering.cancel() }
        for task in tasks[2...] { #expect(try await task.value.status == 200) }
        #expect((2...3).contains(transport.started.count))
    }

    @Test func randomCancellations() async throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            var generator = SeededGenerator(state: seed)
            let stub = StubTransport { _, _, context in
                for _ in 0..<5 {
                    await Task.yield()
                    try Task.checkCancellation()
                }
                return answer()
            }
            let client = NetworkClient(transport: stub, callInterceptors: [coalescer])
            let paths = try (0..<4).map { try request("https://a.example/\($0)") }
            let tasks = (0..<200).map { number in
                Task { try await client.response(for: paths[number % 4]) as TransportResponse }
            }
            for task in tasks where Bool.random(using: &generator) {
                if Bool.random(using: &generator) { await Task.yield() }
                task.cancel()
            }
            var tally = Tally()
            for task in tasks { tally.add(await task.result) }
            #expect(tally.total == 200 && tally.failed == 0 && tally.rejected == 0)
            #expect(coalescer.waitingCount == 0 && coalescer.inFlightCount == 0)
        }
    }
}
