import NetTesting
import Testing

struct RouteTests {
    private func answer(_ server: MockServer, _ line: String) async throws -> String {
        try await server.talk { connection in
            let response = try connection.exchange(line, headers: ["Connection: close"], toHead: line.hasPrefix("HEAD"))
            return [String(response.status), response.text, response["Allow"]].compactMap { $0 }
                .filter { !$0.isEmpty }.joined(separator: " ")
        }
    }

    @Test(arguments: [
        ("GET /users", "200 list"), ("GET /users?page=2", "200 list"), ("HEAD /users", "200"),
        ("POST /users", "200 made"), ("PATCH /users", "405 GET, POST"), ("DELETE /any", "200 any DELETE"),
        ("GET /users/7", "200 below /users/7"), ("GET /users/7/x?y", "200 below /users/7/x"), ("GET /usersX", "404"),
        ("GET /caf%C3%A9", "200 coffee"), ("GET /twice", "200 second"),
        ("GET http://h:1/users?a=http://b/c", "200 list"), ("GET http://h?a", "200 root"), ("OPTIONS *", "404"),
    ]) func matches(_ line: String, _ expected: String) async throws {
        let server = try MockServer()
        server.on(.get, "/users", .text("list"))
        server.on(.post, "/users", .text("made"))
        server.on("/any") { .text("any \($0.method)") }
        server.on(.get, "/users/*") { .text("below \($0.path)") }
        server.on("/caf%C3%A9", .text("coffee"))
        server.on("/", .text("root"))
        server.on("/twice", .text("first"))
        server.on("/twice", .text("second"))
        #expect(try await answer(server, line) == expected)
    }

    @Test func makesURLs() async throws {
        let server = try MockServer()
        let base = "http://127.0.0.1:\(server.port)"
        #expect((server.url.absoluteString, server.url("/a?b=c%20d").absoluteString) == (base, base + "/a?b=c%20d"))
        #expect(server.url("a").absoluteString == base + "/a")
        #expect(server.url("/ä ö").absoluteString == base + "/%C3%A4%20%C3%B6")
        #expect(server.url("").absoluteString == base + "/")
    }
}
