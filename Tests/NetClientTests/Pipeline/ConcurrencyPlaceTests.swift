import NetClient
import NetTesting
import TestLab
import Testing

/// How long a streamed response keeps its place.
@Suite(.timeLimit(.minutes(1))) struct ConcurrencyPlaceTests {
    private let limiter = ConcurrencyLimiter(maxConcurrentPerHost: 1)

    private func activeCount() throws -> Int {
        limiter.activeCount(for: try #require(URL(string: "https://a.example/")))
    }

    /// A body of chunks, the last of which may be an error.
    private func client(_ chunks: [Result<String, TransportError>]) -> NetworkClient {
        NetworkClient(
            interceptors: [limiter],
            transport: StubTransport { request, _, _ in
                let rest = Locked(chunks[...])
                return TransportResponse(
                    status: 200, url: request.url,
                    body: HTTPBody(pulling: { try rest.withLock { try $0.popFirst()?.get() }.map { Data($0.utf8) } }))
            })
    }

    @Test func itIsKeptUntilTheBodyHasEnded() async throws {
        let response = try await client([.success("a"), .success("b")]).send(request())
        #expect(try activeCount() == 1)
        var iterator = response.body.makeAsyncIterator()
        #expect(try await iterator.next() == Data("a".utf8))
        #expect(try await iterator.next() == Data("b".utf8))
        #expect(try activeCount() == 1)
        #expect(try await iterator.next() == nil)
        #expect(try activeCount() == 0, "although the response is still here: \(response.status)")
    }

    @Test func itIsGivenBackWhenTheBodyFails() async throws {
        let response = try await client([.success("a"), .failure(lostConnection)]).send(request())
        await #expect(throws: NetworkFailure.self) { try await response.body.collect(upTo: 10) }
        #expect(try activeCount() == 0)
    }

    @Test func itIsGivenBackWhenTheBodyIsLetGo() async throws {
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

    @Test func aSecondReaderDoesNotGiveItBack() async throws {
        let response = try await client([.success("a")]).send(request())
        var first = response.body.makeAsyncIterator()
        await #expect(throws: NetworkFailure.self) { try await response.body.collect(upTo: 10) }
        #expect(try activeCount() == 1)
        #expect(try await first.next() == Data("a".utf8))
        #expect(try await first.next() == nil)
        #expect(try activeCount() == 0)
    }

    @Test func aCollectedResponseHasNoneAnyMore() async throws {
        let response = try await client([.success("a"), .success("b")]).response(for: request())
        #expect(response.body.data == Data("ab".utf8))
        #expect(try activeCount() == 0)
    }

    /// A redirect whose body is longer than what is read of it must not keep the place that the next hop needs.
    @Test func redirectsDoNotWaitForThemselves() async throws {
        let server = try MockServer()
        server.on("/from", MockResponse(status: 302, headers: ["Location": "/to"], body: .generated(count: 1 << 20)))
        server.on("/to", .text("there"))
        let client = NetworkClient(interceptors: [limiter])
        let response = try await client.send(URLRequest(url: server.url("/from")))
        #expect(try await response.body.collect(upTo: 100) == Data("there".utf8))
        await client.shutdown()
        await server.stop()
    }

    /// A body that nobody has read.
    private func unread(_ status: Int, _ url: URL?, chunks: Int) -> TransportResponse {
        let rest = Locked(chunks)
        return TransportResponse(
            status: status, url: url,
            body: HTTPBody(pulling: {
                rest.withLock { rest in
                    rest -= 1
                    return rest >= 0 ? Data(count: 64 << 10) : nil
                }
            }))
    }

    /// The first copy of a hedged request fails while the second waits for its place.
    @Test(arguments: [(2, 200), (32, 503)])
    func copiesOfAHedgedRequestDoNotWaitForEachOther(_ chunks: Int, _ status: Int) async throws {
        let clock = TestClock()
        let first = Locked<CheckedContinuation<Void, Never>?>(nil)
        let client = NetworkClient(
            transport: StubTransport { request, _, context in
                guard context.hedgeNumber == 0 else { return answer(200, "second") }
                await withCheckedContinuation { continuation in first.withLock { $0 = continuation } }
                return unread(503, request.url, chunks: chunks)
            }, resilience: Resilience(hedging: HedgingInterceptor(delay: 1), concurrencyLimiter: limiter),
            clock: clock)
        let call = Task { try await client.send(request("https://a.example/")) }
        try await clock.waitForSleepers()
        let held = try await waitUntil("the first copy is sent") { first.withLock { $0 } }
        await clock.advance(by: 1)
        try await waitUntil("the second copy waits") {
            limiter.waitingCount(for: URL(string: "https://a.example/")!) == 1 ? () : nil
        }
        held.resume()
        // A large body is not read to its end, so its response is the answer.
        #expect(try await call.value.status == status)
    }

    /// Of a large error body a part is read, and the retry needs the place.
    @Test func retriesDoNotWaitForThemselves() async throws {
        let client = NetworkClient(
            retryPolicy: RetryPolicy(maxRetries: 1, delay: .fixed(0)),
            transport: StubTransport { request, _, context in
                context.attempt == 0 ? unread(503, request.url, chunks: 32) : answer()
            }, resilience: Resilience(concurrencyLimiter: limiter))
        let response = try await client.send(request("https://a.example/"))
        #expect(response.status == 200)
    }

    /// On a real socket: the second request is sent when the first one's body has ended.
    @Test func aRealBodyKeepsItsPlace() async throws {
        let server = try MockServer()
        server.on("/long", MockResponse(body: .generated(count: 4 << 20)))
        server.on("/short", .text("short"))
        let client = NetworkClient(interceptors: [limiter])
        let long = try await client.send(URLRequest(url: server.url("/long")))
        let short = Task { try await client.data(for: URLRequest(url: server.url("/short"))).data }
        try await waitUntil("the second waits") { limiter.waitingCount(for: server.url) == 1 ? () : nil }
        #expect(server.requestCount == 1)
        var count = 0
        for try await chunk in long.body { count += chunk.count }
        #expect(count == 4 << 20)
        #expect(try await short.value == Data("short".utf8))
        #expect(limiter.activeCount(for: server.url) == 0)
        await client.shutdown()
    }
}
