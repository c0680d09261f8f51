import NetClient
import NetTesting
import TestLab
import Testing

/// The one repeat after a kept connection turned out to be closed.
@Suite struct RetryReconnectTests {
    private let clock = TestClock(autoAdvance: true)
    private let stale = TransportError(
        .connectionLost, phase: .waiting, message: "", isUnprocessed: false, isStaleConnection: true)

    private func client(_ transport: StubTransport, _ policy: RetryPolicy = .none) -> NetworkClient {
        NetworkClient(retryPolicy: policy, transport: transport, clock: clock)
    }

    @Test func evenWithoutAPolicyItIsSentOnceMore() async throws {
        let transport = StubTransport(.failure(stale), .success(answer(200, "ok")))
        let response = try await client(transport).response(for: request())
        #expect(response.status == 200 && response.attempt == 1)
        #expect(response.retryTrace.retries.map(\.reason) == [.staleConnection])
        #expect(transport.exchanges.map(\.context.attempt) == [0, 1])
        #expect(clock.sleeps == [0], "at once")
    }

    @Test func onceOnly() async throws {
        let transport = StubTransport { [stale] _, _, _ in throw stale }
        let failure = try await failure { try await client(transport).response(for: request()) }
        #expect(failure.cause == .networkUnavailable && transport.exchanges.count == 2)
        #expect(failure.retryTrace.attempts == 2 && failure.retryAttempt == 1)
    }

    @Test func itCostsNoRetryOfThePolicy() async throws {
        let counts = Locked<[Int]>([])
        let hook = Hook(retrying: { _, _, count in
            counts.withLock { $0.append(count) }
            return .doNotRetry
        })
        let transport = StubTransport { [stale] _, _, context in
            if context.attempt == 0 { throw stale }
            throw lostConnection
        }
        let client = NetworkClient(
            interceptors: [hook], retryPolicy: RetryPolicy(maxRetries: 2, delay: .fixed(1)), transport: transport,
            clock: clock)
        let failure = await #expect(throws: NetworkFailure.self) { try await client.response(for: request()) }
        #expect(clock.sleeps == [0, 1, 1] && transport.exchanges.count == 4)
        #expect(failure?.retryTrace.retries.map(\.reason) == [.staleConnection, .policy, .policy])
        #expect(counts.withLock { $0 } == [0, 1, 2])
    }

    @Test func onlyWhatMayBeRepeated() async throws {
        for method in [HTTPMethod.post, .patch] {
            let transport = StubTransport(.failure(stale))
            _ = try? await client(transport).response(for: request("https://a.example/", method))
            #expect(transport.exchanges.count == 1)
        }
        let body = StubTransport(.failure(stale))
        let failure = await #expect(throws: NetworkFailure.self) {
            try await client(body).response(for: request("https://a.example/", .put), body: oneShot("x"))
        }
        #expect(failure?.cause == .networkUnavailable, "not that the body is none to be repeated: nobody asked for it")
        // There never was a connection; something may have been processed; the client was shut down.
        for error in [
            refusedConnection, lostConnection,
            TransportError(.shutDown, phase: .waiting, message: "", isUnprocessed: true),
        ] {
            let transport = StubTransport(.failure(error))
            _ = try? await client(transport).response(for: request())
            #expect(transport.exchanges.count == 1)
        }
    }

    @Test func itCanBeSwitchedOff() async throws {
        var policy = RetryPolicy.none
        policy.reconnects = false
        let transport = StubTransport(.failure(stale))
        _ = try? await client(transport, policy).response(for: request())
        #expect(transport.exchanges.count == 1)
    }

    /// On the wire. libcurl would do it by itself, and tell nobody.
    @Test(arguments: [HTTPMethod.get, .put]) func overTheTransportOfThePlatform(_ method: HTTPMethod) async throws {
        let server = try MockServer()
        server.enqueue(.text("first"), MockResponse.text("").fault(.close(.beforeResponse)), .text("again"))
        let client = NetworkClient()
        #expect(try await client.response(for: URLRequest(url: server.url)).body.data == Data("first".utf8))
        var request = URLRequest(url: server.url)
        request.httpMethod = method.rawValue
        let response = try await client.response(for: request, body: method == .put ? HTTPBody("x") : nil)
        #expect(response.body.data == Data("again".utf8) && response.attempt == 1 && server.requestCount == 3)
        await client.shutdown()
    }
}
