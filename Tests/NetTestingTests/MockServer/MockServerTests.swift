import NetTesting
import Testing

/// What a server does for a client that behaves.
struct MockServerTests {
    @Test func answersFromTheScriptThenTheRouteThenTheHandler() async throws {
        let server = try MockServer { .text("handler \($0.path)") }
        server.on(.get, "/route", .text("route"))
        server.enqueue(.text("first", status: 201), .text("second"))
        let answers = try await server.talk { connection in
            try ["/route", "/other", "/route", "/other"].map { path in
                let response = try connection.exchange("GET \(path)")
                return "\(response.status) \(response.text)"
            }
        }
        #expect(answers == ["201 first", "200 second", "200 route", "200 handler /other"])
        #expect(server.connectionCount == 1)
    }

    @Test func recordsWhatItReceived() async throws {
        let server = try MockServer()
        let before = Date()
        try await server.talk { connection in
            try connection.exchange("GET /search?q=a%20b&q=c+d&flag", headers: ["X-One: 1", "x-one: 2"])
            try connection.exchange("POST /things", headers: ["Content-Type: text/plain"], body: "grüße")
        }
        let first = try await server.takeRequest()
        #expect((first.method, first.target, first.path) == (.get, "/search?q=a%20b&q=c+d&flag", "/search"))
        #expect((first.query, first.queryItems.map(\.name)) == ("q=a%20b&q=c+d&flag", ["q", "q", "flag"]))
        #expect(first.queryItems.map(\.value) == ["a b", "c+d", nil])
        #expect(first.headers.values(for: "X-One") == ["1", "2"] && first.body.isEmpty && first.isBodyComplete)
        #expect(first.arrival >= before && first.arrival <= Date())
        let second = try await server.takeRequest()
        #expect((second.method, second.bodyText, second.bodyLength) == (.post, "grüße", 7))
        #expect((second.connection, second.indexOnConnection) == (1, 1))
        #expect(server.requests.count == 2 && server.protocolErrors.isEmpty)
    }

    @Test func keepsTheLastRequestsOnly() async throws {
        let server = try MockServer(keepingRequestsUpTo: 2)
        for number in 0..<5 { _ = try await server.rawAnswer(to: "/\(number)") }
        #expect((server.requests.map(\.path), server.requestCount) == (["/3", "/4"], 5))
        #expect((server.requests.map(\.connection), server.requests.map(\.indexOnConnection)) == ([4, 5], [0, 0]))
        #expect(try await server.takeRequest().path == "/3")
        _ = try await server.rawAnswer(to: "/5")
        _ = try await server.rawAnswer(to: "/6")
        #expect(try await (server.takeRequest().path, server.takeRequest().path) == ("/5", "/6"))
        await #expect(throws: NetTestingError.timedOut(seconds: 0.01)) { try await server.takeRequest(timeout: 0.01) }
    }

    // MARK: Routes

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
