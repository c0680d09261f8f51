import NetTesting
import Networking
import Testing

/// A path with a query, or a whole URL as a path: refused before anything is sent, by each call that takes a path, with what to write.
@Suite struct RefusedPathTests {
    private struct Search: Endpoint {
        let path: String
        typealias Response = [Int]
    }

    private struct Shop: APIClient {
        let baseURL: URL
        let client: NetworkClient
    }

    private struct Server: NetworkEnvironment { let baseURL: URL }

    private static let paths = [
        ("/search?q=x", "queryItems"), ("search?", "pathComponents"), ("https://a.example/x", "Request(absoluteURL:)"),
    ]

    private let transport = StubTransport { _, _, _ in TransportResponse(status: 200, url: nil, body: HTTPBody("[1]")) }

    private func client() throws -> NetworkClient {
        NetworkClient(
            environment: Server(baseURL: try #require(URL(string: "https://a.example"))), transport: transport)
    }

    private func check(
        _ advice: String, sourceLocation: SourceLocation = #_sourceLocation, _ call: () async throws -> some Any
    ) async {
        let failure = await #expect(throws: NetworkFailure.self, sourceLocation: sourceLocation) {
            _ = try await call()
        }
        #expect(failure?.cause == .invalidRequest, sourceLocation: sourceLocation)
        #expect(failure?.description.contains(advice) == true, sourceLocation: sourceLocation)
        #expect(transport.exchanges.isEmpty, sourceLocation: sourceLocation)
    }

    @Test(arguments: paths) func pathOfARequest(_ path: String, advice: String) async throws {
        let client = try client()
        let request = Request<[Int]>(path: path)
        await check(advice) { try await client.send(request) }
        await check(advice) { try await client.upload(for: request, from: Data([1])) { _ in } }
        let failure = await client.builder(for: request).response().failure
        await check(advice) { if let failure { throw failure } }
    }

    @Test(arguments: paths) func pathOfAnEndpoint(_ path: String, advice: String) async throws {
        let client = try client()
        let endpoint = Search(path: path)
        await check(advice) { try await client.request(endpoint) as [Int] }
        await check(advice) { try await client.builder(for: endpoint).timeout(5).send() }
        await check(advice) { try await client.webSocket(to: endpoint) }
        await check(advice) { try await client.download(from: endpoint, to: nil).task.value }
    }

    @Test(arguments: paths) func pathOfAnAPIClient(_ path: String, advice: String) async throws {
        let shop = Shop(baseURL: try #require(URL(string: "https://a.example")), client: try client())
        await check(advice) { try await shop.request(.get, path: path) as [Int] }
    }

    @Test func queryOfARelativeURLIsKept() async throws {
        let networking = Networking(client: try client())
        let values: [Int] = try await networking.request(url: try #require(URL(string: "search?q=x")))
        #expect(values == [1])
        #expect(transport.exchanges.first?.request.url?.absoluteString == "https://a.example/search?q=x")
    }
}
