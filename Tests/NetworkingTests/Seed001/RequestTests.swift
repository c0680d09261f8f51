import NetTesting
import Networking
import TestLab
import Testing

/// Seed 001: Basic Usage, Authentication, Retry Policies, Caching, Error Handling. Its `APIClient()` is a `NetworkClient` here.
@Suite struct Seed001RequestTests {
    struct UserData: Codable, Sendable, Equatable {
        let name: String
        let email: String
    }

    struct UserResponse: Codable, Sendable { let id: Int }

    private let server: MockServer
    private let apiClient: NetworkClient

    init() throws {
        server = try MockServer()
        server.on(.get, "/user", .json(UserData(name: "John", email: "john@example.com")))
        server.on(.post, "/users", .json(UserResponse(id: 7)))
        server.on(.delete, "/users/123", .status(204))
        apiClient = NetworkClient(baseURL: server.url, cache: ResponseCache(maxEntries: 10))
    }

    @Test func simpleRequests() async throws {
        // Make a GET request
        let userData: UserData = try await apiClient.send(
            Request<UserData>(method: .get, path: "/user")
        )
        #expect(userData.name == "John")

        // POST request with body
        let createUser = Request<UserResponse>(
            method: .post,
            path: "/users",
            body: UserData(name: "John", email: "john@example.com")
        )
        let response = try await apiClient.send(createUser)
        #expect(try (response.id, server.requests.last?.json(as: UserData.self)) == (7, userData))

        // DELETE request with no response data
        let deleteUser = Request<EmptyResponse>(
            method: .delete,
            path: "/users/123"
        )
        _ = try await apiClient.send(deleteUser)

        // Request with absolute URL
        let request = Request<UserData>(
            method: .get,
            absoluteURL: server.url("/user")
        )
        #expect(try await apiClient.send(request) == userData)
    }

    /// As in the seed, but an actor: a class with a variable is not `Sendable`.
    actor BearerTokenProvider: AuthenticationProvider {
        private var token = "old"

        func authenticate(_ request: inout URLRequest) async throws {
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        }

        func reauthenticate() async throws {
            token = "new"
        }
    }

    @Test func authentication() async throws {
        server.on(.get, "/protected/resource", .json(UserResponse(id: 1)))
        server.enqueue(.status(401))
        let request = Request<UserResponse>(
            method: .get,
            path: "/protected/resource",
            authenticationProvider: BearerTokenProvider()
        )
        #expect(try await apiClient.send(request).id == 1)
        #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer old", "Bearer new"])

        // 403 as well, with the default policy; none at all with NoRetryPolicy.
        server.enqueue(.status(403))
        #expect(try await apiClient.send(request, retryPolicy: .default).id == 1)
        server.enqueue(.status(401))
        let refusal = try await failure { try await apiClient.send(request, retryPolicy: NoRetryPolicy()) }
        #expect((refusal.kind, server.requests.count) == (.unauthorized, 5))
    }

    @Test func noAuthentication() async throws {
        let requests = [
            Request<UserData>(method: .get, path: "/user", authenticationProvider: .none),
            Request<UserData>(method: .get, path: "/user", authenticationProvider: NoAuthProvider()),
            Request<UserData>(method: .get, path: "/user"),
        ]
        for request in requests { try await apiClient.send(request) }
        #expect(server.requests.allSatisfy { $0.headers["Authorization"] == nil })
    }

    @Test func retryPolicies() async throws {
        let clock = TestClock(autoAdvance: true)
        let client = NetworkClient(clock: clock, random: { 0.5 }).with { $0.baseURL = server.url }
        let request = Request<UserData>(method: .get, path: "/user")
        server.enqueue(.status(503), .status(500), .status(408))
        #expect(try await client.send(request, retryPolicy: .default).name == "John")
        #expect(clock.sleeps == [0.3, 0.6, 1.2])
        server.enqueue(.status(504))
        #expect(try await client.send(request, retryPolicy: DefaultRetryPolicy()).name == "John")
        server.enqueue(.status(503))
        await #expect(throws: NetworkFailure.self) { try await client.send(request, retryPolicy: .none) }

        // The seed's CustomRetryPolicy, as a closure: 429, 503 and 504, five times, from one second.
        let customPolicy = RetryPolicy(
            maxRetries: 5, delay: .exponential(base: 1.0, multiplier: 2, jitter: 0),
            decide: { [429, 503, 504].contains($0.response?.statusCode ?? 0) })
        server.enqueue(.status(429), .status(503))
        #expect(try await client.send(request, retryPolicy: customPolicy).name == "John")
        #expect(Array(clock.sleeps.suffix(2)) == [1, 2])
        server.enqueue(.status(500))
        await #expect(throws: NetworkFailure.self) { try await client.send(request, retryPolicy: customPolicy) }
    }

    @Test func caching() async throws {
        server.on(.get, "/cached-data", .json(UserResponse(id: 1)).header("Cache-Control", "max-age=3600"))
        for _ in 0..<3 {
            let cachedResponse = try await apiClient.send(
                Request<UserResponse>(method: .get, path: "/cached-data"),
                cached: true
            )
            #expect(cachedResponse.id == 1)
        }
        #expect(server.requests.count == 1)
    }

    @Test func errorHandling() async throws {
        let error = try await failure { try await apiClient.send(Request<UserData>(path: "/nothing")) }
        #expect(error.kind == .notFound)
        #expect(error.localizedDescription(in: Locale(identifier: "en")) == "Server responded with code 404.")
        #expect(error.failureReason(in: Locale(identifier: "en")) == "The server did not accept the request.")
    }
}
