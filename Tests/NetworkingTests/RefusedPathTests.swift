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

    private func check(_ failure: NetworkFailure?, _ advice: String, sourceLocation: SourceLocation = #_sourceLocation)
    {
        #expect(failure?.cause == .invalidRequest, sourceLocation: sourceLocation)
        #expect(failure?.description.contains(advice) == true, sourceLocation: sourceLocation)
        #expect(transport.exchanges.isEmpty, sourceLocation: sourceLocation)
    }

    @Test(arguments: paths) func requests(_ path: String, advice: String) async throws {
        let client = try client()
        let request = Request<[Int]>(path: path)
        check(await #expect(throws: NetworkFailure.self) { try await client.send(request) }, advice)
        check(
            await #expect(throws: NetworkFailure.self) {
                try await client.upload(for: request, from: Data([1])) { _ in }
            }, advice)
        check(await client.builder(for: request).response().failure, advice)
    }

    @Test(arguments: paths) func endpoints(_ path: String, advice: String) async throws {
        let client = try client()
        let endpoint = Search(path: path)
        check(await #expect(throws: NetworkFailure.self) { let _: [Int] = try await client.request(endpoint) }, advice)
        check(
            await #expect(throws: NetworkFailure.self) { try await client.builder(for: endpoint).timeout(5).send() },
            advice)
        check(await #expect(throws: NetworkFailure.self) { try await client.webSocket(to: endpoint) }, advice)
        check(
            await #expect(throws: NetworkFailure.self) {
                try await client.download(from: endpoint, to: nil).task.value
            }, advice)
    }

    @Test(arguments: paths) func apiClients(_ path: String, advice: String) async throws {
        let shop = Shop(baseURL: try #require(URL(string: "https://a.example")), client: try client())
        check(
            await #expect(throws: NetworkFailure.self) { let _: [Int] = try await shop.request(.get, path: path) },
            advice)
    }

    @Test func aRelativeURLHasAQuery() async throws {
        let networking = Networking(client: try client())
        let values: [Int] = try await networking.request(url: try #require(URL(string: "search?q=x")))
        #expect(values == [1])
        #expect(transport.exchanges.first?.request.url?.absoluteString == "https://a.example/search?q=x")
    }
}
