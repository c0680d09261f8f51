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

    @Test func closuresRunOnTheActorOfTheirScope() async throws {
        let (server, session) = (try server(), Session())
        let auth = AuthInterceptor(tokenProvider: { session.token }, onUnauthorized: { session.token = "fresh" })
        let client = NetworkClient(environment: Shop(baseURL: server.url), interceptors: [auth])
        #expect(try await client.request(Basket(id: 1)) == [7])
        #expect(server.requests.map(\.path) == ["/baskets/1", "/baskets/1"] && session.token == "fresh")
    }

    @Test func requestChangesRunOnTheirActor() async throws {
        let (server, session) = (try server(), Session())
        session.token = "fresh"
        let auth = AuthInterceptor.custom(authenticate: { request in
            request.setValue("Bearer \(session.token ?? "")", forHTTPHeaderField: "Authorization")
        })
        let client = NetworkClient(environment: Shop(baseURL: server.url), interceptors: [auth])
        #expect(try await client.request(Basket(id: 2)) == [7])
    }
}

/// A web step of an app whose declarations belong to the main actor.
@Suite struct WebStepTests {
    final class Browser {
        var page: URL?

        func open(_ page: URL) async throws -> URL {
            self.page = page
            return try #require(URL(string: "myapp://callback?code=1"))
        }
    }

    @Test func webStepClosureRunsOnTheMainActor() async throws {
        let browser = Browser()
        let redirect = try #require(URL(string: "myapp://callback"))
        let step = OAuthClient.WebStep { try await browser.open(try $0(redirect)) }
        let callback = try await step.callback { $0.appendingPathComponent("page") }
        #expect(callback.query == "code=1" && browser.page?.lastPathComponent == "page")
    }
}

struct RequestStateTests {
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    @Test func aModelOfTheMainActorIsLoaded() async {
        let client = NetworkClient(environment: Backend(), transport: makeTransport())
        let state = RequestState { try await client.request(GetMine()) }
        await state.load()
        #expect(state.value.map { Seen($0) } == Seen(decodedOnMain: true))
        let other = RequestState { try await client.builder(for: GetMine()).send() }
        await other.load()
        #expect(other.value.map { Seen($0) } == Seen(decodedOnMain: true))
        let shared = RequestState { try await client.builder(for: GetShared()).send() }
        await shared.load()
        #expect(shared.value.map { Seen($0) } == Seen(decodedOnMain: false))
    }
}
