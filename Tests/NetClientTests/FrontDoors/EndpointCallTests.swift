@Suite struct EndpointCallTests {
    private let transport = people()

    private func client(_ transport: StubTransport? = nil) throws -> NetworkClient {
        NetworkClient(environment: try lab(), transport: transport ?? self.transport)
    }

    @Test func emptyResponseAndFailure() async throws {
        try await client(StubTransport(.success(answer(204)))).request(DeletePerson(id: "1"))
        let missing = try client(StubTransport(.success(answer(404, "gone"))))
        let failure = try await failure { try await missing.request(GetPerson(id: "9")) as Person }
        #expect(failure.kind == .notFound && failure.response?.statusCode == 404)
        #expect(failure.request?.url?.absoluteString == "https://a.example/v1/people/9")
    }

    /// Credentials are sent only to the origin of the base URL.
    @Test func defaultHeadersOfTheEnvironment() async throws {
        struct Staging: NetworkEnvironment {
            let baseURL: URL
            var defaultHeaders: [String: String] { ["Accept": "application/json", "X-API-Key": "secret"] }
            var timeout: TimeInterval { 7 }
        }
        let client = NetworkClient(environment: Staging(baseURL: try lab().baseURL), transport: transport)
        let (inside, outside) = (try url("https://a.example/v1/people/1"), try url("https://b.example/people/1"))
        try await client.request(GetPerson(id: "1"))
        let _: Person = try await client.execute(URLRequest(url: inside))
        try await client.send(Request<Person>(absoluteURL: inside))
        try await client.send(Request<Person>(absoluteURL: outside))
        #expect(transport.exchanges.map(\.request.timeoutInterval) == [7, 7, 7, 7])
        #expect(transport.sent("X-API-Key") == ["secret", "secret", "secret", nil])
        #expect(transport.sent("Accept").allSatisfy { $0 == "application/json" })
        #expect(transport.sent("User-Agent").allSatisfy { $0?.contains("Networking/") == true })
    }

    @Test func fluentCallChangesTheRequest() async throws {
        let person =
            try await client().request(GetPerson(id: "123")).timeout(60).header("X-Request-ID", "42")
            .headers(["X-Custom": "value", "Accept": "a/b"]).priority(.high).partition("leia").send()
        #expect(person == leia)
        let exchange = try #require(transport.exchanges.first)
        #expect(exchange.request.timeoutInterval == 60)
        #expect(exchange.request.ownFields == ["X-Request-ID": "42", "X-Custom": "value", "Accept": "a/b"])
        #expect(exchange.context.priority == .high && exchange.context.partition == "leia")
    }

    @Test func builderIsAValueAndCanBeSentAgain() async throws {
        let call = try client().builder(for: GetPerson(id: "1"))
        let marked = call.header("X-Mark", "1")
        for each in [call, marked, marked] { try await each.send() }
        #expect(transport.sent("X-Mark") == [nil, "1", "1"])
    }

    @Test func builderReturnsTheResponseOrTheStream() async throws {
        let call = try client(StubTransport { _, _, _ in answer(500, "oops") }).builder(for: GetPerson(id: "1"))
        let response = await call.response()
        #expect(response.statusCode == 500 && response.error?.statusCode == 500)
        let stream = try await call.stream()
        #expect(try await stream.body.collect(upTo: 100) == Data("oops".utf8) && stream.status == 500)
    }

    @Test func totalTimeoutIsTheDeadline() async throws {
        let clock = TestClock()
        let client = NetworkClient(environment: try lab(), transport: transport, clock: clock)
        try await client.builder(for: GetPerson(id: "1")).totalTimeout(5).send()
        #expect(transport.exchanges.first?.context.deadline == clock.uptime + 5)
    }

    @Test func retryPolicyOfACall() async throws {
        let clock = TestClock(autoAdvance: true)
        let transport = StubTransport { _, _, context in context.attempt == 0 ? answer(503) : found }
        let client = NetworkClient(
            environment: try lab(), retryPolicy: .default, transport: transport, clock: clock, random: { 0.5 })
        #expect(try await client.send(Request<Person>(path: "/x")) == leia && clock.sleeps == [0.3])
        let failure = try await failure { try await client.send(Request<Person>(path: "/x"), retryPolicy: .none) }
        #expect(failure.statusCode == 503 && clock.sleeps == [0.3])
        let call = client.builder(for: GetPerson(id: "1")).retryPolicy(RetryPolicy(maxRetries: 1, delay: .fixed(5)))
        #expect(try await call.send() == leia && clock.sleeps == [0.3, 5])
    }

    @Test func invalidRequestsFail() async throws {
        let client = try client()
        await #expect(throws: NetworkFailure.invalidRequest()) { try await client.request(GetPerson(id: "..")) }
        await #expect(throws: NetworkFailure.invalidRequest()) {
            try await client.builder(for: GetPerson(id: "1")).header("A B", "x").send()
        }
        #expect(await client.builder(for: GetPerson(id: "..")).response().error == .invalidRequest)
    }

    /// Seed 002: the cases of an enum have different response types.
    @Test func enumWithResponseTypesOfTheCaller() async throws {
        enum API: Endpoint {
            case item(id: String)
            case search(query: String, page: Int)
            case rename(id: String)
            var method: HTTPMethod { if case .rename = self { .put } else { .get } }
            var baseURL: URL { URL(string: "https://api.example.com/v1") ?? URL(fileURLWithPath: "/") }
            var path: String {
                switch self {
                case .item(let id), .rename(let id): "/items/\(id)"
                case .search: "/search"
                }
            }
            var queryItems: [URLQueryItem]? {
                guard case .search(let query, let page) = self else { return nil }
                return [URLQueryItem(name: "q", value: query), URLQueryItem(name: "page", value: String(page))]
            }
        }
        let transport = StubTransport { request, _, _ in
            request.url?.path == "/v1/search" ? answer(200, "[1,2]") : found
        }
        let client = NetworkClient(transport: transport)
        #expect(try await client.fetch(API.item(id: "1")) == leia)
        #expect(try await client.fetch(API.search(query: "a&b", page: 2), as: [Int].self) == [1, 2])
        #expect(try await client.fetchFresh(API.item(id: "1")) == leia)
        #expect(transport.exchanges[1].request.url?.query == "q=a%26b&page=2")
        #expect(transport.exchanges.map(\.request.cachePolicy).last == .reloadIgnoringLocalCacheData)
        #expect(try await client.send(["name": "Leia"], to: API.rename(id: "1")) == leia)
        #expect(transport.exchanges.last?.body == Data(#"{"name":"Leia"}"#.utf8))
    }

    @Test func endpointOverASocket() async throws {
        let server = try MockServer()
        server.on(.get, "/v1/people/a%20b%2Bc", .json(leia))
        let client = NetworkClient(environment: Lab(baseURL: server.url("/v1/")))
        #expect(try await client.request(GetPerson(id: "a b+c")) == leia)
    }

    @Test func endpointEncodesItsValue() async throws {
        struct GetToken: Endpoint {
            var path: String { "/token" }
            var method: HTTPMethod { .post }
            var contentType: RequestContentType { .formURLEncoded }
        }
        let _: Person = try await client().send(["grant_type": "password"], to: GetToken())
        let exchange = try #require(transport.exchanges.first)
        #expect(exchange.body == Data("grant_type=password".utf8))
        #expect(exchange.request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
    }
}
