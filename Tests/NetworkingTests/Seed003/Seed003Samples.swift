import NetTesting
import Networking

// What stands in the seed's snippets, as it is written there; `APIEnvironment` points to a server in the test's own process.
enum Seed003 {
    /// The seed's environments have a fixed address: here it is the test's server.
    @TaskLocal static var baseURL = URL(fileURLWithPath: "/")

    struct APIEnvironment: NetworkEnvironment {
        var baseURL: URL { Seed003.baseURL }
        var defaultHeaders: [String: String] {
            ["Content-Type": "application/json"]
        }
        var timeout: TimeInterval { 30 }
    }

    struct User: Codable, Sendable {
        let id: String
        let name: String
        let email: String
    }

    struct GetUserEndpoint: Endpoint {
        let id: String

        var path: String { "/users/\(id)" }
        var method: HTTPMethod { .get }

        typealias Response = User
    }

    struct GetUsersEndpoint: Endpoint {
        var path: String { "/users" }
        var method: HTTPMethod { .get }

        typealias Response = [User]
    }

    struct SearchResults: Codable, Sendable { let total: Int }

    struct SearchUsersEndpoint: Endpoint {
        let query: String
        let page: Int

        var path: String { "/users/search" }
        var method: HTTPMethod { .get }
        var queryParameters: [String: String] {
            ["q": query, "page": String(page)]
        }

        typealias Response = SearchResults
    }

    struct CreateUserEndpoint: Endpoint {
        let name: String
        let email: String

        var path: String { "/users" }
        var method: HTTPMethod { .post }
        var body: (any Encodable & Sendable)? {
            CreateUserRequest(name: name, email: email)
        }

        typealias Response = User
    }

    struct CreateUserRequest: Encodable, Sendable {
        let name: String
        let email: String
    }

    struct UpdateUserEndpoint: Endpoint {
        let id: String
        let name: String

        var path: String { "/users/\(id)" }
        var method: HTTPMethod { .patch }
        var body: (any Encodable & Sendable)? {
            ["name": name]
        }

        typealias Response = User
    }

    struct DeleteUserEndpoint: Endpoint {
        let id: String

        var path: String { "/users/\(id)" }
        var method: HTTPMethod { .delete }

        typealias Response = EmptyResponse
    }

    struct UploadResult: Codable, Sendable {
        let id: Int
    }

    struct UploadEndpoint: Endpoint {
        var path: String { "/upload" }
        var method: HTTPMethod { .post }
        var headers: [String: String] {
            ["X-Upload-Token": "abc123"]
        }

        typealias Response = UploadResult
    }
}

/// The API of the seed's examples.
func seed003Server() throws -> MockServer {
    let john = Seed003.User(id: "123", name: "John", email: "john@example.com")
    let server = try MockServer()
    server.on(.get, "/users/123", .json(john))
    server.on(.get, "/users", .json([john]))
    server.on(.get, "/users/search", .json(Seed003.SearchResults(total: 7)))
    server.on(.post, "/users", .json(john))
    server.on(.patch, "/users/123", .json(john))
    server.on(.delete, "/users/123", .status(204))
    server.on(.post, "/upload", .json(Seed003.UploadResult(id: 5)))
    return server
}
