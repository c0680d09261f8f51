@testable import NetClient

@Suite struct HedgingTests {
    private let clock = TestClock()
    private let transport = HeldTransport()

    private func client(_ hedging: HedgingInterceptor) -> PlainPipeline {
        // Each copy has its own path.
        let numbering = Before { $0.url?.appendPathComponent("\($1.context.hedgeNumber)") }
        return PlainPipeline(interceptors: [hedging, numbering], transport: transport, clock: clock)
    }

    private func start(
        _ hedging: HedgingInterceptor, _ method: HTTPMethod = .get, body: HTTPBody? = nil, deadline: TimeInterval? = nil
    ) async throws -> Task<TransportResponse, any Error> {
        let client = client(hedging)
        let request = try request("https://a.example/", method)
        let context = clock.context(deadline: deadline)
        let task = Task { try await client.response(for: request, body: body, context: context) as TransportResponse }
        try await transport.waitForHeld(1)
        return task
    }

    /// Passes the delay, and waits for the copy.
    private func sendCopy(_ count: Int = 2) async throws {
        try await clock.advance(by: 0.5, whenSleeping: 1)
        try await transport.waitForHeld(count)
    }

    @Test(arguments: [true, false]) func endBeforeTheDelaySendsNoCopy(isFailure: Bool) async throws {
        let task = try await start(HedgingInterceptor(delay: 0.5))
        try await clock.advance(by: 0.499, whenSleeping: 1)
        transport.answer("/0", isFailure ? .failure(lostConnection) : .success(answer()))
        if isFailure {
            await #expect(throws: NetworkFailure(cause: .networkUnavailable)) { try await task.value }
        } else {
            #expect(try await task.value.status == 200)
        }
        await clock.advance(by: 0.001)
        #expect(transport.started == ["/0"] && transport.cancelled.isEmpty)
        #expect(clock.sleeps == [0.5] && clock.sleeperCount == 0)
    }

    @Test func copyIsSentAfterTheDelayAndTheLoserIsCancelled() async throws {
        let task = try await start(HedgingInterceptor(delay: 0.5))
        try await sendCopy()
        #expect(transport.started == ["/0", "/1"])
        transport.answer("/1", .success(answer(200, "second")))
        #expect(try await task.value.body.data == Data("second".utf8))
        #expect(transport.cancelled == ["/0"] && transport.held.isEmpty)
        #expect(clock.sleeps == [0.5] && clock.sleeperCount == 0)
    }

    @Test func firstCopyMayWin() async throws {
        let task = try await start(HedgingInterceptor(delay: 0.5, maxAttempts: 3))
        for count in 2...3 { try await sendCopy(count) }
        await clock.advance(by: 100)
        transport.answer("/0", .success(answer(404, "first")))
        #expect(try await task.value.status == 404)
        #expect(transport.started == ["/0", "/1", "/2"] && Set(transport.cancelled) == ["/1", "/2"])
        #expect(clock.sleeps == [0.5, 0.5] && clock.sleeperCount == 0)
    }

    @Test func failureOfOneCopyDoesNotFailTheCall() async throws {
        for failure in [Result<TransportResponse, any Error>.failure(lostConnection), .success(answer(503))] {
            let task = try await start(HedgingInterceptor(delay: 0.5))
            try await sendCopy()
            transport.answer("/0", failure)
            try await transport.waitForHeld(1)
            transport.answer("/1", .success(answer(200, "second")))
            #expect(try await task.value.body.data == Data("second".utf8) && transport.cancelled.isEmpty)
        }
    }

    @Test func firstResponseOrErrorIsReturnedIfAllCopiesFail() async throws {
        for isResponse in [true, false] {
            let task = try await start(HedgingInterceptor(delay: 0.5))
            try await sendCopy()
            transport.answer("/1", .failure(lostConnection))
            try await transport.waitForHeld(1)
            transport.answer("/0", isResponse ? .success(answer(500, "first")) : .failure(refusedConnection))
            if isResponse {
                #expect(try await task.value.status == 500)
            } else {
                // Either task may end first.
                let code = try await failure { try await task.value }.transportError?.code
                #expect(code == .connectionLost || code == .connectionRefused)
            }
        }
        var score = HedgeScore()
        score.sent = 2
        #expect(score.end(.failure(lostConnection)) == nil)
        let end = score.end(.failure(refusedConnection))
        #expect(throws: lostConnection) { try #require(end).get() }
    }

    @Test func unsafeRequestsAreSentOnce() async throws {
        for (method, body) in [
            (HTTPMethod.post, HTTPBody("x")), (.put, HTTPBody("x")), (.delete, nil), (.get, oneShot("x")),
        ] {
            let task = try await start(HedgingInterceptor(delay: 0.5), method, body: body)
            await clock.advance(by: 10)
            #expect(transport.held.count == 1 && clock.sleeps.isEmpty, "\(method)")
            transport.answer()
            _ = try await task.value
        }
    }

    @Test func noCopyIsSentAtTheDeadline() async throws {
        let first = try await start(HedgingInterceptor(delay: 0.5), deadline: 0.5)
        #expect(clock.sleeps.isEmpty)
        transport.answer()
        _ = try await first.value
        let second = try await start(HedgingInterceptor(delay: 0.5, maxAttempts: 9), deadline: 1.2)
        for count in 2...3 { try await sendCopy(count) }
        await clock.advance(by: 50)
        #expect(transport.held.count == 3 && clock.sleeps == [0.5, 0.5])
        transport.answer("/2")
        _ = try await second.value
    }

    @Test func cancellingTheCallCancelsAllCopies() async throws {
        let task = try await start(HedgingInterceptor(delay: 0.5))
        try await sendCopy()
        task.cancel()
        await #expect(throws: NetworkFailure(cause: .cancelled)) { try await task.value }
        #expect(Set(transport.cancelled) == ["/0", "/1"] && transport.held.isEmpty && clock.sleeperCount == 0)
    }

    @Test(arguments: [-1, 0, TimeInterval.nan, .infinity]) func extremesDoNotTrap(_ delay: TimeInterval) async throws {
        let hedging = HedgingInterceptor(delay: delay, maxAttempts: delay == 0 ? -3 : 4)
        let client = NetworkClient(interceptors: [hedging], transport: StubTransport { _, _, _ in answer() })
        #expect(try await client.response(for: request()).status == 200)
    }

    /// Both copies reach the server, and the winner's body can be read.
    @Test func connectionOfTheLoserIsClosed() async throws {
        let server = try MockServer()
        server.enqueue(.text("too late").delayed(by: 60))
        server.enqueue(MockResponse(body: .generated(count: 1 << 20)))
        let client = NetworkClient(interceptors: [HedgingInterceptor(delay: 1)], clock: clock)
        let url = server.url("/")
        let task = Task { try await client.send(URLRequest(url: url)).body.reduce(0) { $0 + $1.count } }
        _ = try await server.takeRequest()
        try await clock.advance(by: 1, whenSleeping: 1)
        _ = try await server.takeRequest()
        #expect(try await task.value == 1 << 20 && server.requestCount == 2)
        try await server.waitForOpenConnections(atMost: 1)
    }

    @Test func bothCopiesHaveTheURLThatAnOuterInterceptorChanged() async throws {
        let keyed = Before { request, _ in request.url?.appendPathComponent("key") }
        let client = NetworkClient(
            interceptors: [keyed, HedgingInterceptor(delay: 0.5)], transport: transport, clock: clock)
        let request = try request()
        let task = Task { try await client.response(for: request) as TransportResponse }
        try await transport.waitForHeld(1)
        try await sendCopy()
        transport.answer()
        _ = try await task.value
        #expect(transport.started == ["/key", "/key"])
    }

    @Test(.timeLimit(.minutes(1)), arguments: [SystemClock(), TestClock()] as [any NetworkClock])
    func endedRaceHasNoTimer(on clock: any NetworkClock) async throws {
        weak var released: HedgeRace?
        do {
            let race = HedgeRace()
            released = race
            race.startTimer(after: 1_000, on: clock)
            race.end()
            race.end()
            await #expect(throws: CancellationError.self) { try await race.next() }
            race.startTimer(after: 1_000, on: clock)
        }
        // A cancelled task ends later.
        while released != nil { try await SystemClock().sleep(for: 0.001) }
    }
}
