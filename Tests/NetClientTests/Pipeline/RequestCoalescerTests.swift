import NetClient
import NetTesting
import TestLab
import Testing

@Suite struct RequestCoalescerTests {
    private let clock = TestClock()
    private let transport = HeldTransport()
    private let coalescer = RequestCoalescer()

    private var client: NetworkClient {
        NetworkClient(transport: transport, callInterceptors: [coalescer], clock: clock)
    }

    private func context(deadline: TimeInterval?) -> RequestContext {
        var context = RequestContext(clock: clock)
        context.deadline = deadline
        return context
    }

    /// Starts a call, and returns when it is sent or waits with the others.
    private func start(
        _ client: NetworkClient, _ request: URLRequest, _ context: RequestContext? = nil
    ) async throws -> Task<TransportResponse, any Error> {
        let before = coalescer.waitingCount
        let task = Task { try await client.response(for: request, context: context) as TransportResponse }
        try await waitUntil("it waits") { coalescer.waitingCount > before ? () : nil }
        return task
    }

    @Test func oneExchangeAnswersAll() async throws {
        let client = client
        var tasks: [Task<TransportResponse, any Error>] = []
        for _ in 0..<50 { tasks.append(try await start(client, request())) }
        try await transport.waitForHeld(1)
        transport.answer(nil, .success(answer(200, "shared", headers: ["X-A": "1"])))
        for task in tasks {
            var response = try await task.value
            #expect(response.body.data == Data("shared".utf8) && response.headers["X-A"] == "1")
            response.headers["X-A"] = "mine"
        }
        #expect(transport.started.count == 1 && coalescer.inFlightCount == 0 && coalescer.waitingCount == 0)
        let next = try await start(client, request())
        try await transport.waitForHeld(1)
        transport.answer()
        _ = try await next.value
        #expect(transport.started.count == 2, "What has ended is not shared.")
    }

    @Test func aRealServerSeesOne() async throws {
        let isOpen = Locked(false)
        let server = try MockServer { _ in
            try await waitUntil("all wait") { isOpen.withLock { $0 } ? () : nil }
            return .text("shared").framed(.chunked)
        }
        let client = NetworkClient(callInterceptors: [coalescer])
        // The exchange waits for the hundredth call, on a busy machine for longer than the usual 60 s.
        let request = URLRequest(url: server.url("/a?b=c"), timeoutInterval: 600)
        var tasks: [Task<TransportResponse, any Error>] = []
        for _ in 0..<100 { tasks.append(try await start(client, request)) }
        isOpen.withLock { $0 = true }
        for task in tasks { #expect(try await task.value.body.data == Data("shared".utf8)) }
        #expect(server.requestCount == 1)
        await client.shutdown()
    }

    @Test func anErrorIsEverybodys() async throws {
        let client = client
        let tasks = [try await start(client, request()), try await start(client, request())]
        try await transport.waitForHeld(1)
        transport.answer(nil, .failure(lostConnection))
        for task in tasks {
            let failure = await #expect(throws: NetworkFailure.self) { try await task.value }
            #expect(failure?.cause == .networkUnavailable && failure?.transportError?.code == .connectionLost)
        }
        #expect(transport.started.count == 1)
    }

    @Test func aBodyThatBreaksOffIsEverybodys() async throws {
        let client = client
        let tasks = [try await start(client, request()), try await start(client, request())]
        try await transport.waitForHeld(1)
        let body = HTTPBody(pulling: { throw lostConnection })
        transport.answer(nil, .success(TransportResponse(status: 200, url: nil, body: body)))
        for task in tasks {
            let failure = await #expect(throws: NetworkFailure.self) { try await task.value }
            #expect(failure?.cause == .networkUnavailable && failure?.response?.statusCode == 200)
        }
    }

    @Test(arguments: [0, 1]) func cancellingOneLeavesTheOthers(index: Int) async throws {
        let client = client
        var tasks: [Task<TransportResponse, any Error>] = []
        for _ in 0..<3 { tasks.append(try await start(client, request())) }
        try await transport.waitForHeld(1)
        let cancelled = tasks.remove(at: index)
        cancelled.cancel()
        #expect(try await failure { try await cancelled.value }.isCancellation == true && coalescer.waitingCount == 2)
        #expect(transport.cancelled.isEmpty)
        transport.answer()
        for task in tasks { #expect(try await task.value.status == 200) }
        #expect(transport.started.count == 1)
    }

    @Test func whenAllAreCancelledTheExchangeIs() async throws {
        let client = client
        let tasks = [try await start(client, request()), try await start(client, request())]
        try await transport.waitForHeld(1)
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: NetworkFailure(cause: .cancelled)) { try await task.value } }
        try await waitUntil("the exchange is cancelled") { transport.cancelled.count == 1 ? () : nil }
        #expect(coalescer.inFlightCount == 0)
        let next = try await start(client, request())
        try await transport.waitForHeld(1)
        transport.answer()
        #expect(try await next.value.status == 200, "A later one is not cancelled with them.")
    }

    // MARK: Deadlines

    @Test func eachKeepsItsOwnDeadline() async throws {
        let client = client
        let first = try await start(client, request())
        let hasty = try await start(client, request(), context(deadline: 2))
        try await clock.waitForSleepers()
        await clock.advance(by: 2)
        #expect(try await failure { try await hasty.value }.cause == .timeout && clock.uptime == 2)
        transport.answer()
        #expect(try await first.value.status == 200)
        #expect(clock.sleeperCount == 0 && transport.started.count == 1)
    }

    @Test func whoHasMoreTimeBeginsAnew() async throws {
        let client = client
        let hasty = try await start(client, request(), context(deadline: 2))
        let same = try await start(client, request(), context(deadline: 2))
        let patient = try await start(client, request(), context(deadline: 9))
        let endless = try await start(client, request())
        try await transport.waitForHeld(1)
        #expect(transport.contexts.map(\.deadline) == [2])
        transport.answer(nil, .failure(TransportError(.totalTimeout, phase: .waiting, message: "late")))
        for task in [hasty, same] { await #expect(throws: NetworkFailure(cause: .timeout)) { try await task.value } }
        try await transport.waitForHeld(1)
        transport.answer()
        if transport.started.count == 2, transport.held.isEmpty {
            // They share the second one, or the patient one's came to its end first.
            #expect(try await patient.value.status == 200)
        }
        try await waitUntil("all are answered") {
            if !transport.held.isEmpty { transport.answer() }
            return coalescer.waitingCount == 0 && transport.held.isEmpty ? () : nil
        }
        _ = try await (patient.value, endless.value)
        #expect((2...3).contains(transport.started.count))
    }

    @Test func anIdleTimeoutIsEverybodys() async throws {
        let client = client
        let tasks = [try await start(client, request(), context(deadline: 2)), try await start(client, request())]
        try await transport.waitForHeld(1)
        transport.answer(nil, .failure(TransportError(.idleTimeout, phase: .waiting, message: "late")))
        for task in tasks { await #expect(throws: NetworkFailure(cause: .timeout)) { try await task.value } }
        #expect(transport.started.count == 1)
    }

    @Test func randomCancellationsLeaveNothingBehind() async throws {
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
