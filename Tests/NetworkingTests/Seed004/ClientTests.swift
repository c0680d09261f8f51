import NetTesting
import Networking
import TestLab
import Testing

/// Seed 004: a client of one API.
@Suite struct Seed004ClientTests {
    struct YourResponse: Codable {
        let id: String
        let name: String
    }

    /// As in the seed, whose client makes its requests by itself; `NetworkService.shared` is a `NetworkClient` here.
    struct YourAPIClient: APIClient {
        let baseURL: URL
        let authToken: String
        let client: NetworkClient

        func request<T: Decodable & Sendable>(
            _ method: HTTPMethod,
            path: String,
            body: (any Encodable & Sendable)? = nil
        ) async throws -> T {
            var request = URLRequest(url: baseURL.appendingPathComponent(path))
            request.httpMethod = method.rawValue
            request.setValue("Bearer \(authToken)", forHTTPHeaderField: "Authorization")

            if let body = body {
                request.httpBody = try JSONEncoder().encode(body)
                request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            }

            return try await client.execute(request)
        }
    }

    @Test func ownRequest() async throws {
        let server = try MockServer()
        server.on(.get, "/items", .json(YourResponse(id: "1", name: "First")))
        server.on(.post, "/items", .json(YourResponse(id: "2", name: "Second")))
        let client = YourAPIClient(baseURL: server.url, authToken: "your-token", client: NetworkClient())

        let response: YourResponse = try await client.request(.get, path: "/items", body: nil)
        #expect(response.name == "First")
        let created: YourResponse = try await client.request(.post, path: "/items", body: ["name": "Second"])
        #expect(created.name == "Second")
        #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer your-token", "Bearer your-token"])
        #expect(server.requests.last?.bodyText == #"{"name":"Second"}"#)
        await server.stop()
    }

    @Test func requestForFree() async throws {
        struct Items: APIClient {
            let baseURL: URL
            let client: NetworkClient
        }
        let server = try MockServer()
        server.on(.get, "/v1/items", .json(YourResponse(id: "1", name: "First")))
        let client = Items(baseURL: server.url("/v1"), client: NetworkClient())
        let response: YourResponse = try await client.request(.get, path: "/items")
        #expect(response.name == "First")
        let missing = try await failure { try await client.request(.get, path: "/nothing") as YourResponse }
        #expect(missing.statusCode == 404)
        await server.stop()
    }
}
