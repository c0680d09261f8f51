import NetClient
import NetTesting
import NetTransfer
import Testing

/// A client that is filled without `await`, as in a `#Preview`.
@Suite struct MockNetworkClientPreparationTests {
    private struct User: Decodable, Sendable, Equatable { let name: String }

    private struct GetUser: Endpoint {
        typealias Response = User
        var path: String { "/user" }
    }

    /// Synchronous, as the body of a preview.
    private func preview() -> MockNetworkClient {
        MockNetworkClient { mock in
            mock.stub(GetUser.self) { _ in User(name: "Leia") }
            mock.stubSequence(.get, "/users", responses: ["one", "two"])
            mock.stub(.get, "/gone") { (_: Request<String>) in throw NetworkError.noInternetConnection }
        }
    }

    @Test func answersWhatItWasMadeWith() async throws {
        let mock = preview()
        #expect(try await mock.request(GetUser()) == User(name: "Leia"))
        #expect(try await mock.send(Request<String>(path: "/users")) == "one")
        #expect(try await mock.send(Request<String>(path: "/users")) == "two")
        await #expect(throws: NetworkFailure.self) { try await mock.send(Request<String>(path: "/gone")) }
        #expect(await mock.callCount(for: GetUser.self) == 1)
    }

    @Test func earlyStubsCanBeReplacedAndForgotten() async throws {
        let mock = preview()
        await mock.stub(GetUser.self) { _ in User(name: "Luke") }
        #expect(try await mock.request(GetUser()) == User(name: "Luke"))
        await mock.reset()
        await #expect(throws: NetworkFailure.self) { try await mock.request(GetUser()) }
        await #expect(throws: NetworkFailure.self) { try await mock.send(Request<String>(path: "/users")) }
    }
}
