@Suite struct CircuitBreakerTests {
    private let clock = TestClock()
    private let transport = HeldTransport()

    private func client(_ breaker: CircuitBreaker) -> (breaker: CircuitBreaker, client: NetworkClient) {
        (breaker, NetworkClient(interceptors: [breaker], transport: transport, clock: clock))
    }

    private func start(_ path: String, _ client: NetworkClient) async throws -> Task<TransportResponse, any Error> {
        let request = try request("https://a.example\(path)")
        let count = transport.held.count
        let task = Task { try await client.response(for: request) as TransportResponse }
        try await transport.waitForHeld(count + 1)
        return task
    }

    /// A complete call, which must be sent.
    private func call(_ result: Result<TransportResponse, any Error>, _ client: NetworkClient) async throws {
        let task = try await start("/call", client)
        transport.answer("/call", result)
        _ = await task.result
    }

    private func open(_ breaker: CircuitBreaker, _ client: NetworkClient) async throws {
        for _ in 0..<breaker.failureThreshold { try await call(.success(answer(500)), client) }
    }

    private func state(_ breaker: CircuitBreaker) throws -> CircuitBreaker.State {
        breaker.state(for: try url("https://a.example/any"))
    }

    /// The date in the error of a call that must not be sent.
    private func refusal(_ client: NetworkClient) async throws -> Date? {
        let count = transport.started.count
        let failure = try await failure { try await client.response(for: request()) }
        #expect(transport.started.count == count, "It was sent.")
        guard case .circuitOpen(let host, let until) = failure.cause else { throw failure }
        #expect(host == "a.example" && failure.retryAttempt == nil && failure.timestamp == clock.now)
        return until
    }

    @Test func opensAfterFiveConsecutiveFailures() async throws {
        let (breaker, client) = client(CircuitBreaker())
        for failure in [lostConnection, refusedConnection] {
            try await call(.failure(failure), client)
            try await call(.success(answer(503)), client)
        }
        #expect(try state(breaker) == .closed)
        try await call(.failure(TransportError(.idleTimeout, phase: .waiting, message: "")), client)
        let until = clock.now.addingTimeInterval(60)
        #expect(try state(breaker) == .open(until: until))
        #expect(breaker.openCircuits == ["https://a.example:443": .open(until: until)])
        await clock.advance(by: 59.5)
        #expect(try await refusal(client) == until)
    }

    @Test func successResetsTheCount() async throws {
        let (breaker, client) = client(CircuitBreaker(failureThreshold: 2))
        for status in [200, 304, 404, 429] {
            try await call(.success(answer(500)), client)
            try await call(.success(answer(status)), client)
            #expect(try state(breaker) == .closed, "\(status)")
        }
        try await open(breaker, client)
        #expect(try state(breaker) != .closed)
    }

    @Test func errorsOfTheClientAreNotCounted() async throws {
        let (breaker, client) = client(CircuitBreaker(failureThreshold: 2))
        let limit = LimitExceeded(limit: .rate, reason: .deadline, host: "a.example")
        let errors: [any Error] = [
            NetworkError.noInternetConnection, PluginError(), CancellationError(), NetworkError.cancelled,
            TransportError(.totalTimeout, phase: .preparing, message: "The deadline had passed."),
            TransportError(.requestBodyFailed, phase: .sending, message: ""),
            TransportError(.certificateUntrusted, phase: .securing, message: ""),
            limit, NetworkFailure(cause: .timeout, underlyingError: limit),
        ]
        try await call(.success(answer(500)), client)
        for error in errors {
            try await call(.failure(error), client)
            #expect(try state(breaker) == .closed, "\(error)")
        }
        let cancelled = try await start("/", client)
        cancelled.cancel()
        _ = await cancelled.result
        #expect(try state(breaker) == .closed)
        try await call(.success(answer(500)), client)
        #expect(try state(breaker) != .closed, "They do not reset the count either.")
    }

    @Test func halfOpenAllowsOneTrial() async throws {
        let (breaker, client) = client(CircuitBreaker(failureThreshold: 1, resetTimeout: 10))
        try await open(breaker, client)
        await clock.advance(by: 10)
        #expect(try state(breaker) == .open(until: clock.now))
        let trial = try await start("/trial", client)
        #expect(try state(breaker) == .halfOpen)
        #expect(try await refusal(client) == clock.now.addingTimeInterval(10))
        transport.answer("/trial")
        _ = try await trial.value
        #expect(try state(breaker) == .closed && breaker.openCircuits.isEmpty)
        try await call(.success(answer()), client)
    }

    @Test func failedTrialOpensAgain() async throws {
        let (breaker, client) = client(CircuitBreaker(failureThreshold: 5, resetTimeout: 10))
        try await open(breaker, client)
        await clock.advance(by: 12)
        try await call(.failure(lostConnection), client)
        #expect(try await refusal(client) == clock.now.addingTimeInterval(10))
        await clock.advance(by: 10)
        try await call(.success(answer(404)), client)
        #expect(try state(breaker) == .closed)
    }

    @Test func cancelledTrialAllowsAnother() async throws {
        let (breaker, client) = client(CircuitBreaker(failureThreshold: 1, resetTimeout: 10))
        try await open(breaker, client)
        await clock.advance(by: 10)
        let trial = try await start("/trial", client)
        trial.cancel()
        _ = await trial.result
        #expect(try state(breaker) == .open(until: clock.now))
        try await call(.success(answer()), client)
        #expect(try state(breaker) == .closed)
    }

    @Test func hangingTrialAllowsAnotherAfterTheTimeout() async throws {
        let (breaker, client) = client(CircuitBreaker(failureThreshold: 1, resetTimeout: 10))
        try await open(breaker, client)
        await clock.advance(by: 10)
        let hanging = try await start("/hanging", client)
        await clock.advance(by: 9)
        #expect(try await refusal(client) == clock.now.addingTimeInterval(1))
        await clock.advance(by: 1)
        let second = try await start("/second", client)
        transport.answer("/hanging")
        _ = try await hanging.value
        #expect(try state(breaker) == .halfOpen, "only the second trial counts")
        transport.answer("/second", .success(answer(500)))
        _ = try await second.value
        #expect(try state(breaker) == .open(until: clock.now.addingTimeInterval(10)))
    }

    /// Only calls that began in the current state count.
    @Test func callsOfAnEarlierStateAreNotCounted() async throws {
        let (breaker, client) = client(CircuitBreaker(failureThreshold: 2, resetTimeout: 10))
        var stragglers: [Task<TransportResponse, any Error>] = []
        for number in 0..<5 { stragglers.append(try await start("/straggler\(number)", client)) }
        try await open(breaker, client)
        await clock.advance(by: 10)
        try await call(.success(answer()), client)
        #expect(try state(breaker) == .closed)
        for (number, straggler) in stragglers.enumerated() {
            transport.answer("/straggler\(number)", .failure(lostConnection))
            _ = await straggler.result
            #expect(try state(breaker) == .closed)
        }
    }

    @Test func eachOriginHasACircuit() async throws {
        let breaker = CircuitBreaker(failureThreshold: 1)
        let client = NetworkClient(
            interceptors: [breaker],
            transport: StubTransport { request, _, _ in answer(request.url?.host == "a.example" ? 500 : 200) },
            clock: clock)
        _ = try await client.response(for: request("https://a.example/1"))
        try await failure { try await client.response(for: request("https://A.example:443/2")) }
        for other in ["http://a.example/", "https://a.example:444/", "https://b.example/"] {
            _ = try await client.response(for: request(other))
        }
        let open = ["http://a.example:80", "https://a.example:443", "https://a.example:444"]
        #expect(breaker.openCircuits.keys.sorted() == open)
    }

    @Test func resetClosesTheCircuit() async throws {
        let (breaker, client) = client(CircuitBreaker(failureThreshold: 1))
        try await open(breaker, client)
        breaker.reset(try url())
        #expect(try state(breaker) == .closed)
        try await call(.success(answer()), client)
    }

    @Test func customRuleOfFailures() async throws {
        let (breaker, client) = client(CircuitBreaker(failureThreshold: 1, counts: { $0.statusCode == 429 }))
        try await call(.success(answer(500)), client)
        try await call(.failure(lostConnection), client)
        #expect(try state(breaker) == .closed)
        try await call(.success(answer(429)), client)
        #expect(try state(breaker) != .closed)
    }

    @Test func changesStream() async throws {
        var breaker: CircuitBreaker? = CircuitBreaker(failureThreshold: 1, resetTimeout: 10)
        var seen: [CircuitBreaker.Change] = []
        if let breaker {
            let changes = breaker.changes
            let client = client(breaker).client
            try await open(breaker, client)
            await clock.advance(by: 10)
            try await call(.success(answer()), client)
            var iterator = changes.makeAsyncIterator()
            for _ in 0..<3 { if let change = await iterator.next() { seen.append(change) } }
            #expect(breaker.openCircuits.isEmpty)
        }
        let expected = ["closed -> open", "open -> half-open", "half-open -> closed"]
        #expect(seen.map(\.description) == expected.map { "https://a.example:443: \($0)" })
        #expect(seen.map(\.date) == [clock.now.addingTimeInterval(-10), clock.now, clock.now])
        #expect(seen.allSatisfy { $0.host == "a.example" })
        // The stream ends with its breaker.
        let rest = try #require(breaker?.changes)
        breaker = nil
        for await change in rest { Issue.record("\(change)") }
    }

    @Test func eachRetryCountsAndAnOpenCircuitIsNotRetried() async throws {
        let stub = StubTransport { _, _, _ in throw lostConnection }
        let client = NetworkClient(
            interceptors: [CircuitBreaker(failureThreshold: 3)],
            retryPolicy: RetryPolicy(maxRetries: 5, delay: .immediate), transport: stub,
            clock: TestClock(autoAdvance: true))
        #expect(try await failure { try await client.response(for: request()) }.code == "circuit_open")
        #expect(stub.exchanges.count == 3)
    }

    @Test func stoppedServerOpensTheCircuit() async throws {
        let server = try MockServer()
        let request = URLRequest(url: server.url("/"))
        await server.stop()
        let client = NetworkClient(interceptors: [CircuitBreaker(failureThreshold: 2)])
        var codes: [String?] = []
        for _ in 0..<3 { codes.append(try await failure { try await client.data(for: request) }.code) }
        #expect(codes == ["network_unavailable", "network_unavailable", "circuit_open"])
    }

    @Test func maxCircuitsLimitsTheMemory() async throws {
        let breaker = CircuitBreaker(failureThreshold: 2, maxCircuits: 100)
        let next = Next(context: RequestContext(clock: clock)) { _, _, _ in answer(500) }
        for _ in 0..<2 { _ = try await breaker.intercept(request("https://open.example/"), next: next) }
        for number in 0..<1_000 { _ = try await breaker.intercept(request("https://h\(number).example/"), next: next) }
        #expect(breaker.openCircuits.keys.elementsEqual(["https://open.example:443"]), "Open ones go last.")
        for number in 0..<1_000 {
            for _ in 0..<2 { _ = try? await breaker.intercept(request("https://o\(number).example/"), next: next) }
        }
        #expect((1...100).contains(breaker.openCircuits.count))
    }

    @Test func tenThousandConcurrentCalls() async throws {
        let breaker = CircuitBreaker()
        let stub = StubTransport { _, _, _ in throw lostConnection }
        let client = NetworkClient(interceptors: [breaker], transport: stub, clock: clock)
        let results = try await atOnce(10_000) { _ in
            await Task { try await client.response(for: request()) as TransportResponse }.result
        }
        let tally = results.reduce(into: Tally()) { $0.add($1) }
        #expect(tally.total == 10_000 && tally.failed == stub.exchanges.count && tally.failed >= 5)
        #expect(tally.rejected == 10_000 - tally.failed && tally.rejected > 0)
        #expect(try state(breaker) == .open(until: clock.now.addingTimeInterval(60)))
    }
}
