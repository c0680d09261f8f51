/// The end of a client's calls, by `shutdown` and `cancelAll`.
@Suite(.timeLimit(.minutes(1))) struct ShutdownTests {
    private let transport = HeldTransport(isEndedByShutdown: true)

    /// Waits until new calls are refused, which is the beginning of the shutdown.
    private func waitUntilClosed(_ client: NetworkClient) async throws {
        while try await failure(of: { try await client.send(request("ftp://a.example/")) }).code != "unsupported" {
            await Task.yield()
        }
    }

    private func expectCancelled<Value>(_ call: Task<Value, any Error>) async throws {
        #expect(try await failure { try await call.value }.cause == .cancelled)
    }

    @Test func drainWaitsForCallsInFlight() async throws {
        let client = NetworkClient(transport: transport)
        let calls = (0..<3).map { _ in Task { try await client.data(for: request()).response.status } }
        try await transport.waitForHeld(3)
        let isDown = Locked(false)
        let shutdown = Task {
            await client.shutdown()
            isDown.withLock { $0 = true }
        }
        try await waitUntilClosed(client)
        #expect(!isDown.withLock { $0 } && !transport.isShutDown)
        for _ in calls { transport.answer() }
        for call in calls { #expect(try await call.value == 200) }
        await shutdown.value
        #expect(transport.isShutDown)
    }

    /// A buffered call lasts until its body is complete.
    @Test func drainWaitsForBodies() async throws {
        let client = NetworkClient(transport: transport)
        let call = Task { try await client.data(for: request()).data }
        try await transport.waitForHeld(1)
        let chunk = Locked<CheckedContinuation<Data?, Never>?>(nil)
        let count = Locked<UInt64>(0)
        let body = HTTPBody(pulling: {
            guard count.next() == 1 else { return nil }
            return await withCheckedContinuation { continuation in chunk.withLock { $0 = continuation } }
        })
        transport.answer(nil, .success(TransportResponse(status: 200, url: nil, body: body)))
        let reader = try await waitUntil("the body is being read") { chunk.withLock { $0 } }
        let shutdown = Task { await client.shutdown() }
        try await waitUntilClosed(client)
        #expect(!transport.isShutDown)
        reader.resume(returning: Data("body".utf8))
        #expect(try await call.value == Data("body".utf8))
        await shutdown.value
        #expect(transport.isShutDown)
    }

    @Test func cancelEndsCallsInFlight() async throws {
        let client = NetworkClient(
            interceptors: [Hook(retrying: { _, _, _ in .retry })], retryPolicy: .default, transport: transport)
        let calls = (0..<3).map { _ in Task { try await client.data(for: request()) } }
        try await transport.waitForHeld(3)
        await client.shutdown(.cancel)
        for call in calls { try await expectCancelled(call) }
    }

    enum End: CaseIterable { case cancellation, cancelAll, shutdown }

    @Test(arguments: End.allCases) func waitsBeforeARetryAreCancelled(by end: End) async throws {
        let clock = TestClock()
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let client = NetworkClient(
            retryPolicy: RetryPolicy(maxRetries: 9, delay: .fixed(120)), transport: transport, clock: clock)
        let calls = (0..<3).map { _ in Task { try await client.data(for: request()) } }
        try await clock.waitForSleepers(count: 3)
        switch end {
        case .cancellation: for call in calls { call.cancel() }
        case .cancelAll: client.cancelAll()
        case .shutdown: await client.shutdown(.cancel)
        }
        for call in calls { try await expectCancelled(call) }
        #expect(transport.exchanges.count == 3 && clock.sleeperCount == 0)
    }

    @Test func drainWaitsForRetries() async throws {
        let clock = TestClock()
        let transport = StubTransport(.failure(lostConnection), .success(answer()))
        let client = NetworkClient(
            retryPolicy: RetryPolicy(maxRetries: 9, delay: .fixed(120)), transport: transport, clock: clock)
        let call = Task { try await client.data(for: request()).response.status }
        try await clock.waitForSleepers()
        let shutdown = Task { await client.shutdown() }
        await clock.advance(by: 120)
        #expect(try await call.value == 200)
        await shutdown.value
    }

    @Test func cancelAfterDrain() async throws {
        let client = NetworkClient(transport: transport)
        let call = Task { try await client.data(for: request()) }
        try await transport.waitForHeld(1)
        let drain = Task { await client.shutdown(.drain) }
        await client.shutdown(.cancel)
        await drain.value
        try await expectCancelled(call)
    }

    /// Another client shares the transport after the call began, and continues to use it.
    @Test func cancelEndsACallThatBeganBeforeTheTransportWasShared() async throws {
        let server = try MockServer()
        server.on("/slow", MockResponse.ok.fault(.stall(.beforeResponse)))
        let client = NetworkClient()
        let call = Task { try await client.data(for: URLRequest(url: server.url("/slow"))) }
        _ = try await server.takeRequest()
        let other = client.with { $0.timeoutInterval = 30 }
        await client.shutdown(.cancel)
        try await expectCancelled(call)
        await other.shutdown()
        await server.stop()
    }

    @Test(arguments: [NetworkClient.ShutdownMode.drain, .cancel, nil])
    func shutdownOrCancelAllEndsAStreamOfASharedTransport(_ mode: NetworkClient.ShutdownMode?) async throws {
        let server = try MockServer { _ in
            MockResponse.text(String(repeating: "x", count: 4 << 20)).throttled(bytesPerSecond: 1000)
        }
        let parent = NetworkClient()
        let child = parent.with { $0.timeoutInterval = 30 }
        let response = try await child.send(URLRequest(url: server.url("/")))
        if let mode { await child.shutdown(mode) } else { child.cancelAll() }
        await #expect(throws: CancellationError.self) { try await response.body.collect(upTo: 8 << 20) }
        await parent.shutdown()
        await server.stop()
    }

    @Test func callsAfterShutdownAreRefused() async throws {
        let transport = StubTransport()
        let client = NetworkClient(transport: transport)
        for mode in [NetworkClient.ShutdownMode.drain, .drain, .cancel] { await client.shutdown(mode) }
        #expect(try await failure { try await client.data(for: request()) }.code == "unsupported")
        #expect(transport.exchanges.isEmpty)
    }

    @Test func callInFlightKeepsTheClientAlive() async throws {
        var client: NetworkClient? = NetworkClient(transport: transport)
        let call = Task { [client] in try await #require(client).data(for: request()).response.status }
        try await transport.waitForHeld(1)
        weak let weakClient = client
        client = nil
        #expect(weakClient != nil)
        transport.answer()
        #expect(try await call.value == 200)
    }

    @Test func transportIsReleasedWithTheClient() async throws {
        weak var released: HeldTransport?
        do {
            let transport = HeldTransport()
            released = transport
            let client = NetworkClient(transport: transport)
            await #expect(throws: NetworkFailure.self) { try await client.data(for: request("ftp://a.example/")) }
        }
        #expect(released == nil)
    }

    // MARK: cancelAll

    @Test func callsInFlightAreCancelled() async throws {
        let server = try MockServer { $0.path == "/fast" ? .text("x") : MockResponse.text("x").delayed(by: 60) }
        let client = NetworkClient(baseURL: server.url)
        let other = client.with { $0.userAgent = "other" }
        let slow = URLRequest(url: server.url("/slow"))
        let calls = (0..<3).map { _ in Task { try await client.data(for: slow) } }
        let others = Task { try await other.data(for: slow) }
        try await waitUntil("four requests arrived") { server.requests.count == 4 ? () : nil }
        client.cancelAll()
        for call in calls {
            try await expectCancelled(call)
            #expect(!call.isCancelled)
        }
        #expect(try await client.data(for: URLRequest(url: server.url("/fast"))).response.status == 200)
        other.cancelAll()
        await #expect(throws: NetworkFailure.self) { try await others.value }
        await server.stop()
    }

    @Test func callThroughACustomTransportFailsAtItsNextStep() async throws {
        let client = NetworkClient(transport: transport)
        let call = Task { try await client.data(for: request()) }
        try await transport.waitForHeld(1)
        client.cancelAll()
        transport.answer()
        try await expectCancelled(call)
    }
}
