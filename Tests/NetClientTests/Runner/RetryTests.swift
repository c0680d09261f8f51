import NetClient
import NetTesting
import TestLab
import Testing

/// Retries by policy and by `retryCount`.
@Suite struct RetryTests {
    private let clock = TestClock(autoAdvance: true)
    private let fixed = RetryPolicy(maxRetries: 3, delay: .fixed(2))

    private func client(_ transport: StubTransport, _ policy: RetryPolicy = .none) -> NetworkClient {
        NetworkClient(retryPolicy: policy, transport: transport, clock: clock, random: { 0.5 })
    }

    private func context(retryCount: Int) -> RequestContext { .with { $0[RetryCountKey.self] = retryCount } }

    @Test func noRetryByDefault() async throws {
        let transport = StubTransport(.failure(refusedConnection))
        let client = NetworkClient(transport: transport, clock: clock)
        let failure = try await failure { try await client.response(for: request()) }
        #expect(failure.cause == .networkUnavailable && failure.retryAttempt == 0)
        #expect(transport.exchanges.count == 1 && clock.sleeps.isEmpty)
    }

    @Test func policyRetriesUntilSuccess() async throws {
        let transport = StubTransport(.failure(lostConnection), .success(answer(503)), .success(answer(200, "ok")))
        let response = try await client(transport, fixed).response(for: request())
        #expect(response.status == 200 && response.attempt == 2 && clock.sleeps == [2, 2])
        #expect(transport.exchanges.map(\.context.attempt) == [0, 1, 2])
        #expect(Set(transport.exchanges.map(\.context.id)).count == 1)
    }

    @Test func policyEndsAfterMaxRetries() async throws {
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let failure = try await failure { try await client(transport, .connectionFailures).response(for: request()) }
        #expect(failure.cause == .networkUnavailable && failure.retryAttempt == 3 && failure.timestamp == clock.now)
        #expect(transport.exchanges.count == 4)
        #expect(clock.sleeps == [1, 2, 4], "seed 004")
    }

    @Test func lastStatusIsReturned() async throws {
        let transport = StubTransport { _, _, context in answer(500, "try \(context.attempt)") }
        let policy = RetryPolicy(maxRetries: 1, delay: .immediate)
        let response = try await client(transport, policy).response(for: request())
        #expect(response.status == 500 && response.body.data == Data("try 1".utf8) && clock.sleeps == [0])
    }

    @Test func jitterUsesTheRandomNumbers() async throws {
        let numbers = Locked<[Double]>([0, 1, 0.5])
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let client = NetworkClient(
            retryPolicy: RetryPolicy(maxRetries: 3, delay: .exponential(base: 10, jitter: 0.5)), transport: transport,
            clock: clock, random: { numbers.withLock { $0.removeFirst() } })
        await #expect(throws: NetworkFailure.self) { try await client.response(for: request()) }
        #expect(clock.sleeps == [5, 30, 40])
    }

    @Test func shouldRetryGetsTheFailure() async throws {
        let seen = Locked<[NetworkFailure]>([])
        let policy = RetryPolicy(
            maxRetries: 5, delay: .immediate,
            shouldRetry: { failure in
                seen.withLock { $0.append(failure) }
                return failure.statusCode == 404
            })
        let transport = StubTransport(.success(answer(404, "a")), .success(answer(409, "b")))
        let response = try await client(transport, policy).response(for: request())
        #expect(response.status == 409)
        let causes = [(404, "a"), (409, "b")].map { NetworkError.requestFailed(statusCode: $0, data: Data($1.utf8)) }
        #expect(seen.withLock { $0.map(\.cause) } == causes)
    }

    // MARK: Idempotency

    @Test(arguments: [
        (HTTPMethod.get, true), (.head, true), (.put, true), (.delete, true), (.options, true), (.post, false),
        (.patch, false), ("PROPFIND", false),
    ]) func policyRetriesIdempotentMethods(_ method: HTTPMethod, isRepeated: Bool) async throws {
        for fault in [Result<TransportResponse, any Error>.failure(lostConnection), .success(answer(503))] {
            let transport = StubTransport(fault, .success(answer()))
            _ = try? await client(transport, fixed).response(for: request("https://a.example/", method))
            #expect(transport.exchanges.count == (isRepeated ? 2 : 1))
        }
    }

    @Test func unprocessedPOSTAndPOSTWithAnIdempotencyKeyAreRetried() async throws {
        let unprocessed = TransportError(.connectionLost, phase: .sending, message: "", isUnprocessed: true)
        for (error, headers) in [
            (refusedConnection, [:]), (unprocessed, [:]), (lostConnection, ["Idempotency-Key": "k"]),
        ] as [(TransportError, [String: String])] {
            let transport = StubTransport(.failure(error), .success(answer()))
            let post = try request("https://a.example/", .post, headers: headers)
            #expect(try await client(transport, fixed).response(for: post, body: HTTPBody("data")).status == 200)
            #expect(transport.exchanges.map(\.body) == [Data("data".utf8), Data("data".utf8)])
        }
    }

    // MARK: retryCount

    @Test func retryCountAppliesToAnyMethod() async throws {
        let transport = StubTransport { _, _, _ in throw lostConnection }
        await #expect(throws: NetworkFailure.self) {
            try await client(transport).response(
                for: request("https://a.example/", .post), body: HTTPBody("x"), context: context(retryCount: 2))
        }
        #expect(transport.exchanges.count == 3 && clock.sleeps == [0.3, 0.6])
    }

    @Test func retryCountAppliesToTransientErrorsUnlessItIsNegative() async throws {
        for (fault, count) in [
            (.success(answer(404)), 2), (.failure(NetworkError.invalidURL), 2), (.failure(lostConnection), -1),
            (.failure(lostConnection), .min),
        ] as [(Result<TransportResponse, any Error>, Int)] {
            let transport = StubTransport(fault)
            _ = try? await client(transport).response(for: request(), context: context(retryCount: count))
            #expect(transport.exchanges.count == 1)
        }
    }

    @Test func retryCountAndPolicyDoNotAddUp() async throws {
        let transport = StubTransport { _, _, _ in throw lostConnection }
        await #expect(throws: NetworkFailure.self) {
            try await client(transport, fixed).response(for: request(), context: context(retryCount: 2))
        }
        #expect(clock.sleeps == [0.3, 0.6, 2])
    }

    // MARK: Limits

    @Test func oneShotBodyIsNotSentAgain() async throws {
        let transport = StubTransport(.failure(refusedConnection), .success(answer()))
        let client = client(transport, fixed)
        let put = try request("https://a.example/", .put)
        let failure = try await failure { try await client.response(for: put, body: oneShot("x")) }
        #expect(failure.cause == .bodyNotReplayable && failure.retryTrace.end == .bodyNotReplayable)
        #expect(failure.transportError?.code == .connectionRefused, "the reason of the retry")
        #expect(transport.exchanges.count == 1 && clock.sleeps.isEmpty)
        // A failure that is not retried is returned.
        let missing = self.client(StubTransport(.success(answer(404))), fixed)
        #expect(try await missing.response(for: put, body: oneShot("x")).status == 404)
    }

    @Test func circuitOpenAndCancellationAreFinal() async throws {
        for error in [
            NetworkError.circuitOpen(host: "a", until: .distantFuture), NetworkError.cancelled, CancellationError(),
            URLError(.cancelled), TransportError(.shutDown, phase: .waiting, message: ""),
        ] as [any Error] {
            let transport = StubTransport { _, _, _ in throw error }
            let policy = RetryPolicy(maxRetries: 2, delay: .immediate, shouldRetry: { _ in true })
            let hook = Hook(retrying: { _, _, _ in .retry })
            let client = NetworkClient(interceptors: [hook], retryPolicy: policy, transport: transport, clock: clock)
            #expect(try await failure { try await client.response(for: request()) }.cause == NetworkError(error))
            #expect(transport.exchanges.count == 1)
        }
    }

    @Test func cancellationEndsTheDelay() async throws {
        let clock = TestClock()
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let client = NetworkClient(retryPolicy: fixed, transport: transport, clock: clock)
        let task = Task { try await client.response(for: request()) }
        try await clock.waitForSleepers()
        task.cancel()
        #expect(try await failure { try await task.value }.cause == .cancelled)
        #expect(transport.exchanges.count == 1 && clock.sleeperCount == 0)
    }

    @Test func largeErrorBodyIsComplete() async throws {
        let size = 3 << 20
        let transport = StubTransport { _, _, _ in
            let count = Locked<UInt64>(0)
            let body = HTTPBody(length: Int64(size), pulling: { count.next() <= 32 ? Data(count: size / 32) : nil })
            return TransportResponse(status: 404, url: nil, body: body)
        }
        let client = client(transport, fixed)
        let streamed = try await client.send(request())
        #expect(streamed.body.length == Int64(size))
        #expect(try await streamed.body.collect(upTo: size).count == size)
        #expect(try await client.response(for: request()).body.data?.count == size)
    }
}
