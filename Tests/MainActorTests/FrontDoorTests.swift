import NetTesting
import Networking
import Testing

/// Each front door with a model of the main actor, which is decoded and encoded there, and with one of none, which is not. Sending is
/// never on the main actor.
struct FrontDoorTests {
    let url = URL(string: "https://api.example.com/x") ?? URL(fileURLWithPath: "/")
    let client = NetworkClient(environment: Backend(), transport: makeTransport())
    let mine = Seen(decodedOnMain: true), shared = Seen(decodedOnMain: false)
    let minePosted = Seen(decodedOnMain: true, encodedOnMain: true)
    let sharedPosted = Seen(decodedOnMain: false, encodedOnMain: false)
    let headers: HTTPHeaders = ["X-A": "1"]
    let json: [String: JSONValue] = ["a": ["b": 1]]

    var networking: Networking { Networking(client: client) }

    @Test func valuesOfTheFacade() async throws {
        let a: Mine = try await networking.request(url: url)
        let b: Mine = try await networking.request(RequestConfig(url: url))
        let c: Mine = try await networking.request(url: url, headers: headers)
        let d: Mine = try await networking.request(url: url, method: .post, bodyParameters: json)
        let e: Mine = try await networking.request(url: url, method: .post, bodyParameters: json, headers: headers)
        #expect([a, b, c, d, e].map { Seen($0) } == Array(repeating: mine, count: 5))
        let f: Shared = try await networking.request(url: url)
        let g: Shared = try await networking.request(RequestConfig(url: url))
        let h: Shared = try await networking.request(url: url, headers: headers)
        let i: Shared = try await networking.request(url: url, method: .post, bodyParameters: json, headers: headers)
        #expect([f, g, h, i].map { Seen($0) } == Array(repeating: shared, count: 4))
        let j: [Mine]? = try? await networking.request(url: url)
        #expect(j == nil && isOnMainQueue())
    }

    @Test func responsesOfTheFacade() async throws {
        let a: NetworkResponse<Mine> = await networking.request(url: url)
        let b: NetworkResponse<Shared> = await networking.request(url: url)
        let c: NetworkResponse<Mine> = await networking.request(url: url, headers: headers)
        let d: NetworkResponse<Mine> = await networking.request(url: url, method: .post, body: Mine())
        let e: NetworkResponse<Mine> = await networking.request(url: url, method: .post, body: Mine(), headers: headers)
        let f: NetworkResponse<Mine> = await networking.request(url: url, method: .post, bodyParameters: json)
        let g: NetworkResponse<Shared> = await networking.request(url: url, method: .post, body: Shared())
        #expect(try [a, c, d, e, f].map { try Seen($0.get()) } == [mine, mine, minePosted, minePosted, mine])
        #expect(try Seen(b.get()) == shared && Seen(g.get()) == sharedPosted)
    }

    @Test func bodies() async throws {
        let a: Mine = try await networking.request(url: url, method: .post, body: Mine())
        let b: Shared = try await networking.request(url: url, method: .post, body: Shared(), headers: headers)
        let c = try await client.request(PostMine(model: Mine()))
        let d: Mine = try await client.send(Mine(), to: GetPosted())
        #expect(Seen(a) == minePosted && Seen(b) == sharedPosted && Seen(c) == minePosted && Seen(d) == minePosted)
        // Bodies of the main actor behind answers that belong to no actor: they are encoded on it all the same.
        let e: Shared = try await networking.request(url: url, method: .post, body: Mine())
        let f: Shared = try await client.send(Mine(), to: GetPosted())
        let encodedOnMain = Seen(decodedOnMain: false, encodedOnMain: true)
        #expect(Seen(e) == encodedOnMain && Seen(f) == encodedOnMain)
    }

    @Test func aBodyWithoutAnAnswerIsEncodedOnTheMainActor() async throws {
        let transport = makeTransport()
        let networking = Networking(client: NetworkClient(transport: transport))
        try await networking.request(url: url, method: .post, body: Mine())
        let config = RequestConfig(url: url, method: .post, body: Mine())
        let response: NetworkResponse<Void> = await networking.request(config)
        #expect(response.isSuccess)
        networking.request(url: url, method: .post, body: Mine()).resume()
        await withCheckedContinuation { continuation in
            networking.request(url: url, method: .post, body: Mine()).responseVoid { _ in continuation.resume() }
        }
        let bodies = try transport.exchanges.map { try JSONDecoder().decode(Report.self, from: $0.body ?? Data()) }
        #expect(bodies.count >= 3 && bodies.allSatisfy { $0.encodedOnMain == true })
    }

    @Test func completions() async throws {
        #expect(await answer { networking.request(url: url, completion: $0) } == mine)
        #expect(await answer { networking.request(RequestConfig(url: url), completion: $0) } == mine)
        #expect(await answer { networking.request(url: url, headers: headers, completion: $0) } == mine)
        let posted = await answer { networking.request(url: url, method: .post, body: Mine(), completion: $0) }
        #expect(posted == minePosted)
        let sent = await answer { networking.request(url: url, method: .post, bodyParameters: json, completion: $0) }
        #expect(sent == mine)
        #expect(await answer { networking.chain(RequestConfig(url: url)).responseDecodable(completion: $0) } == mine)
        #expect(await sharedAnswer { networking.request(url: url, completion: $0) } == shared)
        let other = await sharedAnswer { networking.request(url: url, method: .post, body: Shared(), completion: $0) }
        #expect(other == Seen(decodedOnMain: false, encodedOnMain: true))
        #expect(await answerOnQueue { networking.request(url: url, queue: .global(), completion: $0) } == shared)
    }

    /// What is written without a name for the type: the closure says it.
    @Test func aCompletionThatSaysItsType() async {
        let user = await withCheckedContinuation { continuation in
            networking.request(url: url) { (response: NetworkResponse<Mine>) in
                #expect(isOnMainQueue())
                continuation.resume(returning: response.value)
            }
        }
        #expect(user.map { Seen($0) } == mine)
    }

    @Test func endpoints() async throws {
        #expect(try await Seen(client.request(GetMine())) == mine)
        #expect(try await Seen(client.request(GetShared())) == shared)
        #expect(try await Seen(client.builder(for: GetMine()).timeout(5).send()) == mine)
        #expect(try await Seen(client.builder(for: GetShared()).send()) == shared)
        #expect(try await Seen(client.builder(for: GetMine()).response().get()) == mine)
        #expect(try await Seen(client.builder(for: GetShared()).response().get()) == shared)
        #expect(try await Seen(client.fetch(GetMine(), as: Mine.self)) == mine)
        #expect(try await Seen(client.fetchFresh(GetMine(), as: Mine.self)) == mine)
        #expect(try await Seen(client.fetch(GetMine(), as: Shared.self)) == shared)
    }

    @Test func requestsAsValues() async throws {
        #expect(try await Seen(client.send(Request<Mine>(path: "/x"))) == mine)
        #expect(try await Seen(client.send(Request<Shared>(path: "/x"))) == shared)
        #expect(try await Seen(client.send(Request<Mine>(path: "/x"), retryPolicy: .none)) == mine)
        #expect(try await Seen(client.builder(for: Request<Mine>(path: "/x")).send()) == mine)
        let e: Mine = try await client.execute(URLRequest(url: url))
        let f: Shared = try await client.execute(URLRequest(url: url))
        #expect(Seen(e) == mine && Seen(f) == shared)
        let posted = Request<Mine>(method: .post, path: "/x", body: Mine())
        #expect(try await Seen(client.send(posted)) == minePosted)
    }

    @Test func aClientOfOneAPI() async throws {
        struct API: APIClient {
            let baseURL: URL
            let client: NetworkClient
        }
        let api = API(baseURL: url, client: client)
        let a: Mine = try await api.request(.get, path: "/x")
        let b: Shared = try await api.request(.post, path: "/x", body: Shared())
        let c: Mine = try await api.request(.post, path: "/x", body: Mine())
        try await api.request(.post, path: "/x", body: Mine())
        #expect(Seen(a) == mine && Seen(b) == sharedPosted && Seen(c) == minePosted)
    }

    @Test func anyClient() async throws {
        let client: any NetworkClientProtocol = client
        #expect(try await Seen(client.request(GetMine())) == mine)
        #expect(try await Seen(client.request(GetShared())) == shared)
        #expect(try await Seen(client.send(Request<Mine>(path: "/x"))) == mine)
        #expect(try await Seen(client.send(Request<Shared>(path: "/x"), cached: nil)) == shared)
        let e: Mine = try await client.execute(URLRequest(url: url))
        let f: Shared = try await client.execute(URLRequest(url: url))
        #expect(Seen(e) == mine && Seen(f) == shared)
    }

    /// Code that knows an endpoint as a generic parameter only.
    @Test func clientDecorator() async throws {
        let client = Counting(base: client)
        #expect(Seen(try await client.request(GetMine())) == mine)
        #expect(Seen(try await client.request(GetShared())).report.sentOnMain == false)
        await #expect(throws: NetworkFailure.self) { try await client.request(GetNothing()) }
        let failure = await #expect(throws: NetworkFailure.self) { try await self.client.request(GetNothing()) }
        #expect(failure?.code == "unsupported")
    }

    private struct Counting: NetworkClientProtocol {
        let base: any NetworkClientProtocol

        nonisolated(nonsending) func request<E: Endpoint>(_ endpoint: E) async throws(NetworkFailure) -> E.Response {
            try await base.request(endpoint)
        }
        nonisolated(nonsending) func send<Value>(
            _ request: Request<Value>, cached: Bool?
        ) async throws(NetworkFailure) -> Value {
            try await base.send(request, cached: cached)
        }
        nonisolated(nonsending) func execute<Value: Decodable>(
            _ request: URLRequest
        ) async throws(NetworkFailure) -> Value {
            throw .noConnection()
        }
    }

    private struct GetNothing: Endpoint {
        struct Response {}
        var path: String { "/" }
    }

    private struct GetPosted: Endpoint {
        var path: String { "/x" }
        var method: HTTPMethod { .post }
    }

    /// A model whose conformance belongs to the main actor cannot be decoded elsewhere, and says so.
    @Test func isolatedModelIsNotDecodedOffItsActor() async throws {
        func send<E: Endpoint>(_ endpoint: E, by client: any NetworkClientProtocol) async throws -> Bool {
            try await Task.detached { _ = try await client.request(endpoint) }.value
            return true
        }
        #expect(try await send(GetShared(), by: client))
        let failure = await #expect(throws: NetworkFailure.self) { _ = try await send(GetMine(), by: client) }
        #expect(failure?.cause.localizedDescription.isEmpty == false)
    }

    @Test func mockAnswersIsolatedAndSharedModels() async throws {
        let mock = MockNetworkClient()
        await mock.stub(GetMine.self) { _ in await Mine() }
        await mock.stub(GetShared.self) { _ in Shared() }
        let client: any NetworkClientProtocol = mock
        _ = try await client.request(GetMine())
        _ = try await client.request(GetShared())
        _ = try await mock.request(GetMine())
        #expect(await mock.callCount(for: GetMine.self) == 2)
    }

    // MARK: Callbacks as values

    private func sharedAnswer(
        _ send: (@escaping @Sendable @MainActor (NetworkResponse<Shared>) -> Void) -> RequestChain
    ) async -> Seen? {
        await withCheckedContinuation { continuation in
            _ = send { response in
                #expect(isOnMainQueue())
                continuation.resume(returning: response.value.map { Seen($0) })
            }
        }
    }

    private func answerOnQueue(
        _ send: (@escaping @Sendable (NetworkResponse<Shared>) -> Void) -> RequestChain
    ) async -> Seen? {
        let value = await withCheckedContinuation { continuation in
            _ = send { continuation.resume(returning: $0.value) }
        }
        return value.map { Seen($0) }
    }
}
