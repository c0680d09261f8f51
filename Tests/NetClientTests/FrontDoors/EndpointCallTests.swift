import NetClient
import NetTesting
import Testing

@Suite struct EndpointCallTests {
    @Test func endpointOverARealSocket() async throws {
        let server = try MockServer()
        server.on(.get, "/v1/people/a%20b%2Bc", .json(leia))
        let client = NetworkClient(environment: Lab(baseURL: server.url("/v1/")))
        #expect(try await client.request(GetPerson(id: "a b+c")) == leia)
        #expect(server.requests.first?.headers["Accept"] == "application/json")
    }

    @Test func emptyAnswerMayBeIgnored() async throws {
        let client = NetworkClient(environment: try lab(), transport: StubTransport(.success(answer(204))))
        try await client.request(DeletePerson(id: "1"))
    }

    @Test func statusIsAFailureWithItsContext() async throws {
        let client = NetworkClient(environment: try lab(), transport: StubTransport(.success(answer(404, "gone"))))
        do {
            _ = try await client.request(GetPerson(id: "9"))
            Issue.record("No failure.")
        } catch {
            #expect(error.kind == .notFound && error.request?.url?.absoluteString == "https://a.example/v1/people/9")
            #expect(error.response?.statusCode == 404)
        }
    }

    /// Default fields are the client's to add, for every door; what may be secret goes to the base URL's origin.
    @Test func fieldsOfTheEnvironmentForEveryDoor() async throws {
        struct Staging: NetworkEnvironment {
            let baseURL: URL
            var defaultHeaders: [String: String] { ["Accept": "application/json", "X-API-Key": "secret"] }
            var timeout: TimeInterval { 7 }
        }
        let transport = people()
        let client = NetworkClient(environment: Staging(baseURL: try lab().baseURL), transport: transport)
        let inside = try #require(URL(string: "https://a.example/v1/people/1"))
        let outside = try #require(URL(string: "https://b.example/people/1"))
        try await client.request(GetPerson(id: "1"))
        let _: Person = try await client.execute(URLRequest(url: inside))
        try await client.send(Request<Person>(absoluteURL: inside))
        try await client.send(Request<Person>(absoluteURL: outside))
        let requests = transport.exchanges.map(\.request)
        #expect(requests.map(\.timeoutInterval) == [7, 7, 7, 7])
        #expect(requests.map { $0.value(forHTTPHeaderField: "X-API-Key") } == ["secret", "secret", "secret", nil])
        #expect(requests.allSatisfy { $0.value(forHTTPHeaderField: "Accept") == "application/json" })
        #expect(requests.allSatisfy { $0.value(forHTTPHeaderField: "User-Agent")?.contains("Networking/") == true })
    }

    @Test func fluentCallChangesTheRequest() async throws {
        let transport = people()
        let client = NetworkClient(environment: try lab(), transport: transport)
        let person =
            try await client
            .request(GetPerson(id: "123"))
            .timeout(60)
            .header("X-Request-ID", "42")
            .headers(["X-Custom": "value", "Accept": "a/b"])
            .priority(.high)
            .partition("leia")
            .send()
        #expect(person == leia)
        let exchange = try #require(transport.exchanges.first)
        #expect(exchange.request.timeoutInterval == 60)
        #expect(exchange.request.value(forHTTPHeaderField: "X-Request-ID") == "42")
        #expect(exchange.request.value(forHTTPHeaderField: "X-Custom") == "value")
        #expect(exchange.request.value(forHTTPHeaderField: "Accept") == "a/b" && exchange.context.priority == .high)
        #expect(exchange.context.partition == "leia")
    }

    @Test func builderIsAValueThatCanBeSentAgain() async throws {
        let transport = people()
        let client = NetworkClient(environment: try lab(), transport: transport)
        let call = client.builder(for: GetPerson(id: "1"))
        let marked = call.header("X-Mark", "1")
        try await call.send()
        try await marked.send()
        try await marked.send()
        #expect(transport.sent("X-Mark") == [nil, "1", "1"])
    }

    @Test func builderGivesTheResponseOrTheStream() async throws {
        let client = NetworkClient(environment: try lab(), transport: StubTransport { _, _, _ in answer(500, "oops") })
        let response = await client.builder(for: GetPerson(id: "1")).response()
        #expect(response.statusCode == 500 && response.error?.statusCode == 500)
        let stream = try await client.builder(for: GetPerson(id: "1")).stream()
        #expect(stream.status == 500)
        #expect(try await stream.body.collect(upTo: 100) == Data("oops".utf8))
    }

    @Test func totalTimeoutBecomesADeadline() async throws {
        let clock = TestClock()
        let transport = people()
        let client = NetworkClient(environment: try lab(), transport: transport, clock: clock)
        try await client.builder(for: GetPerson(id: "1")).totalTimeout(5).send()
        #expect(transport.exchanges.first?.context.deadline == clock.uptime + 5)
    }

    @Test func whatCannotBeBuiltIsAFailureOfEveryStyle() async throws {
        let client = NetworkClient(environment: try lab(), transport: people())
        await #expect(throws: NetworkFailure.invalidRequest()) { try await client.request(GetPerson(id: "..")) }
        await #expect(throws: NetworkFailure.invalidRequest()) {
            try await client.builder(for: GetPerson(id: "1")).header("A B", "x").send()
        }
        let response = await client.builder(for: GetPerson(id: "..")).response()
        #expect(response.error == .invalidRequest)
    }

    /// Seed 002: the cases of an enum have different answers.
    @Test func enumWhoseAnswerTheCallerNames() async throws {
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
                switch self {
                case .search(let query, let page):
                    [URLQueryItem(name: "q", value: query), URLQueryItem(name: "page", value: String(page))]
                default: nil
                }
            }
        }
        let transport = StubTransport { request, _, _ in
            request.url?.path == "/v1/search" ? answer(200, "[1,2]") : answer(200, #"{"id":"1","name":"Leia"}"#)
        }
        let client = NetworkClient(transport: transport)
        let person: Person = try await client.fetch(API.item(id: "1"))
        #expect(person == leia)
        #expect(try await client.fetch(API.search(query: "a&b", page: 2), as: [Int].self) == [1, 2])
        let fresh: Person = try await client.fetchFresh(API.item(id: "1"))
        #expect(fresh == leia)
        #expect(transport.exchanges[1].request.url?.query == "q=a%26b&page=2")
        #expect(transport.exchanges.map(\.request.cachePolicy).last == .reloadIgnoringLocalCacheData)
        let sent: Person = try await client.send(["name": "Leia"], to: API.rename(id: "1"))
        #expect(sent == leia)
        #expect(transport.exchanges.last?.body == Data(#"{"name":"Leia"}"#.utf8))
    }

    @Test func serviceTakesAnyClient() async throws {
        struct Service {
            let client: any NetworkClientProtocol
            func person() async throws -> Person { try await client.request(GetPerson(id: "1")) }
        }
        #expect(try await Service(client: NetworkClient(environment: lab(), transport: people())).person() == leia)
    }
}
