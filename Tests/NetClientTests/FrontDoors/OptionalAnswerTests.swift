import NetClient
import NetTesting
import TestLab
import Testing

/// An optional response type, by each front door of the client.
@Suite struct OptionalAnswerTests {
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
        let found = NetworkClient(environment: try lab(), transport: people())
        #expect(try await found.request(FindPerson()) as Person? == leia)
    }
}
