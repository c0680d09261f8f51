import NetTesting
import Networking
import Testing

/// Seed 003: Quick Start, Core Concepts, Common Use Cases, Fluent API, Multiple Environments, Custom JSON, Custom Interceptors.
@Suite struct Seed003EndpointTests {
    typealias APIEnvironment = Seed003.APIEnvironment
    typealias GetUserEndpoint = Seed003.GetUserEndpoint
    private let print = Transcript()

    private func withServer(_ body: (MockServer) async throws -> Void) async throws {
        let server = try seed003Server()
        try await Seed003.$baseURL.withValue(server.url) { try await body(server) }
        await server.stop()
    }

    @Test func quickStart() async throws {
        try await withServer { server in
            let client = NetworkClient(environment: APIEnvironment())

            // Simple request
            let user = try await client.request(GetUserEndpoint(id: "123"))
            print(user.name)
            #expect((print.texts, server.requests.first?.headers["Content-Type"]) == (["John"], "application/json"))
        }
    }

    @Test func commonUseCases() async throws {
        try await withServer { server in
            let client = NetworkClient(environment: APIEnvironment())

            let users = try await client.request(Seed003.GetUsersEndpoint())
            #expect(users.count == 1)

            let results = try await client.request(Seed003.SearchUsersEndpoint(query: "john", page: 1))
            #expect((results.total, server.requests.last?.query) == (7, "page=1&q=john"))

            let newUser = try await client.request(Seed003.CreateUserEndpoint(name: "John", email: "john@example.com"))
            #expect(newUser.id == "123")
            let created = try server.requests.last?.json(as: [String: String].self)
            #expect(created == ["name": "John", "email": "john@example.com"])

            _ = try await client.request(Seed003.UpdateUserEndpoint(id: "123", name: "Jack"))
            #expect(server.requests.last?.bodyText == #"{"name":"Jack"}"#)

            try await client.request(Seed003.DeleteUserEndpoint(id: "123"))
            #expect(server.requests.last?.method == .delete)

            _ = try await client.request(Seed003.UploadEndpoint())
            #expect(server.requests.last?.headers["X-Upload-Token"] == "abc123")
        }
    }

    @Test func fluentAPI() async throws {
        try await withServer { server in
            let client = NetworkClient(environment: APIEnvironment())
            let user =
                try await client
                .request(GetUserEndpoint(id: "123"))
                .timeout(60)
                .header("X-Request-ID", UUID().uuidString)
                .headers(["X-Custom": "value"])
                .send()
            #expect((user.name, server.requests.last?.headers["X-Request-ID"]?.count) == ("John", 36))
            #expect(server.requests.last?.headers["X-Custom"] == "value")
        }
    }

    @Test func multipleEnvironments() async throws {
        enum AppEnvironment: NetworkEnvironment {
            case development
            case staging
            case production

            var baseURL: URL {
                switch self {
                case .development: URL(string: "https://dev-api.example.com")!
                case .staging: URL(string: "https://staging-api.example.com")!
                case .production: URL(string: "https://api.example.com")!
                }
            }

            var defaultHeaders: [String: String] {
                ["Content-Type": "application/json"]
            }

            var timeout: TimeInterval { 30 }
        }

        let client = NetworkClient(environment: AppEnvironment.production)
        #expect(client.environment?.baseURL.host == "api.example.com")
        #expect(
            NetworkClient(environment: AppEnvironment.staging).environment?.baseURL.host == "staging-api.example.com")
        #expect(AppEnvironment.development.baseURL.host == "dev-api.example.com")
    }

    @Test func customJSON() async throws {
        struct Event: Codable, Sendable, Equatable { let startsAt: Date }
        struct EventEndpoint: Endpoint {
            let event: Event
            var path: String { "/events" }
            var method: HTTPMethod { .post }
            var body: (any Encodable & Sendable)? { event }
            typealias Response = Event
        }
        try await withServer { server in
            server.on(.post, "/events", .json(text: #"{"starts_at":"2026-01-31T12:00:00Z"}"#))

            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            decoder.keyDecodingStrategy = .convertFromSnakeCase

            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            encoder.keyEncodingStrategy = .convertToSnakeCase

            let client = NetworkClient(
                environment: APIEnvironment(),
                decoder: decoder,
                encoder: encoder
            )

            let event = Event(startsAt: Date(timeIntervalSince1970: 1_769_860_800))
            let answer = try await client.request(EventEndpoint(event: event))
            #expect((answer, server.requests.last?.bodyText) == (event, #"{"starts_at":"2026-01-31T12:00:00Z"}"#))
        }
    }

    @Test func customInterceptor() async throws {
        struct CustomInterceptor: Interceptor {
            let print: Transcript

            func intercept(request: URLRequest) async throws -> URLRequest {
                var modified = request
                modified.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID")
                return modified
            }

            func intercept(response: HTTPURLResponse, data: Data) async throws -> Data {
                print("Response status: \(response.statusCode)")
                return data
            }
        }
        try await withServer { server in
            let client = NetworkClient(
                environment: APIEnvironment(), interceptors: [CustomInterceptor(print: print)])
            _ = try await client.request(GetUserEndpoint(id: "123"))
            #expect(print.texts == ["Response status: 200"])
            #expect(server.requests.last?.headers["X-Request-ID"]?.count == 36)
        }
    }

    @Test func dependencyInjection() async throws {
        class UserService {
            private let client: any NetworkClientProtocol

            init(client: any NetworkClientProtocol) {
                self.client = client
            }

            func getUser(id: String) async throws -> Seed003.User {
                try await client.request(GetUserEndpoint(id: id))
            }
        }
        try await withServer { _ in
            let service = UserService(client: NetworkClient(environment: APIEnvironment()))
            let user = try await service.getUser(id: "123")
            #expect(user.name == "John")
        }
    }

    @Test func errorHandling() async throws {
        try await withServer { _ in
            await requestUnknownUser()
            #expect(
                print.texts == [
                    "not found", "Failed request: GET \(Seed003.baseURL.absoluteString)/users/404",
                    "Response status: 404",
                ])
        }
    }
    /// In this SDK the type with the kind and the context is `NetworkFailure`; the rest is as in the seed.
    private func requestUnknownUser() async {
        let client = NetworkClient(environment: APIEnvironment())
        do {
            let user = try await client.request(GetUserEndpoint(id: "404"))
            Issue.record("There is no such user, but \(user.name) came.")
        } catch {
            switch error.kind {
            case .unauthorized:
                // Handle 401 - redirect to login
                break
            case .notFound:
                print("not found")
            case .noConnection:
                // Handle offline - show retry option
                break
            case .timeout:
                // Handle timeout - suggest retry
                break
            case .serverError(let statusCode):
                // Handle 5xx errors
                print("Server error: \(statusCode)")
            case .decodingFailed:
                // Handle JSON parsing errors
                if let underlying = error.underlyingError {
                    print("Failed to decode: \(underlying)")
                }
            default:
                print("Error: \(error.errorDescription ?? "Unknown")")
            }

            // Access rich error context for debugging
            if let request = error.request {
                print("Failed request: \(request.method ?? "") \(request.url?.absoluteString ?? "")")
            }
            if let response = error.response {
                print("Response status: \(response.statusCode)")
            }
        }
    }
}
