import NetClient
import NetTesting
import TestLab
import Testing

/// Retries by the hooks of seed 000.
@Suite struct RetryHookTests {
    private let clock = TestClock(autoAdvance: true)

    private func client(
        _ hooks: [any HTTPInterceptor], callInterceptors: [any HTTPInterceptor] = [], policy: RetryPolicy = .none,
        _ transport: StubTransport
    ) -> NetworkClient {
        NetworkClient(
            interceptors: hooks, retryPolicy: policy, transport: transport, callInterceptors: callInterceptors,
            clock: clock, random: { 0.5 })
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
        let response = try await client([sample], busy).response(for: request("https://a.example/", .post))
        #expect(response.status == 503 && clock.sleeps == [1, 2, 4])
        let transport = StubTransport(.success(answer(401)), .success(answer(401)))
        #expect(try await client([sample], transport).response(for: request()).status == 401)
        #expect(transport.exchanges.count == 2 && clock.sleeps == [1, 2, 4, 0])
    }

    @Test func resultsOfTheHook() async throws {
        let results: [RetryResult] = [
            .retry, .retryWithDelay(1.5), .retryWithDelay(-1), .retryWithDelay(.nan),
            .retryWithExponentialBackoff(ExponentialBackoff(baseDelay: 2, backoffBase: 2, jitter: 0)), .doNotRetry,
        ]
        let hook = Hook(retrying: { _, _, count in results[count] })
        let transport = StubTransport { _, _, _ in throw lostConnection }
        await #expect(throws: NetworkFailure.self) { try await client([hook], transport).response(for: request()) }
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
        let client = client(
            [hook("b", .doNotRetry), Tracer("x"), hook("c", .retryWithDelay(3)), hook("d", .retryWithDelay(4))],
            callInterceptors: [hook("a", .doNotRetry)], transport)
        await #expect(throws: NetworkFailure.self) { try await client.response(for: request()) }
        #expect(asked.withLock { $0 } == ["a0", "b0", "c0", "a1", "b1", "c1", "d1"] && clock.sleeps == [3])
    }

    @Test func hooksWinOverThePolicy() async throws {
        let hook = Hook(retrying: { _, _, count in count == 0 ? .retryWithDelay(7) : .doNotRetry })
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let client = client([hook], policy: RetryPolicy(maxRetries: 2, delay: .fixed(2)), transport)
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
        try await failure { try await client([hook], transport).response(for: request("https://a.example/p")) }
        #expect(seen.withLock { $0 } == ["/p - network_unavailable 0", "/p - request_failed 1", "/p - unknown 2"])
    }

    @Test func hooksAreNotCalledForSuccessAndRedirects() async throws {
        let hook = Hook(retrying: { _, _, _ in .retry })
        for status in [200, 204, 304, 399] {
            let transport = StubTransport(.success(answer(status)))
            #expect(try await client([hook], transport).response(for: request()).status == status)
        }
    }

    @Test func errorOfTheHookReplacesTheError() async throws {
        for (thrown, cause) in [
            (PluginError(), .unknown(nil)), (NetworkError.noData, .noData), (NetworkFailure.timeout(), .timeout),
            (CancellationError(), .cancelled),
        ] as [(any Error, NetworkError)] {
            let hook = Hook(
                adapting: { $0.setValue("1", forHTTPHeaderField: "Accept") }, retrying: { _, _, _ in throw thrown })
            let transport = StubTransport(.success(answer(500, "body")))
            let failure = try await failure { try await client([hook], transport).response(for: request()) }
            #expect(failure.cause == cause)
            guard thrown is PluginError else { continue }
            #expect(failure.underlyingError is PluginError && failure.response?.statusCode == 500)
            #expect(failure.request?.headers["Accept"] == "1" && failure.retryAttempt == 0)
        }
    }

    @Test func adaptIsCalledForEachAttempt() async throws {
        let count = Locked<UInt64>(0)
        let hook = Hook(
            adapting: { $0.setValue("\(count.next())", forHTTPHeaderField: "X-Try") },
            retrying: { _, _, count in count < 2 ? .retry : .doNotRetry })
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let failure = try await failure { try await client([hook], transport).response(for: request()) }
        #expect(transport.sent("X-Try") == ["1", "2", "3"])
        #expect(failure.request?.headers.contains(name: "X-Try") == true && failure.retryAttempt == 2)
    }

    @Test func errorOfAdaptIsAnInvalidRequest() async throws {
        let hook = Hook(adapting: { _ in throw PluginError() })
        let transport = StubTransport()
        let thrown = try await failure { try await client([hook], transport).response(for: request()) }
        #expect(thrown.cause == .invalidRequest && thrown.underlyingError is PluginError && transport.exchanges.isEmpty)
        let own = Hook(adapting: { _ in throw NetworkError.unsupported("x") })
        let other = try await failure { try await client([own], transport).response(for: request()) }
        #expect(other.cause == .unsupported("x"))
    }

    /// Each attempt starts with the caller's body.
    @Test func adaptedBodyIsUsedForOneAttempt() async throws {
        let hook = Hook(
            adapting: { $0.httpBody = ($0.httpBody ?? Data()) + Data("!".utf8) },
            retrying: { _, _, count in count < 2 ? .retry : .doNotRetry })
        let transport = StubTransport { _, _, _ in answer(500) }
        _ = try await client([hook], transport).response(for: request("https://a.example/", .post), body: HTTPBody("a"))
        #expect(transport.exchanges.map(\.body) == Array(repeating: Data("a!".utf8), count: 3))
    }

    @Test func failureHasTheSentRequestWithoutSecrets() async throws {
        let hook = Hook(adapting: {
            $0.setValue("Bearer s3cr3t", forHTTPHeaderField: "Authorization")
            $0.setValue("x/y", forHTTPHeaderField: "Accept")
        })
        for fault in [Result<TransportResponse, any Error>.failure(lostConnection), .success(answer(500))] {
            let client = client([hook], StubTransport(fault))
            let failure = try await failure { try await client.data(for: request("https://a.example/?q=s3cr3t")) }
            let headers = failure.request?.headers
            #expect(headers?["Authorization"] == "[REDACTED]" && headers?["Accept"] == "x/y")
            #expect(!"\(failure)".contains("s3cr3t"))
        }
    }
}
