/// Retries by the hooks of seed 000, and by policies with an asynchronous closure.
@Suite struct RetryHookTests {
    private let clock = TestClock(autoAdvance: true)

    private func client(
        _ transport: StubTransport, _ policy: RetryPolicy = .none, hooks: any HTTPInterceptor...
    ) -> NetworkClient {
        NetworkClient(interceptors: hooks, retryPolicy: policy, transport: transport, clock: clock, random: { 0.5 })
    }

    /// The sample of seed 000, "Retry & Exponential Back-off".
    private let sample = Hook(retrying: { _, error, count in
        if case .requestFailed(let code, _) = error, code == 401, count == 0 { return .retry }
        if case .requestFailed(let code, _) = error, (500..<600).contains(code), count < 3 {
            return .retryWithExponentialBackoff(ExponentialBackoff(baseDelay: 1))
        }
        return .doNotRetry
    })

    @Test func sampleOfSeed000BacksOffAndRetriesA401Once() async throws {
        let busy = StubTransport { _, _, _ in answer(503) }
        let response = try await client(busy, hooks: sample).response(for: request("https://a.example/", .post))
        #expect(response.status == 503 && clock.sleeps == [1, 2, 4])
        let transport = StubTransport(.success(answer(401)), .success(answer(401)))
        #expect(try await client(transport, hooks: sample).response(for: request()).status == 401)
        #expect(transport.exchanges.count == 2 && clock.sleeps == [1, 2, 4, 0])
    }

    @Test func resultsOfTheHook() async throws {
        let results: [RetryResult] = [
            .retry, .retryWithDelay(1.5), .retryWithDelay(-1), .retryWithDelay(.nan),
            .retryWithExponentialBackoff(ExponentialBackoff(baseDelay: 2, backoffBase: 2, jitter: 0)), .doNotRetry,
        ]
        let hook = Hook(retrying: { _, _, count in results[count] })
        let transport = StubTransport { _, _, _ in throw lostConnection }
        await #expect(throws: NetworkFailure.self) { try await client(transport, hooks: hook).response(for: request()) }
        #expect(clock.sleeps == [0, 1.5, 0, 0, 32])
    }

    @Test func firstHookThatRetriesWins() async throws {
        let asked = Locked<[String]>([])
        func hook(_ name: String, _ result: RetryResult) -> Hook {
            Hook(retrying: { _, _, count in
                asked.withLock { $0.append("\(name)\(count)") }
                return count == 0 ? result : .doNotRetry
            })
        }
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let client = NetworkClient(
            interceptors: [
                hook("b", .doNotRetry), Tracer(name: "x"), hook("c", .retryWithDelay(3)), hook("d", .retryWithDelay(4)),
            ], transport: transport, callInterceptors: [hook("a", .doNotRetry)], clock: clock)
        await #expect(throws: NetworkFailure.self) { try await client.response(for: request()) }
        #expect(asked.withLock { $0 } == ["a0", "b0", "c0", "a1", "b1", "c1", "d1"] && clock.sleeps == [3])
    }

    @Test func hooksWinOverThePolicy() async throws {
        let hook = Hook(retrying: { _, _, count in count == 0 ? .retryWithDelay(7) : .doNotRetry })
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let client = client(transport, RetryPolicy(maxRetries: 2, delay: .fixed(2)), hooks: hook)
        await #expect(throws: NetworkFailure.self) { try await client.response(for: request()) }
        #expect(clock.sleeps == [7, 2])
    }

    @Test func hookGetsRequestErrorAndCount() async throws {
        let seen = Locked<[String]>([])
        let hook = Hook(
            adapting: { $0.setValue("adapted", forHTTPHeaderField: "X-A") },
            retrying: { request, error, count in
                let field = request.value(forHTTPHeaderField: "X-A") ?? "-"
                seen.withLock { $0.append("\(request.url?.path ?? "") \(field) \(error.code) \(count)") }
                return count < 2 ? .retry : .doNotRetry
            })
        let transport = StubTransport(.failure(lostConnection), .success(answer(500)), .failure(PluginError()))
        try await failure { try await client(transport, hooks: hook).response(for: request("https://a.example/p")) }
        #expect(seen.withLock { $0 } == ["/p - network_unavailable 0", "/p - request_failed 1", "/p - unknown 2"])
    }

    @Test func hooksAreNotCalledForSuccessAndRedirects() async throws {
        let hook = Hook(retrying: { _, _, _ in .retry })
        for status in [200, 204, 304, 399] {
            let transport = StubTransport(.success(answer(status)))
            #expect(try await client(transport, hooks: hook).response(for: request()).status == status)
        }
    }

    @Test(
        arguments: [
            (PluginError(), .unknown(nil)), (NetworkError.noData, .noData), (NetworkFailure.timeout(), .timeout),
            (CancellationError(), .cancelled),
        ] as [(any Error, NetworkError)])
    func errorOfTheHookOrOfDecideReplacesTheError(_ thrown: any Error, cause: NetworkError) async throws {
        let hook = Hook(
            adapting: { $0.setValue("1", forHTTPHeaderField: "Accept") }, retrying: { _, _, _ in throw thrown })
        let policy = RetryPolicy(maxRetries: 2, decide: { _ in throw thrown })
        let transports = [1, 2].map { _ in StubTransport(.success(answer(500, "body"))) }
        for (client, accept) in [(client(transports[0], hooks: hook), "1"), (client(transports[1], policy), "*/*")] {
            let failure = try await failure { try await client.response(for: request()) }
            #expect(failure.cause == cause)
            guard thrown is PluginError else { continue }
            #expect(failure.underlyingError is PluginError && failure.response?.statusCode == 500)
            #expect(failure.request?.headers["Accept"] == accept && failure.retryAttempt == 0)
        }
        #expect(transports.map(\.exchanges.count) == [1, 1])
    }

    @Test func adaptIsCalledForEachAttempt() async throws {
        let count = Locked<UInt64>(0)
        let hook = Hook(
            adapting: { $0.setValue("\(count.next())", forHTTPHeaderField: "X-Try") },
            retrying: { _, _, count in count < 2 ? .retry : .doNotRetry })
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let failure = try await failure { try await client(transport, hooks: hook).response(for: request()) }
        #expect(transport.sent("X-Try") == ["1", "2", "3"])
        #expect(failure.request?.headers.contains(name: "X-Try") == true && failure.retryAttempt == 2)
    }

    @Test func errorOfAdaptIsAnInvalidRequest() async throws {
        let hook = Hook(adapting: { _ in throw PluginError() })
        let transport = StubTransport()
        let thrown = try await failure { try await client(transport, hooks: hook).response(for: request()) }
        #expect(thrown.cause == .invalidRequest && thrown.underlyingError is PluginError && transport.exchanges.isEmpty)
        let own = Hook(adapting: { _ in throw NetworkError.unsupported("x") })
        let other = try await failure { try await client(transport, hooks: own).response(for: request()) }
        #expect(other.cause == .unsupported("x"))
    }

    /// Each attempt starts with the caller's body.
    @Test func adaptedBodyIsUsedForOneAttempt() async throws {
        let hook = Hook(
            adapting: { $0.httpBody = ($0.httpBody ?? Data()) + Data("!".utf8) },
            retrying: { _, _, count in count < 2 ? .retry : .doNotRetry })
        let transport = StubTransport { _, _, _ in answer(500) }
        _ = try await client(transport, hooks: hook).response(
            for: request("https://a.example/", .post), body: HTTPBody("a"))
        #expect(transport.exchanges.map(\.body) == Array(repeating: Data("a!".utf8), count: 3))
    }

    @Test func failureHasTheSentRequestWithoutSecrets() async throws {
        let hook = Hook(adapting: {
            $0.setValue("Bearer s3cr3t", forHTTPHeaderField: "Authorization")
            $0.setValue("x/y", forHTTPHeaderField: "Accept")
        })
        for fault in [Result<TransportResponse, any Error>.failure(lostConnection), .success(answer(500))] {
            let client = client(StubTransport(fault), hooks: hook)
            let failure = try await failure { try await client.data(for: request("https://a.example/?q=s3cr3t")) }
            let headers = failure.request?.headers
            #expect(headers?["Authorization"] == "[REDACTED]" && headers?["Accept"] == "x/y")
            #expect(!"\(failure)".contains("s3cr3t"))
        }
    }

    // MARK: Policies that decide

    @Test func decideGetsTheProposal() async throws {
        let seen = Locked<[RetryPolicy.Proposal]>([])
        let policy = RetryPolicy(
            maxRetries: 5, delay: .fixed(1),
            decide: { proposal in
                try await proposal.clock.sleep(for: 0.25)
                return seen.withLock { seen in
                    seen.append(proposal)
                    return seen.count < 3
                }
            })
        let transport = StubTransport(
            .success(answer(429, "slow", headers: ["X-A": "b"])), .failure(lostConnection), .success(answer(404)))
        let response = try await client(transport, policy).response(
            for: request(headers: ["Accept": "x/y"]), context: .with(IdleProvider()))
        #expect(response.status == 404 && clock.sleeps == [0.25, 1, 0.25, 1, 0.25])
        let proposals = seen.withLock { $0 }
        #expect(proposals.map(\.attempt) == [0, 1, 2] && proposals.map(\.statusCode) == [429, nil, 404])
        #expect(proposals[0].data == Data("slow".utf8) && proposals[0].headers?["X-A"] == "b")
        #expect(proposals[0].response?.statusCode == 429 && proposals[1].response == nil)
        #expect(proposals[1].failure.transportError?.code == .connectionLost)
        #expect(proposals[0].request.value(forHTTPHeaderField: "Accept") == "x/y")
        #expect(proposals.allSatisfy { $0.authenticationProvider is IdleProvider })
    }

    @Test func decideIsNotCalledAfterMaxRetries() async throws {
        let asked = Locked(0)
        let policy = RetryPolicy(
            maxRetries: 2, delay: .immediate,
            decide: { _ in
                asked.withLock { $0 += 1 }
                return true
            })
        let transport = StubTransport { _, _, _ in answer(503) }
        let response = try await client(transport, policy).response(for: request())
        #expect(asked.withLock { $0 } == 2 && transport.exchanges.count == 3)
        #expect(response.retryTrace.end == .limitReached)
    }

    /// Custom rules apply to any method, and the policies of the SDK only to idempotent ones.
    @Test func decideAppliesToPOSTAndNotToFinalErrors() async throws {
        let policy = RetryPolicy(maxRetries: 2, delay: .immediate, decide: { _ in true })
        let asked = RetryPolicy(maxRetries: 2, delay: .immediate, shouldRetry: { _ in true })
        for policy in [policy, asked] {
            let post = StubTransport(.success(answer(503)), .success(answer(503)), .success(answer(200)))
            let response = try await client(post, policy).response(for: request("https://a.example/", .post))
            #expect(response.status == 200 && post.exchanges.count == 3)
        }
        for policy in [RetryPolicy.default, RetryPolicy(maxRetries: 2), .connectionFailures] {
            let post = StubTransport { _, _, _ in throw NetworkError.timeout }
            let failure = try await failure {
                try await client(post, policy).response(for: request("https://a.example/", .post))
            }
            #expect(failure.retryTrace.end == .notIdempotent && post.exchanges.count == 1)
        }
        let open = StubTransport(.failure(NetworkError.circuitOpen(host: "a", until: .distantFuture)))
        await #expect(throws: NetworkFailure.self) { try await client(open, policy).response(for: request()) }
        #expect(open.exchanges.count == 1)
    }
}
