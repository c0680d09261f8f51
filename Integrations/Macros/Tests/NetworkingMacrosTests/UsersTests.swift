import Foundation
import NetClient
import NetCore
import NetTesting
import NetTransfer
import NetworkingMacros
import Testing

struct Server: NetworkEnvironment {
    let baseURL: URL
}

/// A server, and a client for it.
func withServer(_ body: (MockServer, NetworkClient) async throws -> Void) async throws {
    let server = try MockServer()
    try await body(server, NetworkClient(environment: Server(baseURL: server.url)))
    await server.stop()
}

@Suite struct UsersTests {
    @Test func getsByPath() async throws {
        try await withServer { server, client in
            server.enqueue(.json(text: #"{"id": 7, "name": "Leia"}"#))
            #expect(try await UsersClient(client).user(id: 7) == User(id: 7, name: "Leia"))
            let request = try await server.takeRequest()
            #expect(request.method == .get && request.target == "/users/7")
        }
    }

    @Test func searchesByQuery() async throws {
        try await withServer { server, client in
            server.enqueue(.json(text: #"[{"id": 7, "name": "Leia"}]"#), .json(text: "[]"))
            let users = UsersClient(client)
            let found = try await users.search(text: "a&b", page: 2, order: .newestFirst)
            let none = try await users.search(text: "", page: nil, order: nil)
            #expect(found == [User(id: 7, name: "Leia")] && none == [])
            #expect(server.requests.map(\.target) == ["/users?order=newest&page=2&q=a%26b", "/users?q="])
        }
    }

    @Test func createsWithBodyAndHeader() async throws {
        try await withServer { server, client in
            server.enqueue(.json(text: #"{"id": 8, "name": "Han"}"#))
            let user = try await UsersClient(client).create(NewUser(name: "Han"), idempotencyKey: "k1")
            #expect(user.id == 8)
            let request = try await server.takeRequest()
            #expect(request.method == .post && request.headers["Idempotency-Key"] == "k1")
            #expect(try request.json(as: NewUser.self) == NewUser(name: "Han"))
        }
    }

    @Test func deletes() async throws {
        try await withServer { server, client in
            server.enqueue(.noContent)
            try await UsersClient(client).delete(id: 7)
            let request = try await server.takeRequest()
            #expect(request.method == .delete && request.target == "/users/7")
        }
    }

    @Test func uploadsAForm() async throws {
        try await withServer { server, client in
            server.enqueue(.noContent)
            try await UsersClient(client).upload(id: 7, photo: HTTPBody("pixels"))
            let request = try await server.takeRequest()
            #expect(request.method == .put && request.target == "/users/7/photo")
            #expect(request.headers["Content-Type"]?.hasPrefix("multipart/form-data") == true)
            #expect(request.bodyText.contains("name=\"photo\"") && request.bodyText.contains("\r\n\r\npixels\r\n"))
        }
    }

    @Test func receivesEvents() async throws {
        try await withServer { server, client in
            server.enqueue(.events([.event("one"), .event("two")]), .noContent)
            var events: [String] = []
            for try await event in UsersClient(client).events().prefix(2) { events.append(event.data) }
            let request = try await server.takeRequest()
            #expect(events == ["one", "two"] && request.target == "/events")
            #expect(request.headers["Accept"] == "text/event-stream")
        }
    }
}
