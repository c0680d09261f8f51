import NetClient
import NetTesting
import TestLab
import Testing

@Suite struct RequestCallTests {
    private let transport = people()
    private let client: NetworkClient

    init() throws { client = NetworkClient(environment: try lab(), transport: transport) }

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
        struct Cache: HTTPCaching {
            let asked: Locked<[CachePolicy?]>
            func invalidate(for request: URLRequest) async {}
            func invalidateAll() async {}
            func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
                asked.withLock { $0.append(next.context.cachePolicy) }
                return try await next(request)
            }
        }
        let cache = Cache(asked: Locked([]))
        let client = NetworkClient(environment: try lab(), cache: cache, transport: people())
        try await client.send(Request<Person>(path: "/x"), cached: true)
        try await client.send(Request<Person>(path: "/x"))
        try await client.builder(for: Request<Person>(path: "/x")).cached().send()
        let both = CachePolicy(useCache: true, storeCache: true)
        #expect(cache.asked.withLock { $0 } == [both, nil, both])
    }

    @Test func apiClient() async throws {
        let api = LabAPI(baseURL: try lab().baseURL, client: NetworkClient(transport: transport))
        #expect(try await api.request(.get, path: "/items", body: nil) == leia)
        #expect(try await api.request(.post, path: "items", body: leia) == leia)
        try await api.request(.delete, path: "/items/1")
        #expect(transport.exchanges.map(\.request.httpMethod) == ["GET", "POST", "DELETE"])
        #expect(transport.exchanges.map(\.request.url?.path) == ["/v1/items", "/v1/items", "/v1/items/1"])
        #expect(transport.exchanges.map { $0.body != nil } == [false, true, false])
    }
}
