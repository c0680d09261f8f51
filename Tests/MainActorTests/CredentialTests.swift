import NetTesting
import Networking
import Testing

/// A session of the app, which belongs to the main actor, as everything here does.
private final class Session { var token: String? = "stale" }

private struct Basket { var id: Int }

nonisolated extension Basket: Endpoint {
    typealias Response = [Int]
    var path: String { "/baskets/\(id)" }
}

private struct Shop: NetworkEnvironment { var baseURL: URL }

/// Closures that read values of the main actor, and a conformance in an extension. That they compile is half of the tests.
@Suite struct CredentialTests {
    private func server() throws -> MockServer {
        try MockServer { $0.headers["Authorization"] == "Bearer fresh" ? .text("[7]") : .status(401) }
    }

    @Test func closuresBelongToTheActorWhereTheyAreWritten() async throws {
        let (server, session) = (try server(), Session())
        let auth = AuthInterceptor(tokenProvider: { session.token }, onUnauthorized: { session.token = "fresh" })
        let client = NetworkClient(environment: Shop(baseURL: server.url), interceptors: [auth])
        #expect(try await client.request(Basket(id: 1)) == [7])
        #expect(server.requests.map(\.path) == ["/baskets/1", "/baskets/1"] && session.token == "fresh")
    }

    @Test func soDoThoseThatChangeTheRequest() async throws {
        let (server, session) = (try server(), Session())
        session.token = "fresh"
        let auth = AuthInterceptor.custom(authenticate: { request in
            request.setValue("Bearer \(session.token ?? "")", forHTTPHeaderField: "Authorization")
        })
        let client = NetworkClient(environment: Shop(baseURL: server.url), interceptors: [auth])
        #expect(try await client.request(Basket(id: 2)) == [7])
    }
}
