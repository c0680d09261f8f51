import NetTesting
import TestLab
import Testing

/// How connections live: kept, pipelined, given up.
struct ConnectionTests {
    private let server: MockServer
    init() throws { server = try MockServer() }

    @Test func keepsConnectionsOrNot() async throws {
        let server = try MockServer { _ in .text("x") }
        let port = server.port
        let endings = try await offPool {
            try [
                "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: h\r\nConnection: x, Close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
                "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\n",
            ].map { request in
                let connection = try RawConnection(port: port)
                try connection.send(request)
                let (data, ending) = try connection.readToEnd()
                let count = String(decoding: data, as: UTF8.self).components(separatedBy: "HTTP/1.1 200").count - 1
                return "\(count) \(ending.map { "\($0)" } ?? "")"
            }
        }
        #expect(endings == ["1 closed", "1 closed", "1 closed", "2 closed"])
        await server.stop()
    }

    @Test func answersPipelinedRequestsInOrder() async throws {
        let server = try MockServer { request in
            // Some handlers take longer than the later ones.
            if request.path.hasSuffix("00") { try await Task.sleep(nanoseconds: 2_000_000) }
            return .text(request.path == "/\(request.bodyText.prefix { $0 != " " })" ? request.path : "wrong")
        }
        let texts = try await server.talk { connection in
            // More than the server takes in at once, and more than fits its first buffer.
            let requests = (0..<1_000).map { number in
                let body = "\(number) " + String(repeating: "x", count: 200 + number % 100)
                return "POST /\(number) HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            }
            try connection.send(requests.joined())
            return try (0..<1_000).map { _ in try connection.readResponse().text }
        }
        #expect(texts == (0..<1_000).map { "/\($0)" })
    }

    @Test func readsChunkedRequestsWithTrailers() async throws {
        try await server.talk { connection in
            try connection.send("PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel")
            try connection.send("lo\r\n6\r\n world\r\n0\r\nX-Sum: 1\r\n\r\n")
            _ = try connection.readResponse()
        }
        let request = try await server.takeRequest()
        #expect((request.bodyText, request.trailers["X-Sum"]) == ("hello world", "1"))
    }

    @Test func readsARequestThatComesInManyPieces() async throws {
        for size in [1, 3, 50] {
            try await server.talk { connection in
                let fields = (0..<20).map { "X-\($0): \(String(repeating: "v", count: 20))\r\n" }.joined()
                var rest = Data("PUT /\(size) HTTP/1.1\r\nHost: h\r\n\(fields)Content-Length: 5\r\n\r\nhello".utf8)
                while !rest.isEmpty {
                    try connection.send(Data(rest.prefix(size)))
                    rest = Data(rest.dropFirst(size))
                    // Not to wait for anything, but to let the server see the pieces as pieces.
                    sched_yield()
                }
                #expect(try connection.readResponse().status == 404)
            }
            let request = try await server.takeRequest()
            #expect((request.headers.count, request.bodyText) == (22, "hello"))
        }
    }

    @Test func readsAHeadOfHundredsOfKilobytes() async throws {
        let value = String(repeating: "v", count: 600_000)
        _ = try await server.answer(headers: ["X-Long: \(value)"])
        #expect(try await server.takeRequest().headers["X-Long"] == value)
    }

    @Test func recordsARequestThatWasCut() async throws {
        let server = try MockServer { _ in .ok }
        try await server.talk { connection in
            try connection.send("PUT /cut HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc")
            connection.close()
        }
        let request = try await server.takeRequest()
        #expect(request.bodyText == "abc" && !request.isBodyComplete)
        try await server.waitForOpenConnections()
    }

    @Test func refusesWhatIsNoRequest() async throws {
        let (response, ending) = try await server.talk { connection in
            try connection.send("GET / HTTP/1.1\r\nHost : h\r\n\r\n" + String(repeating: "x", count: 100_000))
            return (try connection.readResponse(), try connection.readToEnd().ending)
        }
        #expect((response.status, response["Connection"], ending) == (400, "close", .closed))
        #expect(server.requests.isEmpty && server.protocolErrors.count == 1)
    }

    /// Whatever comes, in whatever pieces: each client gets an end, and the server is there for the next.
    @Test func survivesGarbage() async throws {
        let server = try MockServer { _ in .text("x") }
        server.on("/fixed", .chunked(["a", "b"]))
        let original = Data(
            ("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc"
                + "POST /fixed HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n")
                .utf8)
        let port = server.port
        try await offPool {
            var random = SeededGenerator(state: 7)
            for _ in 0..<300 {
                let connection = try RawConnection(port: port)
                let bytes = random.mutate(original)
                let split = Int.random(in: 0...bytes.count, using: &random)
                try connection.send(Data(bytes.prefix(split)))
                sched_yield()
                // The server may have closed already: HTTP/1.0 is one byte away.
                try? connection.send(Data(bytes.dropFirst(split)))
                connection.shutdownWriting()
                _ = try connection.readToEnd()
            }
        }
        try await server.waitForOpenConnections()
        #expect(server.protocolErrors.count > 50)
        #expect(try await server.rawAnswer(to: "/fixed").hasPrefix("HTTP/1.1 200"))
    }

    /// Numbers as large as they can be, where somebody might calculate with them.
    @Test func survivesTheLargestLengths() async throws {
        server.enqueue(.fault(.close(.inRequestBody)), MockResponse.ok.readingRequest(bytesPerSecond: .max))
        for length in [Int64.max, .max] {
            try await server.talk { connection in
                try connection.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: \(length)\r\n\r\nabc")
                connection.shutdownWriting()
                _ = try connection.readToEnd()
            }
            #expect(try await server.takeRequest().bodyLength == 3)
        }
        server.enqueue(
            .bytes(count: .max).throttled(bytesPerSecond: .max), .bytes(count: .max).framed(.chunked),
            .gzippedZeros(count: .max), .bytes(count: .max).fault(.close(.inBody)), .bytes(count: .min),
            MockResponse.ok.delayed(by: .nan).throttled(bytesPerSecond: .min))
        for _ in 0..<6 {
            _ = try await server.talk { connection in
                try connection.request("GET /", headers: ["Connection: close"])
                return try connection.readToEnd(limit: 200_000).data.count
            }
        }
    }

    @Test func sendsContinueToWhomWaitsForIt() async throws {
        let server = try MockServer { .text($0.bodyText) }
        let lines = try await server.talk { connection in
            try connection.send("PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
            let interim = try connection.readResponse()
            try connection.send("abc")
            let final = try connection.readResponse()
            return [interim.statusLine, final.statusLine, final.text]
        }
        #expect(lines == ["HTTP/1.1 100 Continue", "HTTP/1.1 200 OK", "abc"])
    }

    @Test func canKeepTheContinueToItself() async throws {
        let server = try MockServer(sendsContinue: false) { .text($0.bodyText) }
        let response = try await server.talk { connection in
            try connection.send("PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc")
            return try connection.readResponse()
        }
        #expect(response.text == "abc")
    }

    /// With the client still sending: the answer must reach it, and not a reset.
    @Test(arguments: [true, false]) func answersBeforeTheBody(expectsContinue: Bool) async throws {
        server.enqueue(MockResponse.text("too large", status: 413).beforeRequestBody())
        let (response, ending) = try await server.talk { connection in
            let expect = expectsContinue ? "Expect: 100-continue\r\n" : ""
            try connection.send("PUT / HTTP/1.1\r\nHost: h\r\n\(expect)Content-Length: 1000000\r\n\r\n")
            if !expectsContinue { try connection.send(Data(count: 500_000)) }
            return (try connection.readResponse(), try connection.readToEnd().ending)
        }
        #expect((response.status, response["Connection"], ending) == (413, "close", .closed))
        #expect(try await !server.takeRequest().isBodyComplete)
    }

    @Test func readsASlowlyAsItIsTold() async throws {
        server.enqueue(MockResponse.ok.readingRequest(bytesPerSecond: 200_000))
        let elapsed = try await server.talk { connection in
            let start = ProcessInfo.processInfo.systemUptime
            try connection.exchange("PUT /", body: String(repeating: "x", count: 40_000))
            return ProcessInfo.processInfo.systemUptime - start
        }
        #expect(elapsed >= 0.1 && server.requests.first?.bodyLength == 40_000)
    }

    @Test func cancelsTheHandlerOfAClientThatLeft() async throws {
        let (cancelled, continuation) = AsyncStream.makeStream(of: Bool.self)
        let server = try MockServer { _ in
            do {
                try await Task.sleep(nanoseconds: 60_000_000_000)
                continuation.yield(false)
            } catch { continuation.yield(true) }
            return .ok
        }
        try await server.talk { try $0.request("GET /") }
        #expect(await cancelled.first { _ in true } == true)
        try await server.waitForOpenConnections()
    }

    @Test func closesTheConnectionOfAClientThatLeftDuringADelay() async throws {
        server.enqueue(MockResponse.ok.delayed(by: 3_600))
        try await server.talk { try $0.request("GET /") }
        _ = try await server.takeRequest()
        try await server.waitForOpenConnections()
    }

    @Test func answersAClientThatHasShutItsHalf() async throws {
        server.on("/", .text("still"))
        let text = try await server.talk { connection in
            try connection.request("GET /")
            try connection.request("GET /")
            connection.shutdownWriting()
            return String(decoding: try connection.readToEnd().data, as: UTF8.self)
        }
        #expect(text.components(separatedBy: "still").count == 3)
    }

    @Test func closesIdleConnectionsOnRequest() async throws {
        let ending = try await server.talk { connection in
            try connection.exchange("GET /")
            server.closeConnections()
            return try connection.readToEnd().ending
        }
        #expect(ending == .closed)
        #expect(try await server.rawAnswer().hasPrefix("HTTP/1.1 404"))
    }

    @Test func listensOnAUnixDomainSocket() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString.prefix(8)).sock")
            .path
        let server = try MockServer(unixSocketPath: path) { .text($0.path) }
        #expect((server.port, server.url("/a").absoluteString) == (0, "http://localhost/a"))
        let text = try await offPool {
            let connection = try RawConnection(path: path)
            return try connection.exchange("GET /over/unix").text
        }
        #expect(text == "/over/unix")
        #expect(throws: NetTestingError.self) { try MockServer(unixSocketPath: path) }
        await server.stop()
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(throws: NetTestingError.self) { try MockServer(unixSocketPath: String(repeating: "x", count: 200)) }
        #expect(throws: NetTestingError.self) { try MockServer(unixSocketPath: "") }
    }
}
