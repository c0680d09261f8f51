@Suite struct NetworkClientTests {
    private struct User: Codable, Equatable, Sendable { let id: Int }

    private func client(
        _ answer: Result<TransportResponse, any Error> = .failure(PluginError()), maximumBodySize: Int = 100
    ) -> NetworkClient {
        NetworkClient(transport: StubTransport { _, _, _ in try answer.get() }, maximumBodySize: maximumBodySize)
    }

    // MARK: Front doors

    @Test func sendReturnsAnyStatus() async throws {
        for status in [200, 404, 500] {
            let response = try await client(.success(answer(status, "x"))).send(request())
            #expect(try await response.body.collect(upTo: 1) == Data("x".utf8) && response.status == status)
        }
    }

    @Test func dataRequiresASuccessfulStatus() async throws {
        let (data, response) = try await client(.success(answer(201, "x"))).data(for: request())
        #expect(data == Data("x".utf8) && response.status == 201)
        for status in [199, 300, 304, 404, 500] {
            let failure = try await failure { try await client(.success(answer(status, "why"))).data(for: request()) }
            #expect(failure.cause == .requestFailed(statusCode: status, data: Data("why".utf8)))
            #expect(failure.response?.bodyPreview == "why" && failure.retryAttempt == 0)
        }
    }

    @Test func executeDecodes() async throws {
        func user(_ answer: TransportResponse) async throws -> User {
            try await client(.success(answer)).execute(request())
        }
        #expect(try await user(answer(200, #"{"id":1}"#)) == User(id: 1))
        let empty = try await failure { try await user(answer(204)) }
        #expect(empty.cause == .noData && empty.kind == .noContent)
        #expect(try await failure { try await user(answer(200)) }.kind == .noData)
        let wrong = try await failure { try await user(answer(200, "{}")) }
        #expect(wrong.kind == .decodingFailed && wrong.underlyingError is DecodingError)
        #expect(wrong.response?.bodyPreview == "{}" && wrong.request?.method == "GET")
        let _: EmptyResponse = try await client(.success(answer(204))).execute(request())
    }

    @Test func errorOfTheSerializerIsTheCause() async throws {
        struct Thrower: ResponseSerializer {
            let error: any Error
            func serialize(_ data: Data, response: TransportResponse) throws -> Int { throw error }
        }
        let cases: [(any Error, NetworkError)] = [
            (PluginError(), .decodingError(PluginError())), (NetworkError.noData, .noData),
            (NetworkFailure.timeout(), .timeout),
        ]
        let client = client(.success(answer()))
        for (thrown, cause) in cases {
            let serializer = Thrower(error: thrown)
            let failure = try await failure { try await client.value(for: request(), serializer: serializer) }
            #expect(failure.cause == cause && failure.statusCode == 200)
        }
    }

    @Test func cachePolicyWithoutACacheIsUnsupported() async throws {
        let client = client(.success(answer()))
        let networkOnly = RequestContext.with { $0.cachePolicy = .networkOnly }
        #expect(try await client.send(request(), context: networkOnly).status == 200)
        for (uses, stores) in [(true, false), (false, true), (true, true)] {
            let context = RequestContext.with { $0.cachePolicy = CachePolicy(useCache: uses, storeCache: stores) }
            let failure = try await failure { try await client.send(request(), context: context) }
            #expect(failure.code == "unsupported", "uses \(uses), stores \(stores)")
        }
    }

    // MARK: Bodies of requests

    @Test func httpBodyAndHTTPBodyStreamAreSent() async throws {
        let transport = StubTransport { _, _, _ in answer() }
        let client = NetworkClient(transport: transport)
        var data = try request("https://a.example/", .post)
        data.httpBody = Data("data".utf8)
        _ = try await client.send(data)
        var stream = try request("https://a.example/", .post)
        let long = Data(repeating: 7, count: 200_000)
        stream.httpBodyStream = InputStream(data: long)
        _ = try await client.send(stream)
        _ = try await client.send(data, body: HTTPBody("explicit"))
        _ = try await client.send(request(), body: nil)
        #expect(transport.exchanges.map(\.body) == [Data("data".utf8), long, Data("explicit".utf8), nil])
        #expect(transport.exchanges.allSatisfy { $0.request.httpBody == nil && $0.request.httpBodyStream == nil })
    }

    @Test func httpBodyStreamIsNotReplayable() async throws {
        var stream = try request("https://a.example/", .put)
        stream.httpBodyStream = InputStream(data: Data("data".utf8))
        let transport = StubTransport(.failure(refusedConnection))
        let client = NetworkClient(retryPolicy: .default, transport: transport, clock: TestClock(autoAdvance: true))
        #expect(try await failure { try await client.send(stream) }.cause == .bodyNotReplayable)
        stream.httpBodyStream = InputStream(fileAtPath: "/nowhere/at/all")
        let broken = try await failure { try await self.client().send(stream) }
        #expect(broken.transportError?.code == .requestBodyFailed)
    }

    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        /// More uploads than Swift has threads, each from a pipe whose writer is a task.
        @Test(.ownProcess) func bodyStreamsThatWaitForDataBlockNoTask() async {
            await #expect(processExitsWith: .success) {
                // Without a free thread, nothing else ends a test that hangs.
                alarm(120)
                let directory = try TemporaryDirectory()
                let pipes = (0...ProcessInfo.processInfo.activeProcessorCount).map { directory.file("\($0)").path }
                let transport = StubTransport { _, _, _ in answer() }
                let client = NetworkClient(transport: transport)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for pipe in pipes {
                        try #require(mkfifo(pipe, 0o600) == 0)
                        var upload = try request("https://a.example/", .put)
                        upload.httpBodyStream = InputStream(fileAtPath: pipe)
                        group.addTask { [upload] in _ = try await client.send(upload) }
                    }
                    for pipe in pipes {
                        group.addTask {
                            let writer = try await waitUntil("the pipe is read") { () -> Int32? in
                                let descriptor = open(pipe, O_WRONLY | O_NONBLOCK)
                                return descriptor < 0 ? nil : descriptor
                            }
                            #expect(write(writer, "data", 4) == 4)
                            close(writer)
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(transport.exchanges.map(\.body) == pipes.map { _ in Data("data".utf8) })
            }
        }
    #endif

    @Test func maximumBodySizeLimitsBufferedBodies() async throws {
        let text = String(repeating: "x", count: 100)
        let replaying = RequestCompressionTests.replaying
        for body in [HTTPBody(text), replaying(Data(text.utf8), nil), replaying(Data(text.utf8), 100)] {
            let response = TransportResponse(status: 200, url: nil, body: body)
            #expect(try await client(.success(response)).response(for: request()).body.data?.count == 100)
            let limited = client(.success(response), maximumBodySize: 99)
            let failure = try await failure { try await limited.response(for: request("https://a.example/p")) }
            #expect(failure.cause == .responseTooLarge(limit: 99))
            #expect(failure.statusCode == 200 && failure.retryAttempt == 0 && failure.request?.url?.path == "/p")
            // Streams have no limit.
            #expect(try await limited.send(request()).status == 200)
            let context = RequestContext.with { $0.delivery = .collected(limit: 3) }
            let own = try await TestLab.failure { try await limited.response(for: request(), context: context) }
            #expect(own.cause == .responseTooLarge(limit: 3), "the context's limit wins")
        }
    }

    @Test func failureInTheBodyHasRequestAndStatus() async throws {
        let response = TransportResponse(status: 200, url: nil, body: HTTPBody(pulling: { throw lostConnection }))
        let hook = Hook(adapting: { $0.setValue("a/b", forHTTPHeaderField: "Accept") })
        let client = NetworkClient(interceptors: [hook], transport: StubTransport(.success(response)))
        let failure = try await failure { _ = try await client.data(for: request()) }
        #expect(failure.cause == .networkUnavailable && failure.statusCode == 200)
        #expect(failure.request?.headers["Accept"] == "a/b")
    }

    @Test func contextHasTheClientsClockAndOrigin() async throws {
        let clock = TestClock(now: Date(timeIntervalSince1970: 7))
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let client = NetworkClient(transport: transport, clock: clock)
        let context = RequestContext.with {
            $0.priority = .high
            $0.partition = "me"
        }
        let request = try request("https://a.example/p")
        let failure = try await failure { try await client.response(for: request, context: context) }
        #expect(failure.timestamp == Date(timeIntervalSince1970: 7))
        let sent = try #require(transport.exchanges.first?.context)
        #expect(sent.clock is TestClock && sent.delivery == .collected(limit: 64 << 20))
        #expect(sent.id == context.id && sent.priority == .high && sent.partition == "me" && sent.origin?.path == "/p")
    }

    @Test func errorsAreMappedToFailures() async throws {
        let cases: [(any Error, NetworkError)] = [
            (CancellationError(), .cancelled), (URLError(.timedOut), .timeout), (PluginError(), .unknown(nil)),
            (NetworkError.pinningFailed(host: "a"), .pinningFailed(host: "a")),
            (refusedConnection, .networkUnavailable),
        ]
        for (thrown, cause) in cases {
            #expect(try await failure { try await client(.failure(thrown)).send(request()) }.cause == cause)
        }
    }
}

@Suite struct ConnectionStatisticsTests {
    private struct Counting: HTTPTransport {
        func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
            answer()
        }

        func connectionStatistics() -> [ConnectionStatistics]? {
            [ConnectionStatistics(origin: "https://a.example:443", openConnections: 2)]
        }
    }

    @Test func statisticsAreThoseOfTheTransport() {
        let client = NetworkClient(transport: Counting())
        #expect(client.connectionStatistics() == Counting().connectionStatistics())
        #expect(client.with { $0.timeoutInterval = 1 }.connectionStatistics()?.count == 1)
        for transport in [StubTransport(), URLSessionTransport()] as [any HTTPTransport] {
            #expect(NetworkClient(transport: transport).connectionStatistics() == nil)
        }
    }
}
