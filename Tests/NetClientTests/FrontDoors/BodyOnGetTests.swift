import NetClient
import NetTesting
import TestLab
import Testing

/// A body on GET, by each front door of the client.
@Suite struct BodyOnGetTests {
    private struct Search: Endpoint {
        var allowsBodyOnGet = false
        var path: String { "/search" }
        var body: (any Encodable & Sendable)? { ["q": "x"] }
        typealias Response = Person
    }

    @Test func bodyOnGetIsRefusedBeforeSending() async throws {
        let transport = people()
        let client = NetworkClient(environment: try lab(), transport: transport)
        let api = LabAPI(baseURL: try lab().baseURL, client: client)
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
        let transport = people()
        let client = NetworkClient(environment: try lab(), transport: transport)
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
}
