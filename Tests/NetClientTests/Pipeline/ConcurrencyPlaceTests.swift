/// A streamed response keeps its place in the concurrency limit until its body ends.
@Suite(.timeLimit(.minutes(1))) struct ConcurrencyPlaceTests {
    private let limiter = ConcurrencyLimiter(maxConcurrentPerHost: 1)

    private func activeCount() throws -> Int { limiter.activeCount(for: try url()) }

    /// A body of chunks, the last of which may be an error.
    private func client(_ chunks: [Result<String, TransportError>]) -> NetworkClient {
        let transport = StubTransport { _, _, _ in
            let rest = Locked(chunks[...])
            let body = HTTPBody(pulling: { try rest.withLock { try $0.popFirst()?.get() }.map { Data($0.utf8) } })
            return TransportResponse(status: 200, url: nil, body: body)
        }
        return NetworkClient(interceptors: [limiter], transport: transport)
    }

    @Test func placeIsKeptUntilTheBodyEnds() async throws {
        let response = try await client([.success("a"), .success("b")]).send(request())
        #expect(try activeCount() == 1)
        var iterator = response.body.makeAsyncIterator()
        #expect(try await iterator.next() == Data("a".utf8))
        #expect(try await iterator.next() == Data("b".utf8))
        #expect(try activeCount() == 1)
        #expect(try await iterator.next() == nil)
        #expect(try activeCount() == 0, "although the response is still here: \(response.status)")
    }

    @Test func placeIsFreedWhenTheBodyFails() async throws {
        let response = try await client([.success("a"), .failure(lostConnection)]).send(request())
        await #expect(throws: NetworkFailure.self) { try await response.body.collect(upTo: 10) }
        #expect(try activeCount() == 0)
    }

    @Test func placeIsFreedWhenTheBodyIsReleased() async throws {
        let client = client([.success("a"), .success("b")])
        do {
            let response = try await client.send(request())
            #expect(try activeCount() == 1 && response.status == 200)
        }
        #expect(try activeCount() == 0, "unread")
        do {
            let response = try await client.send(request())
            for try await chunk in response.body {
                #expect(chunk == Data("a".utf8))
                break
            }
        }
        #expect(try activeCount() == 0, "half read")
    }

    @Test func secondReaderDoesNotFreeThePlace() async throws {
        let response = try await client([.success("a")]).send(request())
        var first = response.body.makeAsyncIterator()
        await #expect(throws: NetworkFailure.self) { try await response.body.collect(upTo: 10) }
        #expect(try activeCount() == 1)
        #expect(try await first.next() == Data("a".utf8))
        #expect(try await first.next() == nil)
        #expect(try activeCount() == 0)
    }

    @Test func collectedResponseHasFreedItsPlace() async throws {
        let response = try await client([.success("a"), .success("b")]).response(for: request())
        #expect(response.body.data == Data("ab".utf8))
        #expect(try activeCount() == 0)
    }

    /// The long body of a redirect must not keep the place that the next hop needs.
    /// On a socket, the second request is sent when the body of the first one has ended.
    @Test func bodyOnASocketKeepsItsPlace() async throws {
        let server = try MockServer()
        server.on("/long", MockResponse(body: .generated(count: 4 << 20)))
        server.on("/short", .text("short"))
        let client = NetworkClient(interceptors: [limiter])
        let long = try await client.send(URLRequest(url: server.url("/long")))
        let short = Task { try await client.data(for: URLRequest(url: server.url("/short"))).data }
        try await waitUntil("the second waits") { limiter.waitingCount(for: server.url) == 1 ? () : nil }
        #expect(server.requestCount == 1)
        #expect(try await long.body.reduce(0) { $0 + $1.count } == 4 << 20)
        #expect(try await short.value == Data("short".utf8) && limiter.activeCount(for: server.url) == 0)
    }

    @Test func redirectsDoNotDeadlock() async throws {
        let server = try MockServer()
        server.on("/from", MockResponse(status: 302, headers: ["Location": "/to"], body: .generated(count: 1 << 20)))
        server.on("/to", .text("there"))
        let client = NetworkClient(interceptors: [limiter])
        let response = try await client.send(URLRequest(url: server.url("/from")))
        #expect(try await response.body.collect(upTo: 100) == Data("there".utf8))
        await server.stop()
    }

    private func unread(_ status: Int, chunks: UInt64) -> TransportResponse {
        let count = Locked<UInt64>(0)
        let body = HTTPBody(pulling: { count.next() <= chunks ? Data(count: 64 << 10) : nil })
        return TransportResponse(status: status, url: nil, body: body)
    }

    /// The first copy of a hedged request fails while the second waits for its place.
    @Test(arguments: [(2, 200), (32, 503)])
    func copiesOfAHedgedRequestDoNotDeadlock(_ chunks: UInt64, _ status: Int) async throws {
        let clock = TestClock()
        let first = Locked<CheckedContinuation<Void, Never>?>(nil)
        let transport = StubTransport { _, _, context in
            guard context.hedgeNumber == 0 else { return answer(200, "second") }
            await withCheckedContinuation { continuation in first.withLock { $0 = continuation } }
            return unread(503, chunks: chunks)
        }
        let resilience = Resilience(hedging: HedgingInterceptor(delay: 1), concurrencyLimiter: limiter)
        let client = NetworkClient(transport: transport, resilience: resilience, clock: clock)
        let call = Task { try await client.send(request("https://a.example/")) }
        try await clock.waitForSleepers()
        let held = try await waitUntil("the first copy is sent") { first.withLock { $0 } }
        await clock.advance(by: 1)
        let url = try url()
        try await waitUntil("the second copy waits") { limiter.waitingCount(for: url) == 1 ? () : nil }
        held.resume()
        // A large body is not read to its end, so its response is the answer.
        #expect(try await call.value.status == status)
    }

    /// A part of a large error body is read, and the retry needs the place.
    @Test func retriesDoNotDeadlock() async throws {
        let transport = StubTransport { _, _, context in context.attempt == 0 ? unread(503, chunks: 32) : answer() }
        let client = NetworkClient(
            retryPolicy: RetryPolicy(maxRetries: 1, delay: .fixed(0)), transport: transport,
            resilience: Resilience(concurrencyLimiter: limiter))
        #expect(try await client.send(request()).status == 200)
    }
}
