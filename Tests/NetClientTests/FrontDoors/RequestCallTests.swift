@Suite struct RequestCallTests {
    private let transport = people()
    private let client: NetworkClient
    private let api: LabAPI

    init() throws {
        client = NetworkClient(environment: try lab(), transport: transport)
        api = LabAPI(baseURL: try lab().baseURL, client: client)
    }

    @Test func pathQueryAndBody() async throws {
        let request = Request<Person>(
            method: .post, path: "/people", query: ["page": 2, "q": "a b"], queryItems: [.init(name: "x", value: "+")],
            queryObject: ["z": [1, 2]], body: leia, headers: ["X-A": "1"], timeoutInterval: 9)
        #expect(try await client.send(request) == leia)
        let sent = try #require(transport.exchanges.first)
        #expect(sent.request.url?.absoluteString == "https://a.example/v1/people?page=2&q=a%20b&x=%2B&z=1&z=2")
        #expect(sent.request.httpMethod == "POST" && sent.request.timeoutInterval == 9)
        #expect(sent.request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(sent.request.value(forHTTPHeaderField: "X-A") == "1")
        #expect(try JSONDecoder().decode(Person.self, from: sent.body ?? Data()) == leia)
    }

    @Test func absoluteURLAndCachePolicyOfFoundationAreKept() async throws {
        let url = try url("https://b.example/a%2Fb?x=1")
        try await client.send(Request<Person>(method: .get, absoluteURL: url))
        try await client.send(Request<Person>(path: "/x", cachePolicy: .returnCacheDataElseLoad))
        #expect(transport.exchanges.first?.request.url == url)
        #expect(transport.exchanges.last?.request.cachePolicy == .returnCacheDataElseLoad)
    }

    @Test func emptyResponseAndRawBody() async throws {
        let transport = StubTransport { _, _, _ in answer(204) }
        var request = Request<EmptyResponse>(method: .put, path: "/file")
        request.rawBody = HTTPBody("raw")
        _ = try await NetworkClient(environment: try lab(), transport: transport).send(request)
        #expect(transport.exchanges.first?.body == Data("raw".utf8))
    }

    @Test func cachedSetsTheCachePolicy() async throws {
        let asked = Locked<[CachePolicy?]>([])
        let cache = StubCache { request, next in
            asked.withLock { $0.append(next.context.cachePolicy) }
            return try await next(request)
        }
        let client = NetworkClient(environment: try lab(), cache: cache, transport: people())
        try await client.send(Request<Person>(path: "/x"), cached: true)
        try await client.send(Request<Person>(path: "/x"))
        try await client.builder(for: Request<Person>(path: "/x")).cached().send()
        let both = CachePolicy(useCache: true, storeCache: true)
        #expect(asked.withLock { $0 } == [both, nil, both])
    }

    @Test func apiClient() async throws {
        #expect(try await api.request(.get, path: "/items", body: nil) == leia)
        #expect(try await api.request(.post, path: "items", body: leia) == leia)
        try await api.request(.delete, path: "/items/1")
        #expect(transport.exchanges.map(\.request.httpMethod) == ["GET", "POST", "DELETE"])
        #expect(transport.exchanges.map(\.request.url?.path) == ["/v1/items", "/v1/items", "/v1/items/1"])
        #expect(transport.exchanges.map { $0.body != nil } == [false, true, false])
    }

    // MARK: By each front door of the client

    private struct Search: Endpoint {
        var allowsBodyOnGet = false
        var path: String { "/search" }
        var body: (any Encodable & Sendable)? { ["q": "x"] }
        typealias Response = Person
    }

    @Test func bodyOnGetIsRefusedBeforeSending() async throws {
        let calls: [@Sendable () async throws -> Person] = [
            { try await client.request(Search()) }, { try await client.builder(for: Search()).send() },
            { try await client.fetch(Search()) }, { try await client.send(["q": "x"], to: GetPerson(id: "1")) },
            { try await client.send(Request<Person>(path: "/search", body: ["q": "x"])) },
            { try await client.send(Request<Person>(method: .head, path: "/search", body: ["q": "x"])) },
            { try await api.request(.get, path: "/search", body: ["q": "x"]) },
        ]
        for call in calls {
            let failure = try await failure { try await call() }
            #expect(failure.cause == .invalidRequest && failure.underlyingError is RequestBuildingError)
        }
        #expect(transport.exchanges.isEmpty)
    }

    @Test func bodyOnGetIsSentIfAllowed() async throws {
        try await client.request(Search(allowsBodyOnGet: true))
        var request = Request<Person>(path: "/search", body: ["q": "x"])
        request.allowsBodyOnGet = true
        try await client.send(request)
        var plain = URLRequest(url: try lab().baseURL)
        plain.httpBody = Data(#"{"q":"x"}"#.utf8)
        _ = try await client.response(for: plain)
        #expect(transport.exchanges.map(\.body) == [Data?](repeating: Data(#"{"q":"x"}"#.utf8), count: 3))
        #expect(transport.exchanges.allSatisfy { $0.request.httpMethod == "GET" })
    }

    private struct FindPerson: Endpoint {
        var path: String { "/people/1" }
        typealias Response = Person?
    }

    @Test(arguments: [200, 204]) func optionalIsNilWithoutABody(_ status: Int) async throws {
        let transport = StubTransport { _, _, _ in answer(status, "") }
        let client = NetworkClient(environment: try lab(), transport: transport)
        let api = LabAPI(baseURL: try lab().baseURL, client: client)
        let calls: [@Sendable () async throws -> Person?] = [
            { try await client.request(FindPerson()) }, { try await client.builder(for: FindPerson()).send() },
            { try await client.fetch(GetPerson(id: "1")) },
            { try await client.send(Request<Person?>(path: "/people/1")) },
            { try await api.request(.get, path: "/people/1") },
        ]
        for call in calls { #expect(try await call() == nil) }
        let response = await client.builder(for: FindPerson()).response()
        #expect(response.isSuccess && response.value == .some(nil))
        #expect(try await failure { try await client.request(GetPerson(id: "1")) as Person }.cause == .noData)
        #expect(try await self.client.request(FindPerson()) as Person? == leia)
    }
}
