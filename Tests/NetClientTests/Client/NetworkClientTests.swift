import NetClient
import NetTesting
import TestLab
import Testing

@Suite struct NetworkClientTests {
    private struct User: Codable, Equatable, Sendable { let id: Int }

    private func client(_ answers: Result<TransportResponse, any Error>..., maximumBodySize: Int = 100) -> NetworkClient
    {
        let rest = Locked(answers[...])
        return NetworkClient(
            transport: StubTransport { _, _, _ in
                guard let answer = rest.withLock({ $0.popFirst() }) else { throw PluginError() }
                return try answer.get()
            }, maximumBodySize: maximumBodySize)
    }

    // MARK: Front doors

    @Test func sendGivesAnyStatus() async throws {
        for status in [200, 404, 500] {
            let response = try await client(.success(answer(status, "x"))).send(request())
            #expect(response.status == status)
            #expect(try await response.body.collect(upTo: 1) == Data("x".utf8))
        }
    }

    @Test func dataIsOfASuccessfulStatus() async throws {
        let (data, response) = try await client(.success(answer(201, "x"))).data(for: request())
        #expect(data == Data("x".utf8) && response.status == 201)
        for status in [199, 300, 304, 404, 500] {
            let failure = try await failure {
                _ = try await client(.success(answer(status, "why"))).data(for: request())
            }
            #expect(failure.cause == .requestFailed(statusCode: status, data: Data("why".utf8)))
            #expect(failure.response?.bodyPreview == "why")
            #expect(failure.retryAttempt == 0)
        }
    }

    @Test func executeDecodes() async throws {
        let user: User = try await client(.success(answer(200, #"{"id":1}"#))).execute(request())
        #expect(user == User(id: 1))
        let empty = try await failure { let _: User = try await client(.success(answer(204))).execute(request()) }
        #expect(empty.cause == .noData && empty.kind == .noContent)
        let none = try await failure { let _: User = try await client(.success(answer(200))).execute(request()) }
        #expect(none.kind == .noData)
        let wrong = try await failure { let _: User = try await client(.success(answer(200, "{}"))).execute(request()) }
        #expect(wrong.kind == .decodingFailed && wrong.underlyingError is DecodingError)
        #expect(wrong.response?.bodyPreview == "{}" && wrong.request?.method == "GET")
        let _: EmptyResponse = try await client(.success(answer(204))).execute(request())
    }

    @Test func serializersErrorsAreKept() async throws {
        struct Thrower: ResponseSerializer {
            let error: any Error
            func serialize(_ data: Data, response: TransportResponse) throws -> Int { throw error }
        }
        for (thrown, cause) in [
            (PluginError(), .decodingError(PluginError())), (NetworkError.noData, .noData),
            (NetworkFailure.timeout(), .timeout),
        ] as [(any Error, NetworkError)] {
            let failure = try await failure {
                _ = try await client(.success(answer())).value(for: request(), serializer: Thrower(error: thrown))
            }
            #expect(failure.cause == cause && failure.statusCode == 200)
        }
    }

    // MARK: What is refused

    @Test(arguments: [
        "file:///etc/passwd", "ftp://a.example/", "/relative", "relative", "http://", "https:///p", "http://u@/",
        "data:,x", "javascript:alert(1)",
    ])
    func otherURLsAreInvalid(_ url: String) async throws {
        let transport = StubTransport()
        let client = NetworkClient(transport: transport)
        guard let url = URL(string: url) else { return }
        let failure = try await failure { _ = try await client.send(URLRequest(url: url)) }
        #expect(failure.cause == .invalidURL && failure.retryAttempt == nil)
        #expect(transport.exchanges.isEmpty)
    }

    @Test(arguments: ["1\r\nX-Evil: 1", "1\n2", "1\r2", "1\u{0}2", "1\u{1}2", "1\u{1B}[2J", "1\u{8}2", "1\u{7F}2"])
    func badHeaderIsRefused(_ value: String) async throws {
        let transport = StubTransport()
        // Assigned as a whole: on Linux `setValue` drops such a field before anybody can see it.
        let request = try request(headers: ["X-A": value, "Accept": "a/b"])
        let failure = try await failure { _ = try await NetworkClient(transport: transport).send(request) }
        #expect(failure.cause == .invalidRequest)
        #expect(failure.underlyingError is RequestBuildingError)
        #expect(failure.description.contains("'X-A'"))
        #expect(transport.exchanges.isEmpty)
    }

    /// From each place that a field can come from, before anything is sent.
    @Test func controlCharactersAreRefusedFromEveryDoor() async throws {
        struct Hook: RequestInterceptor {
            func adapt(_ request: URLRequest) async throws -> URLRequest { request.adding("a\u{1}b") }
        }
        struct Middleware: HTTPInterceptor {
            func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
                try await next(request.adding("a\u{1}b"))
            }
        }
        struct Shop: NetworkEnvironment {
            let baseURL = URL(fileURLWithPath: "/")
            var defaultHeaders: [String: String] { ["X-A": "a\u{1}b"] }
        }
        let bad: HTTPHeaders = ["X-A": "a\u{1}b"]
        let plain = try request()
        let url = try #require(plain.url)
        func isRefused(
            _ door: String, _ change: (inout NetworkClient.Configuration) -> Void = { _ in },
            _ send: (NetworkClient) async throws -> Void
        ) async throws {
            let transport = StubTransport()
            var configuration = NetworkClient.Configuration()
            configuration.transport = transport
            change(&configuration)
            let client = NetworkClient(configuration: configuration)
            let failure = try await failure { try await send(client) }
            #expect(failure.cause == .invalidRequest, "\(door)")
            #expect(failure.underlyingError is RequestBuildingError, "\(door): \(failure)")
            #expect(transport.exchanges.isEmpty, "\(door)")
        }
        try await isRefused("request") { _ = try await $0.send(plain.adding("a\u{1}b")) }
        try await isRefused("Request") { client in
            _ = try await client.send(Request<String>(absoluteURL: url, headers: bad))
        }
        try await isRefused("middleware", { $0.interceptors = [Middleware()] }) { _ = try await $0.send(plain) }
        try await isRefused("hook", { $0.interceptors = [Hook()] }) { _ = try await $0.send(plain) }
        try await isRefused("call interceptor", { $0.callInterceptors = [Middleware()] }) {
            _ = try await $0.send(plain)
        }
        try await isRefused("default field", { $0.transportConfiguration.additionalHeaders = bad }) {
            _ = try await $0.send(plain)
        }
        try await isRefused("environment", { $0.environment = Shop() }) { _ = try await $0.send(plain) }
        try await isRefused("user agent", { $0.userAgent = "a\u{1}b" }) { _ = try await $0.send(plain) }
        try await isRefused("credentials", { $0.interceptors = [AuthInterceptor.bearer("a\u{1}b")] }) {
            _ = try await $0.send(plain)
        }
    }

    @Test func badNamesAndMethodsAreRefused() async throws {
        let badName = try request(headers: ["X A": "1"])
        #expect(try await failure { _ = try await client().send(badName) }.cause == .invalidRequest)
        let badMethod = try request("https://a.example/", "GE T")
        #expect(try await failure { _ = try await client().send(badMethod) }.cause == .invalidRequest)
    }

    @Test func cachePolicyWithoutACacheIsUnsupported() async throws {
        for (useCache, storeCache) in [(true, false), (false, true), (true, true)] {
            var context = RequestContext()
            context.cachePolicy = CachePolicy(useCache: useCache, storeCache: storeCache)
            let failure = try await failure {
                _ = try await client(.success(answer())).send(request(), context: context)
            }
            #expect(failure.code == "unsupported")
        }
        var context = RequestContext()
        context.cachePolicy = .networkOnly
        #expect(try await client(.success(answer())).send(request(), context: context).status == 200)
    }

    // MARK: Bodies of requests

    @Test func httpBodyIsTheBody() async throws {
        let transport = StubTransport { _, _, _ in answer() }
        let client = NetworkClient(transport: transport)
        var data = try request("https://a.example/", .post)
        data.httpBody = Data("data".utf8)
        _ = try await client.send(data)
        var stream = try request("https://a.example/", .post)
        stream.httpBodyStream = InputStream(data: Data(repeating: 7, count: 200_000))
        _ = try await client.send(stream)
        _ = try await client.send(data, body: HTTPBody("explicit"))
        _ = try await client.send(request(), body: nil)
        #expect(
            transport.exchanges.map(\.body) == [
                Data("data".utf8), Data(repeating: 7, count: 200_000), Data("explicit".utf8), nil,
            ])
        #expect(transport.exchanges.allSatisfy { $0.request.httpBody == nil && $0.request.httpBodyStream == nil })
    }

    @Test func bodyStreamIsOneShot() async throws {
        var stream = try request("https://a.example/", .put)
        stream.httpBodyStream = InputStream(data: Data("data".utf8))
        let transport = StubTransport(.failure(refusedConnection))
        let client = NetworkClient(retryPolicy: .default, transport: transport, clock: TestClock(autoAdvance: true))
        let failure = try await failure { _ = try await client.send(stream) }
        #expect(failure.cause == .bodyNotReplayable)
    }

    @Test func brokenBodyStreamFails() async throws {
        var stream = try request("https://a.example/", .put)
        stream.httpBodyStream = InputStream(fileAtPath: "/nowhere/at/all")
        let failure = try await failure { _ = try await client().send(stream) }
        #expect(failure.transportError?.code == .requestBodyFailed)
    }

    // MARK: Limits

    @Test func bodyLimitHolds() async throws {
        let text = String(repeating: "x", count: 100)
        for body in [
            HTTPBody(text), HTTPBody(replaying: { Once(text) }), HTTPBody(length: 100, replaying: { Once(text) }),
        ] {
            let response = TransportResponse(status: 200, url: nil, body: body)
            #expect(try await client(.success(response)).response(for: request()).body.data?.count == 100)
            let failure = try await failure {
                _ = try await client(.success(response), maximumBodySize: 99).response(
                    for: request("https://a.example/p"))
            }
            #expect(failure.cause == .responseTooLarge(limit: 99))
            #expect(failure.statusCode == 200 && failure.retryAttempt == 0 && failure.request?.url?.path == "/p")
            // A stream is the caller's own affair.
            #expect(try await client(.success(response), maximumBodySize: 99).send(request()).status == 200)
        }
    }

    private struct Once: AsyncSequence, Sendable {
        let text: String
        init(_ text: String) { self.text = text }
        func makeAsyncIterator() -> AsyncStream<Data>.Iterator {
            AsyncStream { continuation in
                continuation.yield(Data(text.utf8))
                continuation.finish()
            }.makeAsyncIterator()
        }
    }

    @Test func callersLimitWins() async throws {
        var context = RequestContext()
        context.delivery = .collected(limit: 3)
        let failure = try await failure {
            _ = try await client(.success(answer(200, "four"))).response(for: request(), context: context)
        }
        #expect(failure.cause == .responseTooLarge(limit: 3))
    }

    @Test func connectionLostInTheBodyHasItsContext() async throws {
        let response = TransportResponse(status: 200, url: nil, body: HTTPBody(pulling: { throw lostConnection }))
        let hook = Hook(adapting: { $0.setValue("a/b", forHTTPHeaderField: "Accept") })
        let client = NetworkClient(interceptors: [hook], transport: StubTransport(.success(response)))
        let failure = try await failure { _ = try await client.data(for: request()) }
        #expect(failure.cause == .networkUnavailable && failure.statusCode == 200)
        #expect(failure.request?.headers["Accept"] == "a/b")
    }

    // MARK: Context

    @Test func contextIsOfTheClient() async throws {
        let clock = TestClock(now: Date(timeIntervalSince1970: 7))
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let client = NetworkClient(transport: transport, clock: clock)
        var context = RequestContext()
        context.priority = .high
        context.partition = "me"
        let failure = try await failure {
            _ = try await client.response(for: request("https://a.example/p"), context: context)
        }
        #expect(failure.timestamp == Date(timeIntervalSince1970: 7))
        let sent = try #require(transport.exchanges.first?.context)
        #expect(sent.clock is TestClock, "one that was made elsewhere does not know the client's clock")
        #expect(sent.id == context.id && sent.priority == .high && sent.partition == "me")
        #expect(sent.origin?.path == "/p")
        #expect(sent.delivery == .collected(limit: 64 << 20))
    }

    @Test func everyErrorIsAFailure() async throws {
        let cases: [(any Error, NetworkError)] = [
            (CancellationError(), .cancelled), (URLError(.timedOut), .timeout), (PluginError(), .unknown(nil)),
            (NetworkError.pinningFailed(host: "a"), .pinningFailed(host: "a")),
            (refusedConnection, .networkUnavailable),
        ]
        for (thrown, cause) in cases {
            #expect(try await failure { _ = try await client(.failure(thrown)).send(request()) }.cause == cause)
        }
    }
}

extension URLRequest {
    /// Assigned as a whole: on Linux `setValue` drops a field with a line break.
    fileprivate func adding(_ value: String) -> URLRequest {
        var copy = self
        copy.allHTTPHeaderFields = (allHTTPHeaderFields ?? [:]).merging(["X-A": value]) { $1 }
        return copy
    }
}
