/// The single retry after a reused connection turned out to be closed.
@Suite struct RetryReconnectTests {
    private let clock = TestClock(autoAdvance: true)
    private let stale = TransportError(
        .connectionLost, phase: .waiting, message: "", isUnprocessed: false, isStaleConnection: true)

    private func client(_ transport: StubTransport, _ policy: RetryPolicy = .none) -> NetworkClient {
        NetworkClient(retryPolicy: policy, transport: transport, clock: clock)
    }

    @Test func staleConnectionIsRetriedWithoutAPolicy() async throws {
        let transport = StubTransport(.failure(stale), .success(answer(200, "ok")))
        let response = try await client(transport).response(for: request())
        #expect(response.status == 200 && response.attempt == 1)
        #expect(response.retryTrace.retries.map(\.reason) == [.staleConnection])
        #expect(transport.exchanges.map(\.context.attempt) == [0, 1] && clock.sleeps == [0])
    }

    @Test func staleConnectionIsRetriedOnce() async throws {
        let transport = StubTransport { [stale] _, _, _ in throw stale }
        let failure = try await failure { try await client(transport).response(for: request()) }
        #expect(failure.cause == .networkUnavailable && transport.exchanges.count == 2)
        #expect(failure.retryTrace.attempts == 2 && failure.retryAttempt == 1)
    }

    @Test func staleConnectionDoesNotCountAsARetryOfThePolicy() async throws {
        let counts = Locked<[Int]>([])
        let hook = Hook(retrying: { _, _, count in
            counts.withLock { $0.append(count) }
            return .doNotRetry
        })
        let transport = StubTransport { [stale] _, _, context in throw context.attempt == 0 ? stale : lostConnection }
        let client = NetworkClient(
            interceptors: [hook], retryPolicy: RetryPolicy(maxRetries: 2, delay: .fixed(1)), transport: transport,
            clock: clock)
        let failure = try await failure { try await client.response(for: request()) }
        #expect(clock.sleeps == [0, 1, 1] && transport.exchanges.count == 4)
        #expect(failure.retryTrace.retries.map(\.reason) == [.staleConnection, .policy, .policy])
        #expect(counts.withLock { $0 } == [0, 1, 2])
    }

    @Test func postOneShotBodiesOtherErrorsAndDisabledReconnectsAreNotRetried() async throws {
        let shutDown = TransportError(.shutDown, phase: .waiting, message: "", isUnprocessed: true)
        var disabled = RetryPolicy.none
        disabled.reconnects = false
        for (method, error, policy) in [
            (.post, stale, .none), (.patch, stale, .none), (.get, refusedConnection, .none),
            (.get, lostConnection, .none), (.get, shutDown, .none), (.get, stale, disabled),
        ] as [(HTTPMethod, TransportError, RetryPolicy)] {
            let transport = StubTransport(.failure(error))
            _ = try? await client(transport, policy).response(for: request("https://a.example/", method))
            #expect(transport.exchanges.count == 1)
        }
        let body = StubTransport(.failure(stale))
        let failure = try await failure {
            try await client(body).response(for: request("https://a.example/", .put), body: oneShot("x"))
        }
        #expect(failure.cause == .networkUnavailable)
    }

    /// libcurl would retry without a report.
    @Test(arguments: [HTTPMethod.get, .put])
    func closedConnectionOfThePlatformsTransport(_ method: HTTPMethod) async throws {
        let server = try MockServer()
        server.enqueue(.text("first"), MockResponse.text("").fault(.close(.beforeResponse)), .text("again"))
        let client = NetworkClient()
        #expect(try await client.response(for: URLRequest(url: server.url)).body.data == Data("first".utf8))
        var request = URLRequest(url: server.url)
        request.httpMethod = method.rawValue
        let response = try await client.response(for: request, body: method == .put ? HTTPBody("x") : nil)
        #expect(response.body.data == Data("again".utf8) && response.attempt == 1 && server.requestCount == 3)
    }
}
