import NetTesting
import NetTransfer
import TestLab
import Testing

private struct Messages: LongPollingEndpoint {
    var path: String { "/messages/poll" }
    typealias Response = [String]
    func shouldContinuePolling(after response: [String]) -> Bool { !response.contains("bye") }
}

/// The error table of seed 003, by a clock that takes no time.
@Suite(.timeLimit(.minutes(5))) struct LongPollingTests {
    private let clock = TestClock(autoAdvance: true)

    private func client(_ transport: StubTransport, clock: TestClock? = nil) -> NetworkClient {
        let (site, clock) = (Site(baseURL: .example), clock ?? self.clock)
        return NetworkClient(environment: site, retryPolicy: .default, transport: transport, clock: clock)
    }

    private static func news(_ text: String) -> Answer { .status(200, [:], "[\"\(text)\"]") }

    /// The responses before polling stopped, the pauses between them, and the reason for the stop.
    private func poll(
        _ answers: [Answer], configuration: LongPollingConfiguration? = nil
    ) async throws -> (values: [[String]], sleeps: [TimeInterval], failure: NetworkFailure?) {
        let transport = StubTransport(answers, then: .status(404))
        let polls = client(transport).poll(Messages(), configuration: configuration).throwing
        var (values, failure) = ([[String]](), NetworkFailure?.none)
        do { for try await value in polls { values.append(value) } } catch { failure = error as? NetworkFailure }
        #expect(transport.exchanges.count == answers.count, "each answer is requested once")
        return (values, clock.sleeps, failure)
    }

    private static let rules: [(String, [Answer], [[String]], [TimeInterval])] = [
        ("the endpoint says when it ends", [news("a"), news("b"), news("bye")], [["a"], ["b"], ["bye"]], []),
        ("empty responses wait", [.status(204), .status(304), .status(200), news("bye")], [["bye"]], [1, 1, 1]),
        ("timeouts reconnect at once", [.timeout, news("bye")], [["bye"]], []),
        ("and so do statuses of timeouts", [.status(408), news("bye")], [["bye"]], []),
        (
            "a failed connection is not an empty poll",
            [.failure(TransportError(.connectTimeout, phase: .connecting, message: "")), news("bye")], [["bye"]], [2]
        ),
        (
            "a server that says 408 without having waited is not asked in a circle",
            [.status(408), .status(408), .status(408), news("a"), .status(408), news("bye")], [["a"], ["bye"]], [1, 1]
        ),
        (
            "server errors and lost connections back off",
            [
                .status(500), .refused, .status(503, ["Retry-After": "7"]), .status(429), news("a"), .refused,
                news("bye"),
            ], [["a"], ["bye"]], [1, 2, 7, 1, 2]
        ),
    ]

    @Test(arguments: rules) func pollingPausesByRule(
        _ rule: String, _ answers: [Answer], _ values: [[String]], _ sleeps: [TimeInterval]
    ) async throws {
        let result = try await poll(answers)
        #expect(result.values == values && result.failure == nil && result.sleeps == sleeps)
    }

    /// An optional type decodes an empty response as nil, which is not a message.
    @Test func emptyResponsesAreNotMessagesOfAnOptionalType() async throws {
        struct OptionalMessages: LongPollingEndpoint {
            var path: String { "/messages/poll" }
            typealias Response = [String]?
            func shouldContinuePolling(after response: [String]?) -> Bool { response == nil }
        }
        let transport = StubTransport([.status(200), .status(204), Self.news("a")], then: .status(404))
        let values = try await client(transport).poll(OptionalMessages()).throwing.collected()
        #expect(values == [["a"]] && clock.sleeps == [1, 1])
    }

    @Test func longTimeoutsAreRepeatedWithoutALimit() async throws {
        let (clock, rest) = (TestClock(), Locked(Array(repeating: Answer.timeout, count: 19)[...]))
        let transport = StubTransport { _, _, _ in
            guard let timeout = rest.withLock({ $0.popFirst() }) else { return try Self.news("bye").get() }
            try await clock.sleep(for: 30)
            return try timeout.get()
        }
        let client = client(transport, clock: clock)
        let values = try await clock.run { try await client.poll(Messages()).throwing.collected() }
        #expect(values == [["bye"]] && clock.sleeps == Array(repeating: 30, count: 19))
    }

    @Test(arguments: [400, 401, 403, 404, 410, 501]) func otherStatusesStopPolling(status: Int) async throws {
        let result = try await poll([Self.news("a"), .status(status)])
        #expect(result.values == [["a"]] && result.failure?.statusCode == status && result.sleeps.isEmpty)
    }

    @Test func decodingFailureStopsPolling() async throws {
        let result = try await poll([.status(200, [:], "{}")])
        #expect(result.values.isEmpty && result.failure?.kind == .decodingFailed)
    }

    @Test func maxConsecutiveErrorsStopsPolling() async throws {
        var configuration = LongPollingConfiguration(timeout: 5, retryInterval: 0.5, maxConsecutiveErrors: 3)
        let answers: [Answer] = [500, 500, 204, 500, 502, 503].map { .status($0) }
        let result = try await poll(answers, configuration: configuration)
        #expect(result.failure?.statusCode == 503 && result.sleeps == [0.5, 0.5, 0.5, 0.5, 0.5])
        configuration.maxConsecutiveErrors = 0
        #expect(try await poll([.status(500)], configuration: configuration).failure?.statusCode == 500)
    }

    @Test func openCircuitIsWaitedFor() async throws {
        let until = clock.now.addingTimeInterval(20)
        let result = try await poll([.failure(NetworkError.circuitOpen(host: "a", until: until)), Self.news("bye")])
        #expect(result.values == [["bye"]] && result.sleeps == [20])
    }

    @Test func pollRequestsHaveATimeoutAndBypassTheCache() async throws {
        let transport = StubTransport([Self.news("a"), Self.news("b")])
        let polls = client(transport).poll(Messages(), configuration: .short).first(2)
        #expect(try await polls.collected() == [["a"], ["b"]])
        #expect(transport.exchanges.count == 2, "nothing is asked for behind the last")
        for request in transport.exchanges.map(\.request) {
            #expect((request.timeoutInterval, request.cachePolicy) == (10, .reloadIgnoringLocalCacheData))
        }
    }

    @Test func firstAndWhileEndPolling() async throws {
        let transport = StubTransport([Self.news("a"), .status(200, [:], "[]")])
        let polls = client(transport).poll(Messages())
        for await _ in polls.first(-1) { Issue.record("one too many") }
        #expect(transport.exchanges.isEmpty)
        #expect(try await (polls.while({ !$0.isEmpty }).collected(), transport.exchanges.count) == ([["a"]], 2))
    }

    @Test func cancellationEndsThePause() async throws {
        let clock = TestClock()
        let client = client(StubTransport([.status(204)]), clock: clock)
        for isThrowing in [false, true] {
            let task = Task {
                if isThrowing { return try await client.poll(Messages()).throwing.collected() }
                return await client.poll(Messages()).reduce(into: []) { $0.append($1) }
            }
            try await clock.waitForSleepers()
            task.cancel()
            if isThrowing {
                await #expect(throws: NetworkFailure.cancelled()) { try await task.value }
            } else {
                #expect(try await task.value == [], "it ends in silence")
            }
        }
    }

    @Test func cancellationEndsTheRequest() async throws {
        let server = try MockServer { _ in .ok.fault(.stall(.beforeResponse)) }
        let client = NetworkClient(server)
        let task = Task { await client.poll(Messages()).reduce(into: 0) { count, _ in count += 1 } }
        _ = try await server.takeRequest()
        task.cancel()
        #expect(await task.value == 0)
        try await server.waitForOpenConnections()
    }

    @Test func requestThatTimesOutIsRepeated() async throws {
        let server = try MockServer { _ in .json(["bye"]) }
        server.enqueue(.ok.fault(.stall(.beforeResponse)))
        let configuration = LongPollingConfiguration(timeout: 0.2)
        let values = try await NetworkClient(server).poll(Messages(), configuration: configuration).collected()
        // On a busy machine an answer may be late as well.
        #expect(values == [["bye"]] && server.requestCount >= 2)
    }

    @Test func mockClientCanBePolled() async throws {
        let mock = MockNetworkClient()
        await mock.stubSequence(
            Messages.self, sequence: [.success(["a"]), .failure(.timeout()), .success(["b"]), .failure(.notFound())])
        let client: any NetworkClientProtocol = mock
        #expect(await client.poll(Messages()).reduce(into: []) { $0.append($1) } == [["a"], ["b"]])
        #expect(await mock.callCount(for: Messages.self) == 4)
    }
}
