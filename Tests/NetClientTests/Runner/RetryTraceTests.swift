@Suite struct RetryTraceTests {
    private let clock = TestClock(autoAdvance: true)

    private func client(
        _ transport: StubTransport, policy: RetryPolicy = .none, interceptors: [any HTTPInterceptor] = []
    ) -> NetworkClient {
        NetworkClient(
            interceptors: interceptors, retryPolicy: policy, transport: transport, clock: clock, random: { 0.5 })
    }

    @Test func traceIsEmptyWithoutARetry() async throws {
        for policy in [RetryPolicy.none, .default] {
            let response = try await client(StubTransport(.success(answer())), policy: policy).response(for: request())
            #expect(response.retryTrace.retries.isEmpty && response.retryTrace.end == nil)
            #expect(response.retryTrace.attempts == 1)
            let missing = client(StubTransport(.success(answer(404))), policy: policy)
            #expect(try await missing.response(for: request()).retryTrace.end == nil)
        }
    }

    @Test func traceHasEachRetryWithItsReason() async throws {
        let stale = TransportError(.connectionLost, phase: .waiting, message: "", isUnprocessed: true)
        let transport = StubTransport(
            .failure(stale), .success(answer(401)), .success(answer(503, headers: ["Retry-After": "2"])),
            .failure(lostConnection), .success(answer(200, "ok")))
        let hook = Hook(retrying: { _, error, _ in error.statusCode == 401 ? .retryWithDelay(5) : .doNotRetry })
        let client = client(transport, policy: RetryPolicy(maxRetries: 9, delay: .fixed(3)), interceptors: [hook])
        let context = RequestContext.with { $0[RetryCountKey.self] = 2 }
        let response = try await client.response(for: request(), context: context)
        let retries = response.retryTrace.retries
        #expect(response.attempt == 4 && response.retryTrace.attempts == 5 && response.retryTrace.end == nil)
        #expect(retries.map(\.attempt) == [0, 1, 2, 3])
        #expect(retries.map(\.reason) == [.staleConnection, .hook, .retryCount, .policy])
        #expect(
            retries.map(\.code) == ["network_unavailable", "request_failed", "request_failed", "network_unavailable"])
        #expect(retries.map(\.kind) == [.networkUnavailable, .unauthorized, .serviceUnavailable, .networkUnavailable])
        #expect(retries.map(\.statusCode) == [nil, 401, 503, nil])
        #expect(retries.map(\.transportCode) == [.connectionLost, nil, nil, .connectionLost])
        #expect(retries.map(\.retryAfter) == [nil, nil, 2, nil])
        #expect(retries.map(\.delay) == [0, 5, 2.1, 3] && clock.sleeps == [0, 5, 2.1, 3])
        #expect(
            retries.map(\.description) == [
                "attempt 0: network_unavailable connection_lost; again by stale_connection after 0 s",
                "attempt 1: request_failed 401; again by hook after 5 s",
                "attempt 2: request_failed 503; again by retry_count after 2.1 s (Retry-After 2 s)",
                "attempt 3: network_unavailable connection_lost; again by policy after 3 s",
            ])
    }

    @Test func traceHasAllHopsOfARedirect() async throws {
        for last in [200, 404] {
            let transport = StubTransport(
                .success(answer(503)), .success(answer(302, headers: ["Location": "/b"])), .failure(lostConnection),
                .success(answer(302, headers: ["Location": "/c"])), .success(answer(last)))
            let response = try await client(transport, policy: RetryPolicy(maxRetries: 2, delay: .fixed(3)))
                .response(for: request())
            let trace = response.retryTrace
            #expect(trace.retries.map(\.statusCode) == [503, nil] && trace.redirects == 2)
            #expect(trace.attempts == 5 && transport.exchanges.count == 5)
        }
        let transport = StubTransport(
            .success(answer(503)), .success(answer(302, headers: ["Location": "/b"])), .failure(lostConnection),
            .failure(lostConnection))
        let limited = client(transport, policy: RetryPolicy(maxRetries: 1, delay: .fixed(3)))
        let trace = try await failure { try await limited.response(for: request()) }.retryTrace
        #expect(trace.retries.count == 2 && trace.attempts == 4 && trace.end == .limitReached)
    }

    @Test func traceOfABodyThatBreaksOff() async throws {
        let body = HTTPBody(pulling: { throw lostConnection })
        let transport = StubTransport(
            .success(answer(503)), .success(TransportResponse(status: 200, url: nil, body: body)))
        let response = try await client(transport, policy: .default).send(request())
        let failure = try await failure { try await response.body.collect(upTo: 10) }
        #expect(failure.retryTrace.retries.map(\.statusCode) == [503] && failure.retryAttempt == 1)
    }

    @Test func traceOfAFailure() async throws {
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let busy = client(StubTransport { _, _, _ in answer(503) }, policy: .default)
        let status = try await failure { try await busy.data(for: request()) }
        #expect(status.retryTrace.retries.map(\.statusCode) == [503, 503, 503] && status.retryAttempt == 3)
        let undecodable = StubTransport(.success(answer(503)), .success(answer(200, "no JSON")))
        let decoding = try await failure { try await client(undecodable, policy: .default).execute(request()) as [Int] }
        #expect(decoding.kind == .decodingFailed && decoding.retryTrace.attempts == 2)
        let thrown = Hook(retrying: { _, _, count in if count == 0 { .retry } else { throw PluginError() } })
        let hooked = try await failure { try await client(transport, interceptors: [thrown]).data(for: request()) }
        #expect(hooked.underlyingError is PluginError && hooked.retryTrace.attempts == 2)
    }

    @Test func traceOfANetworkResponse() async throws {
        let url = try url()
        let transport = StubTransport(
            .success(answer(503)), .success(answer(200, "[1]")), .failure(lostConnection), .failure(lostConnection),
            .success(answer(503)), .success(answer(503)))
        let client = client(transport, policy: RetryPolicy(maxRetries: 1, delay: .immediate))
        for cause in [nil, NetworkError.networkUnavailable, .requestFailed(statusCode: 503, data: Data())] {
            let response = await client.builder(for: Request<[Int]>(method: .get, absoluteURL: url)).response()
            #expect(response.error == cause)
            #expect(response.retryTrace.attempts == 2 && (response.retryTrace.end == .limitReached) == (cause != nil))
        }
    }

    @Test func traceHasReauthentications() async throws {
        let auth = AuthInterceptor(provider: IdleProvider())
        let transport = StubTransport(.success(answer(403)), .failure(lostConnection), .success(answer()))
        let response = try await client(transport, policy: .default, interceptors: [auth]).response(for: request())
        #expect(response.retryTrace.retries.map(\.reason) == [.reauthentication, .policy])
        #expect(response.retryTrace.retries.map(\.statusCode) == [403, nil] && response.retryTrace.attempts == 3)
        let once = StubTransport(.success(answer(401)), .success(answer()))
        let repeated = try await client(once, interceptors: [auth]).response(for: request())
        #expect(repeated.retryTrace.retries.map(\.kind) == [.unauthorized] && repeated.retryTrace.attempts == 2)
    }
}

/// Ten thousand concurrent calls to a server that fails at random. Some are cancelled.
@Suite struct RetryStormTests {
    private enum End: Equatable {
        case value(attempts: Int)
        case failure(attempts: Int, RetryTrace.End?)
        case cancelled

        var isOverBudget: Bool { if case .failure(_, .budgetEmpty) = self { true } else { false } }
    }

    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        @Test(.ownProcess) func eachAttemptIsInTheRetryTrace() async {
            await #expect(processExitsWith: .success) { try await RetryStormTests().tenThousandCalls() }
        }
    #endif

    private func tenThousandCalls() async throws {
        let clock = TestClock(autoAdvance: true)
        let sent = Locked<[RequestContext.ID: Int]>([:])
        let inFlight = Locked(0)
        let transport = FlappingTransport(sent: sent, inFlight: inFlight)
        var policy = RetryPolicy(maxRetries: 4, delay: .decorrelatedJitter(base: 0.01, maximum: 1))
        policy.maximumRetryAfter = 5
        var client: NetworkClient? = NetworkClient(
            retryPolicy: policy, transport: transport,
            resilience: Resilience(retryBudget: RetryPolicy.Budget(extraLoad: 0.6, minimumPerSecond: 0, window: 1e6)),
            clock: clock)
        weak let released = client
        let ends = try await storm(10_000, over: #require(client), clock: clock)
        await client?.shutdown(.drain)
        client = nil
        #expect(ends.count == 10_000)
        let journal = sent.withLock { $0 }
        var counts = (values: 0, failures: 0, cancelled: 0)
        for (id, end) in ends {
            switch end {
            case .value(let attempts), .failure(let attempts, _):
                if case .value = end { counts.values += 1 } else { counts.failures += 1 }
                if journal[id] != attempts { Issue.record("\(attempts) attempts, \(journal[id] ?? 0) sent") }
            case .cancelled:
                counts.cancelled += 1
                if journal[id, default: 0] > 6 { Issue.record("\(journal[id] ?? 0) sent") }
            }
        }
        // The storm must have all kinds of ends.
        #expect(counts.values > 1000 && counts.failures > 100 && counts.cancelled > 100)
        #expect(Set(journal.values).isSuperset(of: 1...5) && ends.contains { $0.1.isOverBudget })
        #expect(inFlight.withLock { $0 } == 0 && clock.sleeperCount == 0)
        #expect(released == nil, "a remaining task would retain it")
    }

    private func storm(
        _ count: Int, over client: NetworkClient, clock: TestClock
    ) async throws -> [(RequestContext.ID, End)] {
        let request = try request()
        return try await atOnce(count) { number in
            let context = RequestContext.with { if number % 7 == 0 { $0[RetryCountKey.self] = 1 } }
            let call = Task { try await client.response(for: request, context: context) }
            if number % 3 == 0 {
                for _ in 0..<Int.random(in: 0..<30) { await Task.yield() }
                call.cancel()
            }
            return (context.id, await Self.end(of: call))
        }
    }

    private static func end(of call: Task<TransportResponse, any Error>) async -> End {
        do {
            let response = try await call.value
            let trace = response.retryTrace
            return response.status == 200
                ? .value(attempts: trace.attempts) : .failure(attempts: trace.attempts, trace.end)
        } catch let failure as NetworkFailure {
            return failure.isCancellation
                ? .cancelled : .failure(attempts: failure.retryTrace.attempts, failure.retryTrace.end)
        } catch {
            Issue.record("not a NetworkFailure: \(error)")
            return .cancelled
        }
    }
}

/// Answers, fails and loses connections at random.
private struct FlappingTransport: HTTPTransport {
    let sent: Locked<[RequestContext.ID: Int]>
    let inFlight: Locked<Int>

    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        sent.withLock { $0[context.id, default: 0] += 1 }
        inFlight.withLock { $0 += 1 }
        defer { inFlight.withLock { $0 -= 1 } }
        for _ in 0..<Int.random(in: 0..<8) {
            await Task.yield()
            try Task.checkCancellation()
        }
        switch Int.random(in: 0..<10) {
        case 0, 1: throw lostConnection
        case 2: throw TransportError(.connectionLost, phase: .waiting, message: "", isUnprocessed: true)
        case 3: return answer(503, headers: ["Retry-After": "\(Int.random(in: 0...6))"])
        case 4: return answer(500, "down")
        default: return answer(200, "up")
        }
    }
}
