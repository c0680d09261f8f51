import Foundation
import NetTesting
import Networking
import Testing

/// Each front door with a model of the main actor, which is decoded and encoded there, and with one of none, which is not. Sending is
/// never on the main actor.
struct FrontDoorTests {
    let url = URL(string: "https://api.example.com/x") ?? URL(fileURLWithPath: "/")
    let client = NetworkClient(environment: Backend(), transport: makeTransport())
    let mine = Seen(decodedOnMain: true)
    let shared = Seen(decodedOnMain: false)
    let minePosted = Seen(decodedOnMain: true, encodedOnMain: true)
    let sharedPosted = Seen(decodedOnMain: false, encodedOnMain: false)
    let headers: HTTPHeaders = ["X-A": "1"]
    let json: [String: JSONValue] = ["a": ["b": 1]]

    var networking: Networking { Networking(client: client) }

    @Test func theFacadesValues() async throws {
        let a: Mine = try await networking.request(url: url)
        let b: Shared = try await networking.request(url: url)
        let c: [Mine]? = try? await networking.request(url: url)
        #expect(Seen(a) == mine && Seen(b) == shared && c == nil)
        let d: Mine = try await networking.request(RequestConfig(url: url))
        let e: Shared = try await networking.request(RequestConfig(url: url))
        #expect(Seen(d) == mine && Seen(e) == shared)
        let f: Mine = try await networking.request(url: url, headers: headers)
        let g: Shared = try await networking.request(url: url, headers: headers)
        #expect(Seen(f) == mine && Seen(g) == shared)
        let h: Mine = try await networking.request(url: url, method: .post, bodyParameters: json)
        let i: Shared = try await networking.request(url: url, method: .post, bodyParameters: json, headers: headers)
        #expect(Seen(h) == mine && Seen(i) == shared)
        let j: Mine = try await networking.request(url: url, method: .post, bodyParameters: json, headers: headers)
        #expect(Seen(j) == mine)
        #expect(isOnMainQueue())
    }

    @Test func theFacadesResponses() async throws {
        let a: NetworkResponse<Mine> = await networking.request(url: url)
        let b: NetworkResponse<Shared> = await networking.request(url: url)
        #expect(try Seen(a.get()) == mine && Seen(b.get()) == shared)
        let c: NetworkResponse<Mine> = await networking.request(url: url, headers: headers)
        let d: NetworkResponse<Mine> = await networking.request(url: url, method: .post, body: Mine())
        let e: NetworkResponse<Mine> = await networking.request(url: url, method: .post, body: Mine(), headers: headers)
        let f: NetworkResponse<Mine> = await networking.request(url: url, method: .post, bodyParameters: json)
        #expect(try Seen(c.get()) == mine && Seen(f.get()) == mine)
        #expect(try Seen(d.get()) == minePosted && Seen(e.get()) == minePosted)
        let g: NetworkResponse<Shared> = await networking.request(url: url, method: .post, body: Shared())
        #expect(try Seen(g.get()) == sharedPosted)
    }

    @Test func bodies() async throws {
        let a: Mine = try await networking.request(url: url, method: .post, body: Mine())
        let b: Shared = try await networking.request(url: url, method: .post, body: Shared(), headers: headers)
        #expect(Seen(a) == minePosted && Seen(b) == sharedPosted)
        // Bodies of the main actor behind answers that belong to no actor: they are encoded on it all the same.
        let c: Shared = try await networking.request(url: url, method: .post, body: Mine())
        #expect(Seen(c) == Seen(decodedOnMain: false, encodedOnMain: true))
        let d = try await client.request(PostMine(model: Mine()))
        #expect(Seen(d) == minePosted)
        let e: Shared = try await client.send(Mine(), to: GetPosted())
        #expect(Seen(e) == Seen(decodedOnMain: false, encodedOnMain: true))
        let f: Mine = try await client.send(Mine(), to: GetPosted())
        #expect(Seen(f) == minePosted)
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
        let bodies = try transport.exchanges.map { exchange in
            try JSONDecoder().decode(Report.self, from: exchange.body ?? Data())
        }
        #expect(bodies.count >= 3 && bodies.allSatisfy { $0.encodedOnMain == true })
    }

    @Test func completions() async throws {
        let onMain = Seen(decodedOnMain: true, encodedOnMain: true)
        let sharedOnMain = Seen(decodedOnMain: false, encodedOnMain: true)
        #expect(await answer { networking.request(url: url, completion: $0) } == mine)
        #expect(await answer { networking.request(RequestConfig(url: url), completion: $0) } == mine)
        #expect(await answer { networking.request(url: url, headers: headers, completion: $0) } == mine)
        #expect(await answer { networking.request(url: url, method: .post, body: Mine(), completion: $0) } == onMain)
        #expect(
            await answer { networking.request(url: url, method: .post, bodyParameters: json, completion: $0) } == mine)
        #expect(await answer { networking.chain(RequestConfig(url: url)).responseDecodable(completion: $0) } == mine)
        #expect(await sharedAnswer { networking.request(url: url, completion: $0) } == shared)
        #expect(
            await sharedAnswer { networking.request(url: url, method: .post, body: Shared(), completion: $0) }
                == sharedOnMain)
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
        let a = try await client.request(GetMine())
        let b = try await client.request(GetShared())
        #expect(Seen(a) == mine && Seen(b) == shared)
        let c = try await client.builder(for: GetMine()).timeout(5).send()
        let d = try await client.builder(for: GetShared()).send()
        #expect(Seen(c) == mine && Seen(d) == shared)
        let e = await client.builder(for: GetMine()).response()
        let f = await client.builder(for: GetShared()).response()
        #expect(try Seen(e.get()) == mine && Seen(f.get()) == shared)
        let g = try await client.fetch(GetMine(), as: Mine.self)
        let h = try await client.fetchFresh(GetMine(), as: Mine.self)
        let i = try await client.fetch(GetMine(), as: Shared.self)
        #expect(Seen(g) == mine && Seen(h) == mine && Seen(i) == shared)
    }

    @Test func requestsAsValues() async throws {
        let a = try await client.send(Request<Mine>(path: "/x"))
        let b = try await client.send(Request<Shared>(path: "/x"))
        let c = try await client.send(Request<Mine>(path: "/x"), retryPolicy: .none)
        let d = try await client.builder(for: Request<Mine>(path: "/x")).send()
        #expect(Seen(a) == mine && Seen(b) == shared && Seen(c) == mine && Seen(d) == mine)
        let e: Mine = try await client.execute(URLRequest(url: url))
        let f: Shared = try await client.execute(URLRequest(url: url))
        #expect(Seen(e) == mine && Seen(f) == shared)
        let posted = try await client.send(Request<Mine>(method: .post, path: "/x", body: Mine()))
        #expect(Seen(posted) == minePosted)
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
        let a = try await client.request(GetMine())
        let b = try await client.request(GetShared())
        let c = try await client.send(Request<Mine>(path: "/x"))
        let d = try await client.send(Request<Shared>(path: "/x"), cached: nil)
        let e: Mine = try await client.execute(URLRequest(url: url))
        let f: Shared = try await client.execute(URLRequest(url: url))
        #expect(Seen(a) == mine && Seen(b) == shared && Seen(c) == mine)
        #expect(Seen(d) == shared && Seen(e) == mine && Seen(f) == shared)
    }

    /// Code that knows an endpoint as a generic parameter only.
    @Test func aDecorator() async throws {
        let client = Counting(base: client)
        #expect(Seen(try await client.request(GetMine())) == mine)
        #expect(Seen(try await client.request(GetShared())).sentOnMain == false)
        await #expect(throws: NetworkFailure.self) { try await client.request(GetNothing()) }
        let failure = await #expect(throws: NetworkFailure.self) { try await self.client.request(GetNothing()) }
        guard case .unsupported = failure?.cause else {
            Issue.record("\(failure as Any)")
            return
        }
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
    @Test func codeThatKnowsNothingOfTheTypeDoesNotDecodeItElsewhere() async throws {
        func send<E: Endpoint>(_ endpoint: E, by client: any NetworkClientProtocol) async throws -> Bool {
            try await Task.detached { _ = try await client.request(endpoint) }.value
            return true
        }
        #expect(try await send(GetShared(), by: client))
        let failure = await #expect(throws: NetworkFailure.self) { _ = try await send(GetMine(), by: client) }
        #expect(failure?.cause.localizedDescription.isEmpty == false)
    }

    @Test func aDoubleAnswersBoth() async throws {
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

    private func answer(
        _ send: (@escaping @Sendable @MainActor (NetworkResponse<Mine>) -> Void) -> RequestChain
    ) async -> Seen? {
        await withCheckedContinuation { continuation in
            _ = send { response in
                #expect(isOnMainQueue())
                continuation.resume(returning: response.value.map { Seen($0) })
            }
        }
    }

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
        let value: Shared? = await withCheckedContinuation { continuation in
            _ = send { response in continuation.resume(returning: response.value) }
        }
        return value.map { Seen($0) }
    }
}
