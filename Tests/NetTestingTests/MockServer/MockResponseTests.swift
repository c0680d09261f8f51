import NetTesting
import Testing

/// What each kind of response looks like on the wire.
struct MockResponseTests {
    private let server: MockServer
    init() throws { server = try MockServer() }

    private struct User: Codable, Equatable { var name: String, id: Int }

    /// A response, and the lines and the body that the client must see.
    struct Sample: Sendable {
        var response: MockResponse
        var lines: [String]
        var body: String
        init(_ response: MockResponse, _ lines: [String], body: String = "") {
            (self.response, self.lines, self.body) = (response, lines, body)
        }
    }

    static let samples: [Sample] = [
        Sample(.ok, ["HTTP/1.1 200 OK", "Content-Length: 0", "Connection: close"]),
        Sample(
            MockResponse(body: .data(Data("ab".utf8))).trailers(["X-Sum": "1"]),
            ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Connection: close"],
            body: "2\r\nab\r\n0\r\nX-Sum: 1\r\n\r\n"),
        Sample(.noContent, ["HTTP/1.1 204 No Content", "Connection: close"]),
        Sample(.status(304), ["HTTP/1.1 304 Not Modified", "Connection: close"]),
        Sample(.status(799), ["HTTP/1.1 799 Status 799", "Content-Length: 0", "Connection: close"]),
        Sample(.ok.status(200, reason: "Fine"), ["HTTP/1.1 200 Fine", "Content-Length: 0", "Connection: close"]),
        Sample(
            .text("hé"),
            ["HTTP/1.1 200 OK", "Content-Type: text/plain; charset=utf-8", "Content-Length: 3", "Connection: close"],
            body: "hé"),
        Sample(
            .json(["b": "x/y", "a": "z"]),
            ["HTTP/1.1 200 OK", "Content-Type: application/json", "Content-Length: 19", "Connection: close"],
            body: #"{"a":"z","b":"x/y"}"#),
        Sample(
            .redirect(to: "/next", status: 308),
            ["HTTP/1.1 308 Permanent Redirect", "Location: /next", "Content-Length: 0", "Connection: close"]),
        Sample(
            .ok.header("X-A", "1").addingHeader("Set-Cookie", "a=1").addingHeader("Set-Cookie", "b=2"),
            [
                "HTTP/1.1 200 OK", "X-A: 1", "Set-Cookie: a=1", "Set-Cookie: b=2", "Content-Length: 0",
                "Connection: close",
            ]),
        Sample(
            .chunked(["one", "", "three"]).header("Content-Type", "a/b"),
            ["HTTP/1.1 200 OK", "Content-Type: a/b", "Transfer-Encoding: chunked", "Connection: close"],
            body: "3\r\none\r\n5\r\nthree\r\n0\r\n\r\n"),
        Sample(
            .text("whole").header("Content-Type", "a/b").framed(.chunked),
            ["HTTP/1.1 200 OK", "Content-Type: a/b", "Transfer-Encoding: chunked", "Connection: close"],
            body: "5\r\nwhole\r\n0\r\n\r\n"),
        Sample(
            .text("whole").header("Content-Type", "a/b").framed(.untilClose),
            ["HTTP/1.1 200 OK", "Content-Type: a/b", "Connection: close"], body: "whole"),
        Sample(
            .ok.preceded(by: 103, headers: ["Link": "</a>"]).preceded(by: 102),
            [
                "HTTP/1.1 103 Early Hints", "Link: </a>", "", "HTTP/1.1 102 Status 102", "", "HTTP/1.1 200 OK",
                "Content-Length: 0", "Connection: close",
            ]
        ),
        Sample(.raw("\u{0}any\r\n\r\nthing"), ["\u{0}any"], body: "thing"),
    ]

    @Test(arguments: samples) func isSentAs(_ sample: Sample) async throws {
        server.enqueue(sample.response)
        #expect(try await server.rawAnswer() == sample.lines.joined(separator: "\r\n") + "\r\n\r\n" + sample.body)
    }

    @Test func sendsJSONThatDecodesToTheSameValue() async throws {
        let server = try MockServer { request in
            // Also the way in: what the client sent is decoded by the handler.
            .json(try request.json(as: User.self))
        }
        let answer = try await server.answer(to: "POST /users", body: #"{"name":"Ada","id":1}"#)
        #expect(try JSONDecoder().decode(User.self, from: answer.body) == User(name: "Ada", id: 1))
        let failed = try await server.answer(to: "POST /users", body: "no JSON")
        #expect(failed.status == 500)
        #expect(failed.text.contains("DecodingError") || failed.text.contains("dataCorrupted"))
    }

    @Test func saysWhenAValueCannotBeEncoded() async throws {
        let server = try MockServer { _ in .json(["x": Double.nan]) }
        let answer = try await server.rawAnswer()
        #expect(answer.hasPrefix("HTTP/1.1 500 ") && answer.contains("could not encode"))
    }

    @Test(arguments: [MockResponse.text("12345"), .bytes(count: 5), .text("12345").framed(.chunked)])
    func answersHeadWithoutTheBody(_ response: MockResponse) async throws {
        server.on(.get, "/thing", response)
        let answers = try await server.talk { connection in
            let head = try connection.exchange("HEAD /thing", toHead: true)
            // Whether a stray body followed shows in the next answer on the same connection.
            return (head, try connection.exchange("GET /thing"))
        }
        #expect(answers.0["Content-Length"] == answers.1["Content-Length"])
        #expect(answers.0["Transfer-Encoding"] == answers.1["Transfer-Encoding"])
        #expect((answers.1.statusLine, answers.1.body.count) == ("HTTP/1.1 200 OK", 5))
    }

    @Test(arguments: [0, 1, 63, 64, 65_535, 65_536, 65_537, 1_000_000], MockResponse.Framing.allCases)
    func generatesBodies(count: Int, framing: MockResponse.Framing) async throws {
        server.enqueue(.bytes(count: Int64(count)).framed(framing))
        #expect(try await server.answer().body == MockResponse.generatedBytes(count: count))
    }

    @Test func throttlesTheBody() async throws {
        server.enqueue(.bytes(count: 2_000).throttled(bytesPerSecond: 20_000), .text("next"))
        let elapsed = try await server.talk { connection in
            let start = ProcessInfo.processInfo.systemUptime
            let throttled = try connection.exchange("GET /")
            let elapsed = ProcessInfo.processInfo.systemUptime - start
            #expect(throttled.body.count == 2_000)
            #expect(try connection.exchange("GET /").text == "next")
            return elapsed
        }
        // All but the last of its pieces are followed by a pause.
        #expect(elapsed >= 0.075)
    }

    @Test func delayedResponseDoesNotDelayOtherConnections() async throws {
        server.on("/slow", MockResponse.text("slow").delayed(by: 30))
        server.on("/fast", .text("fast"))
        let port = server.port
        let text = try await offPool {
            let slow = try RawConnection(port: port)
            try slow.request("GET /slow")
            let fast = try RawConnection(port: port)
            return try fast.exchange("GET /fast").text
        }
        #expect(text == "fast")
    }

    @Test func wrongContentLengthIsSentAndClosesTheConnection() async throws {
        server.enqueue(MockResponse.text("short").header("Content-Length", "50"))
        let (data, ending) = try await server.talk { connection in
            try connection.request("GET /")
            return try connection.readToEnd()
        }
        #expect(String(decoding: data, as: UTF8.self).hasSuffix("Content-Length: 50\r\nConnection: close\r\n\r\nshort"))
        #expect(ending == .closed)
    }

    // MARK: Bit by bit

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
