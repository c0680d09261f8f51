#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// The deadline of a call, which the engine, the limits and the retries keep themselves, or else the client's timer.
    @Suite(.timeLimit(.minutes(1))) struct CallDeadlineTests {
        /// Code of the user that never ends.
        private struct Endless: AuthenticationProvider, HTTPCaching {
            func wait() async throws { try await SystemClock().sleep(for: .infinity) }
            func authenticate(_ request: inout URLRequest) async throws { try await wait() }
            func reauthenticate() async throws {}
            func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
                try await wait()
                return try await next(request)
            }
            func invalidate(for request: URLRequest) async {}
            func invalidateAll() async {}
        }

        private func client(
            hasTimer: Bool, _ resilience: Resilience = .init(), configuration: TransportConfiguration = .init(),
            monitor: (any ConnectionMonitoring)? = nil, totalTimeout: TimeInterval = 0.3
        ) -> NetworkClient {
            var resilience = resilience
            resilience.totalTimeout = totalTimeout
            // With an interceptor that it does not know, the client's timer keeps the deadline.
            return NetworkClient(
                interceptors: hasTimer ? [StepRecorder()] : [], retryPolicy: .default,
                transport: CurlTransport(configuration: configuration), resilience: resilience,
                connectionMonitor: monitor)
        }

        @discardableResult
        private func expectTimeout(
            _ client: NetworkClient, _ url: URL, body: HTTPBody? = nil,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async -> NetworkFailure? {
            let request = URLRequest(url, body == nil ? "GET" : "PUT")
            let failure = await #expect(throws: NetworkFailure.self, sourceLocation: sourceLocation) {
                try await client.response(for: request, body: body)
            }
            #expect(failure?.cause == .timeout, "\(failure as Any)", sourceLocation: sourceLocation)
            return failure
        }

        @Test(arguments: [false, true]) func timerIsForPipelinesThatDoNotKnowDeadlines(hasTimer: Bool) {
            #expect(client(hasTimer: hasTimer).chain.keepsDeadlines == !hasTimer)
        }

        @Test(arguments: [MockFault.Point.beforeResponse, .inBody], [false, true])
        func silentServer(_ point: MockFault.Point, hasTimer: Bool) async throws {
            let server = try MockServer { request in
                request.path == "/moved"
                    ? .redirect(to: "/silent") : MockResponse.bytes(count: 100).fault(.stall(point))
            }
            let client = client(hasTimer: hasTimer)
            let failure = await expectTimeout(client, server.url("/silent"))
            #expect(failure?.transportError?.code == .totalTimeout && failure?.retryTrace.end == .deadline)
            await expectTimeout(client, server.url("/moved"))
            await client.shutdown()
        }

        @Test(arguments: [false, true]) func silentHandshake(hasTimer: Bool) async throws {
            let server = try MockServer()
            server.enqueue(MockResponse.ok.fault(.stall(.onAccept)))
            let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
            await expectTimeout(client(hasTimer: hasTimer), url)
        }

        @Test(arguments: [false, true]) func uploadThatNeverEnds(hasTimer: Bool) async throws {
            let server = try MockServer { _ in .ok }
            let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
            continuation.yield(Data(count: 10))
            await expectTimeout(client(hasTimer: hasTimer), server.url("/"), body: HTTPBody(stream: stream))
            withExtendedLifetime(continuation) {}
        }

        @Test(arguments: [false, true]) func callThatWaitsForAConnection(hasTimer: Bool) async throws {
            let client = client(hasTimer: hasTimer, configuration: .init { $0.limits.connectionsPerHost = 1 })
            try await expectTimeoutBehindALongCall(client)
        }

        @Test(arguments: [false, true]) func callThatWaitsForALimit(hasTimer: Bool) async throws {
            let limits = [
                Resilience(concurrencyLimiter: ConcurrencyLimiter(maxConcurrentPerHost: 1)),
                Resilience(rateLimiter: RateLimiter(requests: 1, per: 3600)),
            ]
            for limit in limits { try await expectTimeoutBehindALongCall(client(hasTimer: hasTimer, limit)) }
        }

        @Test(arguments: [false, true]) func callThatWaitsForAnExchangeOfAnother(hasTimer: Bool) async throws {
            let client = client(hasTimer: hasTimer, Resilience(coalescer: RequestCoalescer()))
            try await expectTimeoutBehindALongCall(client, path: "/long")
        }

        @Test(arguments: [false, true]) func hedgedCall(hasTimer: Bool) async throws {
            let server = try MockServer { _ in MockResponse.ok.fault(.stall(.beforeResponse)) }
            let client = client(hasTimer: hasTimer, Resilience(hedging: HedgingInterceptor(delay: 0.05)))
            await expectTimeout(client, server.url("/"))
        }

        @Test(arguments: [false, true]) func callThatWaitsToBeOnline(hasTimer: Bool) async throws {
            let monitor = MockConnectionMonitor(isReachable: false)
            let client = client(hasTimer: hasTimer, Resilience(offline: .wait()), monitor: monitor)
            await expectTimeout(client, try #require(URL(string: "http://a.example/")))
        }

        @Test func codeOfTheUserThatNeverEnds() async throws {
            let server = try MockServer { $0.path == "/moved" ? .redirect(to: "/") : .status(503) }
            let (endless, transport) = (Endless(), CurlTransport())
            var configurations = Array(repeating: NetworkClient.Configuration(), count: 4)
            configurations[0].authenticationProvider = endless
            configurations[1].cache = endless
            configurations[2].retryPolicy = RetryPolicy(maxRetries: 1) { _ in
                try await endless.wait()
                return true
            }
            configurations[3].redirectPolicy = RedirectPolicy { _ in
                try await endless.wait()
                return .follow
            }
            for var configuration in configurations {
                configuration.transport = transport
                configuration.resilience = Resilience(totalTimeout: 0.3)
                await expectTimeout(NetworkClient(configuration: configuration), server.url("/moved"))
            }
        }

        /// Expects that a call does not wait longer than its deadline for one that never ends.
        private func expectTimeoutBehindALongCall(_ client: NetworkClient, path: String = "/") async throws {
            let server = try MockServer { _ in MockResponse.ok.fault(.stall(.beforeResponse)) }
            let context = RequestContext { $0.deadline = .infinity }
            let long = Task { try await client.response(for: URLRequest(url: server.url("/long")), context: context) }
            try await waitUntil("the first request is there") { server.requests.isEmpty ? nil : () }
            await expectTimeout(client, server.url(path))
            #expect(server.requests.map(\.path) == ["/long"])
            long.cancel()
            _ = await long.result
        }

        @Test(arguments: [false, true]) func noRetryStartsAfterTheDeadline(hasTimer: Bool) async throws {
            let server = try MockServer { _ in MockResponse.status(503).header("Retry-After", "30") }
            let client = client(hasTimer: hasTimer, totalTimeout: 29)
            let response = try await client.response(for: URLRequest(url: server.url("/")))
            #expect(response.status == 503 && response.retryTrace.end == .deadline)
            #expect(server.requests.count == 1)
        }
    }
#endif
