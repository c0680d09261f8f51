import NetTesting
import Testing

/// Bodies that come bit by bit.
struct MockEventTests {
    private let server: MockServer
    init() throws { server = try MockServer() }

    @Test func writesEventsAsTheStandardHasThem() async throws {
        server.on(
            "/",
            .events([
                .retry(500), .comment("hello"), .event("one"), .pause(0.001), .event("a\nb\n", name: "update", id: "7"),
            ]))
        let response = try await server.answer()
        #expect(response["Content-Type"] == "text/event-stream")
        #expect(
            response.text == "retry: 500\n\n: hello\n\ndata: one\n\nid: 7\nevent: update\ndata: a\ndata: b\ndata: \n\n")
    }

    @Test func sendsEachEventWhenItIsDueAndHolds() async throws {
        server.on("/", .events([.event("one"), .pause(0.2), .event("two"), .hold, .event("never")]))
        try await server.talk { connection in
            try connection.request("GET /")
            while try connection.readLine() != "" {}
            #expect(try (connection.read(3), connection.read(11)) == (Data("b\r\n".utf8), Data("data: one\n\n".utf8)))
            #expect(try connection.read(18) == Data("\r\nb\r\ndata: two\n\n\r\n".utf8))
            connection.setPatience(0.5)
            let rest = try connection.readToEnd()
            #expect(rest.data.isEmpty && rest.ending == .silence)
        }
        try await server.waitForOpenConnections()
    }

    /// By what the server waits for: nothing measures time here, but that the second burst was not there with the first.
    @Test func throttlesInBursts() async throws {
        server.enqueue(MockResponse.text("abcdef").throttled(bytes: 2, every: 3_600))
        server.enqueue(MockResponse.text("abcdef").throttled(bytes: 2, every: 0.001))
        try await server.talk { connection in
            try connection.request("GET /")
            while try connection.readLine() != "" {}
            #expect(try connection.read(2) == Data("ab".utf8))
            connection.setPatience(0.2)
            let rest = try connection.readToEnd()
            #expect(rest.data.isEmpty && rest.ending == .silence)
        }
        #expect(try await server.answer().text == "abcdef")
    }
}
