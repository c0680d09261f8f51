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
        #expect(try await server.takeRequest().path == "/3")
        _ = try await server.rawAnswer(to: "/5")
        _ = try await server.rawAnswer(to: "/6")
        #expect(try await (server.takeRequest().path, server.takeRequest().path) == ("/5", "/6"))
        await #expect(throws: NetTestingError.timedOut(seconds: 0.01)) { try await server.takeRequest(timeout: 0.01) }
    }
}
