import NetTesting
import NetTransfer
import TestLab
import Testing

@Suite(.timeLimit(.minutes(5))) struct ServerSentEventSequenceTests {
    private let clock = TestClock(autoAdvance: true)
    private let url = URL.example

    private func events(
        _ transport: StubTransport, _ configuration: ServerSentEventSequence.Configuration = Self.plain,
        method: String = "GET"
    ) -> ServerSentEventSequence {
        var request = URLRequest(url: url)
        request.httpMethod = method
        return NetworkClient(retryPolicy: .default, transport: transport, clock: clock)
            .serverSentEvents(for: request, body: method == "POST" ? HTTPBody("{}") : nil, configuration: configuration)
    }

    private static var plain: ServerSentEventSequence.Configuration { plain { _ in } }

    private static func plain(
        _ change: (inout ServerSentEventSequence.Configuration) -> Void
    ) -> ServerSentEventSequence.Configuration {
        var configuration = ServerSentEventSequence.Configuration()
        configuration.backoff = .exponential(base: 2, multiplier: 2, jitter: 0)
        change(&configuration)
        return configuration
    }

    private func failure(_ events: ServerSentEventSequence) async throws -> NetworkFailure {
        try #require(await #expect(throws: NetworkFailure.self) { try await events.collected() })
    }

    @Test func reconnectionSendsLastEventID() async throws {
        let transport = StubTransport([
            .stream("data: a\n\n"), .stream("id: 7\ndata: b\n\nid: 8\ndata: incomplete"),
            .stream("retry: 500\nid: ü\n\n", lost: true), .stream("data: c\n\nretry: 0\nid\n\n"),
            .stream("data: d\n\n"),
        ])
        let events = try await events(transport).collected()
        #expect((events.map(\.data), events.map(\.id)) == (["a", "b", "c", "d"], ["", "7", "ü", ""]))
        // The last one is answered by 204, which is the end.
        #expect(transport.sent("Last-Event-ID") == [nil, nil, "7", "ü", nil, nil])
        #expect((clock.sleeps, Set(transport.sent("Accept"))) == ([3, 3, 0.5, 0.1, 0.1], ["text/event-stream"]))
        #expect(Set(transport.sent("Cache-Control")) == ["no-store"])
    }

    /// A field cannot carry the server's ID, so the next request has none. The caller's own is refused.
    @Test func invalidLastEventIDIsNotSent() async throws {
        let transport = StubTransport([.stream("id: a\u{1}b\ndata: a\n\n"), .stream("data: b\n\nid: 7\ndata: c\n\n")])
        let events = try await events(transport).collected()
        #expect((events.map(\.id), transport.sent("Last-Event-ID")) == (["a\u{1}b", "a\u{1}b", "7"], [nil, nil, "7"]))
        let configuration = Self.plain { $0.lastEventID = "a\u{1}b" }
        let failure = try await failure(self.events(StubTransport([.stream("data: a\n\n")]), configuration))
        #expect(failure.code == "invalid_request")
    }

    /// Over sockets, in chunks that cut CRLF and UTF-8.
    @Test func eventsOverSeveralConnections() async throws {
        let server = try MockServer { request in
            let last = request.headers["Last-Event-ID"].flatMap { Int($0) } ?? 0
            guard last < 6 else { return .noContent }
            let events = (last + 1...last + 2).map { "event: tick\r\nid: \($0)\r\ndata: é\($0)\r\ndata: 😀\r\n\r\n" }
            let text = "\u{FEFF}: hello\r\nretry: 10\r\n\r\n" + events.joined()
            return MockResponse.chunked(text.utf8.map { Data([$0]) })
                .header("Content-Type", "text/event-stream;charset=UTF-8")
        }
        let client = NetworkClient(transport: .platform, clock: clock)
        let events = try await client.serverSentEvents(for: URLRequest(url: server.url)).collected(7)
        #expect(events == (1...6).map { ServerSentEvent(event: "tick", data: "é\($0)\n😀", id: String($0)) })
        // 10 ms are the server's wish; less than the least.
        #expect(clock.sleeps == [0.1, 0.1, 0.1])
    }

    @Test func delaysAreLimitedToAnHour() async throws {
        let transport = StubTransport([
            .stream("retry: 99999999999999999999\n\n"), .status(503, ["Retry-After": "99999999999999999999"]),
        ])
        #expect(try await events(transport).collected().isEmpty && clock.sleeps == [3600, 3600])
    }

    @Test func requestIsSentWhenIterationBegins() async throws {
        let transport = StubTransport([.stream("data: a\n\ndata: b\n\n")])
        let events = events(transport)
        #expect(transport.exchanges.isEmpty)
        for try await _ in events { break }
        #expect(transport.exchanges.count == 1 && clock.sleeps.isEmpty)
    }

    @Test func failedAttemptsBackOffUntilMaxConsecutiveErrors() async throws {
        let configuration = Self.plain { $0.maxConsecutiveErrors = 4 }
        let transport = StubTransport([
            .refused, .timeout, .stream("data: a\n\n"), .status(503), .status(503, ["Retry-After": "60"]), .refused,
            .status(502, [:], "sorry"),
        ])
        var iterator = events(transport, configuration).makeAsyncIterator()
        #expect(try await iterator.next()?.data == "a")
        let failure = try #require(await #expect(throws: NetworkFailure.self) { try await iterator.next() })
        #expect(failure.cause == .requestFailed(statusCode: 502, data: Data("sorry".utf8)))
        // The base is 2 s, but no less than the three of the reconnection time. The client's own policy has not retried.
        #expect(try await (clock.sleeps, transport.exchanges.count, iterator.next()) == ([3, 4, 3, 3, 60, 8], 7, nil))
    }

    @Test func permanentErrorsEndTheSequence() async throws {
        for status in [404, 401] {
            #expect(try await failure(events(StubTransport([.status(status)]))).statusCode == status)
        }
        let html = StubTransport([.status(200, ["Content-Type": "text/html"], "data: a\n\n")])
        #expect(
            try await failure(events(html)).underlyingError as? ResponseValidation.UnacceptableContentType
                == ResponseValidation.UnacceptableContentType(expected: ["text/event-stream"], received: "text/html"))
        #expect(try await failure(events(StubTransport([.status(200, [:], "data: a\n\n")]))).kind == .decodingFailed)
        #expect(clock.sleeps.isEmpty)
        let configuration = Self.plain { $0.maximumEventSize = 6 }
        let large = StubTransport([.stream("data: 1\n\n"), .stream("data: 2\ndata\n\n")])
        #expect(try await failure(events(large, configuration)).cause == .responseTooLarge(limit: 6))
    }

    @Test func postReconnectsOnlyIfConfigured() async throws {
        let once = StubTransport([.stream("data: a\n\n"), .stream("data: b\n\n")])
        #expect(try await events(once, method: "POST").collected().map(\.data) == ["a"])
        let lost = StubTransport([.stream("data: a\n\n", lost: true)])
        #expect(try await failure(events(lost, method: "POST")).cause == .networkUnavailable)
        let twice = StubTransport([.stream("data: a\n\n"), .stream("data: b\n\n")])
        let always = Self.plain { $0.reconnection = .always }
        #expect(try await events(twice, always, method: "POST").collected().map(\.data) == ["a", "b"])
        #expect(twice.exchanges.map(\.body) == Array(repeating: Data("{}".utf8), count: 3))
        let never = StubTransport([.stream("data: a\n\n")])
        #expect(try await events(never, Self.plain { $0.reconnection = .never }).collected().count == 1)
        #expect(once.exchanges.count == 1 && never.exchanges.count == 1)
    }

    @Test func endMarkerEndsTheSequence() async throws {
        let transport = StubTransport([.stream("data: [1]\n\ndata: [2]\n\ndata: [DONE]\n\ndata: [3]\n\n")])
        #expect(try await events(transport, .completions, method: "POST").decode([Int].self).collected() == [[1], [2]])
        #expect(transport.exchanges.count == 1)
    }

    @Test func decodingFailureEndsTheSequence() async throws {
        let transport = StubTransport([.stream("data: 1\n\ndata: x\n\ndata: 3\n\n")])
        var iterator = events(transport).decode(Int.self).makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        let failure = try #require(await #expect(throws: NetworkFailure.self) { try await iterator.next() })
        #expect(failure.kind == .decodingFailed && failure.statusCode == 200)
        #expect(try await iterator.next() == nil)
    }

    @Test func eachIterationConnectsAgain() async throws {
        let transport = StubTransport([.stream("id: 42\ndata: a\n\n"), .status(204), .stream("data: b\n\n")])
        let events = events(transport, Self.plain { $0.lastEventID = "41" })
        #expect(try await (events.collected().map(\.id), events.collected().map(\.id)) == (["42"], ["41"]))
        #expect(transport.sent("Last-Event-ID").prefix(3) == ["41", "42", "41"])
    }

    @Test func cancellationDuringThePauseSendsNothing() async throws {
        let (clock, transport) = (TestClock(), StubTransport([.stream("data: a\n\n")]))
        let client = NetworkClient(transport: transport, clock: clock)
        let task = Task { [url] in try await client.serverSentEvents(for: URLRequest(url: url)).collected() }
        try await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: NetworkFailure.cancelled()) { try await task.value }
        #expect(transport.exchanges.count == 1 && clock.sleeperCount == 0)
    }

    @Test func expiredTokenIsRefreshed() async throws {
        let transport = StubTransport { request, _, _ in
            let isFresh = request.value(forHTTPHeaderField: "Authorization") == "Bearer fresh"
            return try (isFresh ? Answer.stream("data: a\n\n") : .status(401)).get()
        }
        let token = Locked("stale")
        let auth = AuthInterceptor(
            tokenProvider: { token.withLock { $0 } }, onUnauthorized: { token.withLock { $0 = "fresh" } })
        let client = NetworkClient(interceptors: [auth], transport: transport, clock: clock)
        #expect(try await client.serverSentEvents(for: URLRequest(url: url)).collected(1).map(\.data) == ["a"])
        #expect(transport.sent("Authorization") == ["Bearer stale", "Bearer fresh"])
    }

    @Test func endpointsAndRequestsGiveEvents() async throws {
        let transport = StubTransport { request, _, _ in
            try Answer.stream("data: \(request.httpMethod ?? "") \(request.url?.path ?? "")\n\n").get()
        }
        let client = NetworkClient(environment: Site(baseURL: url), transport: transport, clock: clock)
        #expect(try await client.serverSentEvents(from: Drop()).collected().map(\.data) == ["POST /stream/files"])
        let request = Request<Receipt>(path: "/a")
        #expect(try await client.serverSentEvents(for: request).collected(1).map(\.data) == ["GET /stream/a"])
        #expect(try await client.stream(request).serverSentEvents().collected().map(\.data) == ["GET /stream/a"])
    }
}
