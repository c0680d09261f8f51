/// Retries by policy and by `retryCount`.
@Suite struct RetryTests {
    private let clock = TestClock(autoAdvance: true)
    private let fixed = RetryPolicy(maxRetries: 3, delay: .fixed(2))

    private func client(_ transport: StubTransport, _ policy: RetryPolicy = .none) -> NetworkClient {
        NetworkClient(retryPolicy: policy, transport: transport, clock: clock, random: { 0.5 })
    }

    private func context(retryCount: Int) -> RequestContext { .with { $0[RetryCountKey.self] = retryCount } }

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

    @Test(
        arguments: [
            (.exponential(base: 10, jitter: 0.5), [0, 1, 0.5], [5, 30, 40]),
            (.decorrelatedJitter(base: 1, maximum: 10), [1, 1, 1, 1], [3, 9, 10, 10]),
        ] as [(RetryPolicy.Delay, [Double], [TimeInterval])])
    func jitterUsesTheRandomNumbersAndTheLastDelay(
        _ delay: RetryPolicy.Delay, randoms: [Double], sleeps: [TimeInterval]
    ) async throws {
        let numbers = Locked(randoms)
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let client = NetworkClient(
            retryPolicy: RetryPolicy(maxRetries: randoms.count, delay: delay), transport: transport, clock: clock,
            random: { numbers.withLock { $0.removeFirst() } })
        await #expect(throws: NetworkFailure.self) { try await client.response(for: request()) }
        #expect(clock.sleeps == sleeps)
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

    @Test(
        arguments: [(.post, .none, [0.3, 0.6]), (.put, RetryPolicy(maxRetries: 3, delay: .fixed(2)), [0.3, 0.6, 2])]
            as [(HTTPMethod, RetryPolicy, [TimeInterval])])
    func retryCountAppliesToAnyMethodAndIsNotAddedToThePolicys(
        method: HTTPMethod, policy: RetryPolicy, delays: [TimeInterval]
    ) async throws {
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let request = try request("https://a.example/", method)
        await #expect(throws: NetworkFailure.self) {
            try await client(transport, policy).response(
                for: request, body: HTTPBody("x"), context: context(retryCount: 2))
        }
        #expect(clock.sleeps == delays && transport.exchanges.count == delays.count + 1)
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

    // MARK: Idempotency keys

    private let keyed = RetryPolicy(maxRetries: 2, delay: .immediate).addingIdempotencyKey()

    @Test(arguments: [HTTPMethod.post, .patch]) func keyIsTheSameForAllAttempts(_ method: HTTPMethod) async throws {
        let transport = StubTransport(.failure(lostConnection), .success(answer(503)), .success(answer()))
        let request = try request("https://a.example/", method)
        #expect(try await client(transport, keyed).response(for: request, body: HTTPBody("x")).status == 200)
        let keys = transport.sent("Idempotency-Key")
        let key = try #require(keys.first ?? nil)
        #expect(keys == [key, key, key])
        // A quoted string of structured fields (RFC 9651, section 3.3.3).
        #expect(key.first == "\"" && key.last == "\"" && UUID(uuidString: String(key.dropFirst().dropLast())) != nil)
    }

    @Test func idempotencyKeyDiffersByCall() async throws {
        let transport = StubTransport { _, _, _ in answer() }
        let client = client(transport, keyed)
        let context = RequestContext()
        for _ in 0..<2 { _ = try await client.response(for: request("https://a.example/", .post), context: context) }
        #expect(Set(transport.sent("Idempotency-Key")).count == 2)
    }

    @Test func idempotencyKeyOfTheCallerIsKept() async throws {
        let transport = StubTransport(.failure(lostConnection), .success(answer()))
        let request = try request("https://a.example/", .post, headers: ["idempotency-key": "mine"])
        _ = try await client(transport, keyed).response(for: request)
        #expect(transport.sent("Idempotency-Key") == ["mine", "mine"])
    }

    @Test(arguments: [HTTPMethod.get, .put, .delete])
    func idempotentMethodsHaveNoKey(_ method: HTTPMethod) async throws {
        let transport = StubTransport { _, _, _ in answer() }
        _ = try await client(transport, keyed).response(for: request("https://a.example/", method))
        #expect(transport.sent("Idempotency-Key") == [nil])
    }

    @Test func noKeyByDefault() async throws {
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let post = try request("https://a.example/", .post)
        let failure = try await failure { try await client(transport, fixed).response(for: post) }
        #expect(transport.sent("Idempotency-Key") == [nil] && failure.retryTrace.end == .notIdempotent)
    }

    /// After a 303 the request is a GET.
    @Test(arguments: [307, 308, 303]) func redirectKeepsTheIdempotencyKey(_ status: Int) async throws {
        let transport = StubTransport(
            .success(answer(status, headers: ["Location": "/next"])), .failure(lostConnection), .success(answer()))
        _ = try await client(transport, keyed).response(for: request("https://a.example/", .post), body: HTTPBody("x"))
        let keys = transport.sent("Idempotency-Key")
        #expect(keys.count == 3 && keys[0] != nil && keys[1] == (status == 303 ? nil : keys[0]) && keys[2] == keys[1])
    }
}
