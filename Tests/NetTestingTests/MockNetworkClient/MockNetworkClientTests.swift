import NetClient
import NetTesting
import TestLab
import Testing

/// Seed 003, Testing with MockNetworkClient, and what is beyond it.
@Suite struct MockNetworkClientTests {
    struct User: Codable, Hashable, Sendable { let id: String, name: String, email: String }

    struct GetUserEndpoint: Endpoint {
        let id: String
        var path: String { "/users/\(id)" }
        typealias Response = User
    }

    struct OtherEndpoint: Endpoint {
        var path: String { "/other" }
        typealias Response = User
    }

    final class UserService: Sendable {
        private let client: any NetworkClientProtocol
        init(client: any NetworkClientProtocol) { self.client = client }
        func getUser(id: String) async throws -> User { try await client.request(GetUserEndpoint(id: id)) }
    }

    let mockClient = MockNetworkClient()
    let users = ["a", "b"].map { User(id: $0, name: $0, email: "") }

    @Test func getUser() async throws {
        let userService = UserService(client: mockClient)
        await mockClient.stub(GetUserEndpoint.self) { endpoint in
            User(id: endpoint.id, name: "John", email: "john@example.com")
        }
        let user = try await userService.getUser(id: "123")
        #expect((user.name, user.id) == ("John", "123"))
        #expect(await mockClient.callCount(for: GetUserEndpoint.self) == 1)
        #expect(await mockClient.wasCalled(GetUserEndpoint.self))
        #expect(await !mockClient.wasCalled(OtherEndpoint.self))
        #expect(await mockClient.calledEndpoints(of: GetUserEndpoint.self).map(\.id) == ["123"])
    }

    @Test func getUserError() async throws {
        await mockClient.stubError(GetUserEndpoint.self, error: .notFound())
        let failure = try await failure { try await UserService(client: mockClient).getUser(id: "invalid") }
        #expect(failure.kind == .notFound)
    }

    @Test func delayIsSleptByTheClock() async throws {
        let clock = TestClock()
        let mock = MockNetworkClient(clock: clock)
        await mock.stub(GetUserEndpoint.self, delay: 0.5) { _ in User(id: "1", name: "John", email: "") }
        let before = clock.uptime
        let user = try await clock.run { try await mock.request(GetUserEndpoint(id: "1")) }
        #expect((user.name, clock.uptime - before, clock.sleeps) == ("John", 0.5, [0.5]))
    }

    @Test func sequences() async throws {
        await mockClient.stubSequence(GetUserEndpoint.self, responses: users)
        for user in users { #expect(try await mockClient.request(GetUserEndpoint(id: "1")) == user) }
        let end = await #expect(throws: NetworkFailure.self) { try await mockClient.request(GetUserEndpoint(id: "1")) }
        #expect(end?.kind == .unsupported)
        await mockClient.stubSequence(
            GetUserEndpoint.self, sequence: [.success(users[0]), .failure(.timeout()), .success(users[1])])
        #expect(try await mockClient.request(GetUserEndpoint(id: "1")) == users[0])
        await #expect(throws: NetworkFailure.timeout()) { try await mockClient.request(GetUserEndpoint(id: "1")) }
        #expect(try await mockClient.request(GetUserEndpoint(id: "1")) == users[1])
        #expect(await mockClient.callCount(for: GetUserEndpoint.self) == 6)
    }

    @Test func unstubbedRequestIsNamedInTheError() async throws {
        let endpoint = try await failure { try await mockClient.request(GetUserEndpoint(id: "1")) }
        #expect(endpoint.description.contains("GetUserEndpoint") == true)
        let other = try await failure { try await mockClient.send(Request<User>(method: .put, path: "/x")) }
        #expect(other.description.contains("PUT /x with an answer of type User") == true)
        #expect(await mockClient.callHistory.count == 2)
    }

    @Test func requestsByMethodPathAndAnswer() async throws {
        await mockClient.stub(.get, "/user") { (_: Request<User>) in User(id: "1", name: "Leia", email: "") }
        await mockClient.stub(.get, "/user") { (_: Request<String>) in "text" }
        #expect(try await mockClient.send(Request<User>(path: "/user")).name == "Leia")
        #expect(try await mockClient.send(Request<String>(path: "/user")) == "text")
        #expect(await mockClient.callCount(for: .get, "/user") == 2)
    }

    @Test func urlRequests() async throws {
        let url = try #require(URL(string: "https://a.example/x?token=secret"))
        await mockClient.stub(url: url) { _ in [1, 2] }
        let numbers: [Int] = try await mockClient.execute(URLRequest(url: url))
        #expect(numbers == [1, 2])
        #expect(await mockClient.executedRequests.map(\.url) == [url])
        let failure = await #expect(throws: NetworkFailure.self) {
            let _: String = try await mockClient.execute(URLRequest(url: url))
        }
        #expect(failure?.description.contains("secret") == false)
    }

    @Test func thrownErrorOfAStubIsWrapped() async throws {
        struct Oops: Error {}
        await mockClient.stub(GetUserEndpoint.self) { _ in throw Oops() }
        #expect(try await failure { try await mockClient.request(GetUserEndpoint(id: "1")) }.underlyingError is Oops)
    }

    @Test func cancellationEndsTheDelay() async throws {
        let clock = TestClock()
        let mock = MockNetworkClient(clock: clock)
        await mock.stub(GetUserEndpoint.self, delay: 1_000) { _ in User(id: "1", name: "", email: "") }
        let call = Task { try await mock.request(GetUserEndpoint(id: "1")) }
        try await clock.waitForSleepers()
        call.cancel()
        let result = await call.result
        #expect(throws: NetworkFailure.cancelled()) { try result.get() }
    }

    @Test func requestsHaveWhatEndpointsHave() async throws {
        let request = Request<User>(path: "/user")
        await mockClient.stubSequence(.get, "/user", responses: users)
        for user in users { #expect(try await mockClient.send(request) == user) }
        let end = await #expect(throws: NetworkFailure.self) { try await mockClient.send(request) }
        #expect(end?.description.contains("GET /user has no answer left") == true)
        await mockClient.stubSequence(.get, "/user", sequence: [.failure(.timeout()), .success(users[1])])
        await #expect(throws: NetworkFailure.timeout()) { try await mockClient.send(request) }
        #expect(try await mockClient.send(request) == users[1])
        await mockClient.stub(.get, "/user") { (_: Request<User>) in throw NetworkFailure.notFound() }
        await #expect(throws: NetworkFailure.notFound()) { try await mockClient.send(request) }
        #expect(await mockClient.callCount(for: .get, "/user") == 6)
        #expect(await mockClient.calledRequests(for: User.self).count == 6)
        #expect(await mockClient.calledRequests(for: String.self).isEmpty)
        await mockClient.stub(GetUserEndpoint.self) { _ in users[0] }
        try await mockClient.request(GetUserEndpoint(id: "1"))
        let history = await mockClient.callHistory
        #expect((history.count, history.first) == (7, "GET /user with an answer of type User"))
        #expect(history.last == "the endpoint GetUserEndpoint")
        await mockClient.reset()
        #expect(await mockClient.callHistory.isEmpty)
    }

    // MARK: Prepared

    /// A client that is filled without `await`, as in the body of a `#Preview`.
    private func preview() -> MockNetworkClient {
        MockNetworkClient { mock in
            mock.stub(GetUserEndpoint.self) { _ in User(id: "1", name: "Leia", email: "") }
            mock.stubSequence(.get, "/users", responses: ["one", "two"])
            mock.stub(.get, "/gone") { (_: Request<String>) in throw NetworkError.noInternetConnection }
        }
    }

    @Test func answersWhatItWasMadeWith() async throws {
        let mock = preview()
        #expect(try await mock.request(GetUserEndpoint(id: "1")).name == "Leia")
        #expect(try await mock.send(Request<String>(path: "/users")) == "one")
        #expect(try await mock.send(Request<String>(path: "/users")) == "two")
        await #expect(throws: NetworkFailure.self) { try await mock.send(Request<String>(path: "/gone")) }
        #expect(await mock.callCount(for: GetUserEndpoint.self) == 1)
    }

    @Test func earlyStubsCanBeReplacedAndForgotten() async throws {
        let mock = preview()
        await mock.stub(GetUserEndpoint.self) { _ in User(id: "1", name: "Luke", email: "") }
        #expect(try await mock.request(GetUserEndpoint(id: "1")).name == "Luke")
        await mock.reset()
        await #expect(throws: NetworkFailure.self) { try await mock.request(GetUserEndpoint(id: "1")) }
        await #expect(throws: NetworkFailure.self) { try await mock.send(Request<String>(path: "/users")) }
    }
}
