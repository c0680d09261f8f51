import Testing

@testable import NetTesting

/// A well-behaved HTTP/2 server, seen frame by frame.
struct HTTP2ServerTests {
    private let server: MockServer
    init() throws { server = try MockServer.http2() }

    @Test func answersAndRecords() async throws {
        let server = try MockServer.http2 { .text("\($0.method) \($0.target) \($0.bodyText)") }
        server.enqueue(.text("scripted").header("X-One", "1").header("Connection", "keep-alive"))
        server.on("/route", .text("routed"))
        try await server.frames { connection in
            let first = try connection.get("/a?b=c", fields: [HPACKField("x-one", "1"), HPACKField("x-one", "2")])
            #expect((first.status, first["content-length"], first["x-one"]) == ("200", "8", "1"))
            #expect((first["connection"], first.text) == (nil, "scripted"))
            #expect(try connection.get("/route").text == "routed")
            let posted = try connection.response(connection.request("POST", "/b", body: Data("hello".utf8)))
            #expect(posted.text == "POST /b hello")
            let head = try connection.response(connection.request("HEAD", "/route"))
            #expect(head["content-length"] == "6" && head.body.isEmpty && head.frames.map(\.kind) == [.headers])
        }
        let requests = server.requests
        #expect(requests.map(\.target) == ["/a?b=c", "/route", "/b", "/route"])
        #expect((requests.map(\.stream), requests.map(\.indexOnConnection)) == ([1, 3, 5, 7], [0, 1, 2, 3]))
        #expect((requests[0].httpVersion, requests[0].headers["Host"]) == ("HTTP/2", "test"))
        #expect((requests[0].headers.values(for: "X-One"), requests[2].bodyText) == (["1", "2"], "hello"))
        #expect(requests.allSatisfy { $0.isBodyComplete && $0.connection == 1 })
        #expect(server.protocolErrors.isEmpty)
    }

    @Test func speaksHTTP1ToThoseWhoDo() async throws {
        let server = try MockServer.http2 { _ in .text("old") }
        #expect(try await server.rawAnswer().hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(server.requests.map(\.stream) == [nil])
        // "P" alone could be both.
        let text = try await server.talk { connection in
            try connection.send("P")
            try connection.send("RI / HTTP/1.1\r\nHost: x\r\n\r\n")
            return try connection.readResponse().text
        }
        #expect(text == "old")
    }

    @Test func refusesThePrefaceByDefault() async throws {
        let server = try MockServer()
        let answer = try await server.talk { connection in
            try connection.send(Data(HTTP2Preface.bytes))
            return String(decoding: try connection.readToEnd().data, as: UTF8.self)
        }
        #expect(answer.hasPrefix("HTTP/1.1 505 "))
    }

    @Test func answersStreamsInParallel() async throws {
        server.on("/slow", .text("slow").delayed(by: 0.2))
        server.on("/large", .bytes(count: 30_000))
        try await server.frames { connection in
            let slow = try connection.request("GET", "/slow")
            let large = [try connection.request("GET", "/large"), try connection.request("GET", "/large")]
            let responses = try connection.responses([slow] + large)
            #expect(responses[slow]?.text == "slow")
            for id in large { #expect(responses[id]?.body == MockResponse.generatedBytes(count: 30_000)) }
        }
        #expect(server.http2Connections.map(\.streams) == [3])
    }

    @Test func staysWithinTheWindows() async throws {
        let server = try MockServer.http2 { _ in .bytes(count: 200_000) }
        try await server.frames(settings: [4: 1_000]) { connection in
            let stream = try connection.request()
            var count = 0
            func expectData(upTo limit: Int) throws {
                while count < limit { count += try connection.next(.data).payload.count }
                #expect(count == limit)
                connection.raw.setPatience(0.1)
                #expect(throws: RawConnection.Failure.self) { while true { _ = try connection.next(.data) } }
                connection.raw.setPatience(60)
            }
            try expectData(upTo: 1_000)
            // The stream's window is large now, and the connection's has 64,535 bytes left.
            try connection.send(
                MockHTTP2Frame(.windowUpdate, payload: Data(UInt32(1_000_000).bigEndianBytes)), on: stream)
            try expectData(upTo: 65_535)
            try connection.send(MockHTTP2Frame(.windowUpdate, payload: Data(UInt32(1_000_000).bigEndianBytes)))
            var frame = try connection.next(.data)
            count += frame.payload.count
            while !frame.endsStream {
                frame = try connection.next(.data)
                count += frame.payload.count
            }
            #expect(count == 200_000)
        }
        let seen = try #require(server.http2Connections.first)
        #expect((seen.windowUpdates, seen.unreturnedBytes) == ([0: 1_000_000, 1: 1_000_000], -800_000))
        #expect(seen.settings == [4: 1_000])
    }

    @Test func extendsTheWindowsOfUploads() async throws {
        let server = try MockServer.http2 { .text("\($0.bodyLength)") }
        try await server.frames { connection in
            let stream = try connection.request("PUT", "/", body: Data(count: 10_000), ends: false)
            var windows: [Int: Int] = [0: 55_535, Int(stream): 55_535]
            for number in 1...30 {
                while windows.values.contains(where: { $0 < 10_000 }) {
                    let update = try connection.next(.windowUpdate)
                    windows[update.stream]? += Int(update.number(at: 0) as UInt32)
                }
                for key in windows.keys { windows[key]? -= 10_000 }
                try connection.send(
                    MockHTTP2Frame(.data, flags: number == 30 ? 1 : 0, payload: Data(count: 10_000)), on: stream)
            }
            #expect(try connection.response(stream).text == "310000")
        }
    }

    @Test func acknowledgesSettingsAndPings() async throws {
        try await server.frames(settings: [2: 0]) { connection in
            let settings = try connection.next()
            #expect(settings.kind == .settings && settings.header.flags == 0)
            let values = stride(from: 0, to: settings.payload.count, by: 6).map { offset in
                [Int(settings.number(at: offset, as: UInt16.self)), Int(settings.number(at: offset + 2) as UInt32)]
            }
            #expect(values == [[1, 4_096], [3, 128], [4, 65_535], [5, 16_384]])
            try connection.send(MockHTTP2Frame(.settings, flags: 1))
            try connection.send(MockHTTP2Frame(.ping, payload: Data("12345678".utf8)))
            #expect(try connection.next(.settings).header.flags == 1)
            let ping = try connection.next(.ping)
            #expect(ping.header.flags == 1 && ping.payload == Data("12345678".utf8))
        }
        try await server.waitForHTTP2 { $0.first?.settingsAcknowledgements == 1 && $0.first?.pings == 1 }
    }

    @Test func sendsPausesHoldsAndTrailers() async throws {
        server.enqueue(
            MockResponse(body: .stream([.bytes(Data("a".utf8)), .pause(0.01), .bytes(Data("b".utf8))]))
                .preceded(by: 103, headers: ["Link": "<x>"]).trailers(["X-Sum": "1"]),
            MockResponse(body: .stream([.bytes(Data("held".utf8)), .hold])), .text("next"),
            .bytes(count: 1_000).throttled(bytes: 400, every: 0.01))
        try await server.frames { connection in
            let first = try connection.get()
            #expect(first.heads.map { $0[0].value } == ["103", "200", "1"])
            #expect(first["x-sum"] == "1" && first["link"] == "<x>" && first["content-length"] == nil)
            #expect(first.text == "ab")
            let held = try connection.request()
            #expect(try connection.get().text == "next")
            try connection.send(MockHTTP2Frame(.reset, payload: Data(UInt32(8).bigEndianBytes)), on: held)
            #expect(try connection.get().frames.filter { $0.kind == .data }.map(\.payload.count) == [400, 400, 200])
        }
        #expect(server.http2Connections.first?.resets.map(\.code) == [.cancel])
        #expect(server.http2Connections.first?.resets.map(\.stream) == [3])
    }

    @Test func refusesStreamsBeyondTheLimit() async throws {
        var settings = MockHTTP2Settings()
        settings.maxConcurrentStreams = 2
        let server = try MockServer.http2(settings) { _ in MockResponse(body: .stream([.hold])) }
        try await server.frames { connection in
            for _ in 0..<2 { try connection.request() }
            #expect(try connection.response(connection.request()).reset == .refusedStream)
        }
        #expect((server.http2Connections.first?.refusedStreams, server.requests.count) == (1, 2))
    }

    @Test func recyclesConnections() async throws {
        var settings = MockHTTP2Settings()
        settings.goAwayAfter = 3
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let server = try MockServer.http2(settings) { request in
            for await _ in gate {}
            return .text(request.path)
        }
        try await server.frames { [weak server] connection in
            let streams = try (0..<5).map { try connection.request("GET", "/\($0)") }
            let goAway = try connection.next(.goAway)
            #expect((goAway.number(at: 0), goAway.number(at: 4)) == (5, 0))
            // It answers when it has seen all five, and closes the connection then.
            for _ in 0..<30_000 where server?.http2Connections.first?.ignoredStreams != 2 { usleep(1000) }
            opener.finish()
            let responses = try connection.responses(Array(streams.prefix(3)))
            #expect(streams.prefix(3).map { responses[$0]?.text } == ["/0", "/1", "/2"])
            #expect(try connection.raw.readToEnd().ending == .closed)
        }
        #expect(server.requests.map(\.path) == ["/0", "/1", "/2"])
        let seen = try #require(server.http2Connections.first)
        #expect((seen.streams, seen.ignoredStreams, seen.openStreams) == (3, 2, 0))
    }

    @Test func goesAwayOnDemand() async throws {
        let server = try MockServer.http2 { _ in .text("x") }
        for code in [TransportError.HTTP2Code.noError, .enhanceYourCalm] {
            try await server.frames { [weak server] connection in
                _ = try connection.get()
                server?.goAway(code)
                let goAway = try connection.next(.goAway)
                #expect((goAway.number(at: 0), goAway.number(at: 4)) == (1, code.rawValue))
                #expect(try connection.raw.readToEnd().ending == .closed)
            }
        }
        try await server.waitForHTTP2 { $0.allSatisfy { !$0.isOpen } }
    }

    @Test func closesBehindAResponse() async throws {
        let server = try MockServer.http2 { _ in .text("last").closingConnection() }
        server.enqueue(.text("late").delayed(by: 0.1))
        try await server.frames { connection in
            let streams = [try connection.request(), try connection.request()]
            let responses = try connection.responses(streams)
            #expect(streams.map { responses[$0]?.text } == ["late", "last"])
            #expect(responses[0]?.frames.contains { $0.kind == .goAway } == true)
            #expect(try connection.raw.readToEnd().ending == .closed)
        }
    }

    @Test func answersBeforeTheBody() async throws {
        server.enqueue(.status(413).beforeRequestBody())
        try await server.frames { connection in
            let stream = try connection.request("POST", "/", body: Data("some".utf8), ends: false)
            #expect(try connection.response(stream).status == "413")
            #expect(try connection.next(.reset).number(at: 0) as UInt32 == 0)
            // What is still on its way disturbs nothing.
            try connection.send(MockHTTP2Frame(.data, flags: 1, payload: Data("more".utf8)), on: stream)
            #expect(try connection.get().status == "404")
        }
        #expect(server.requests.first?.isBodyComplete == false)
    }

    @Test func continuesOnExpectation() async throws {
        let server = try MockServer.http2 { .text($0.bodyText) }
        try await server.frames { connection in
            let stream = try connection.request(
                "POST", "/", fields: [HPACKField("expect", "100-continue")], body: nil, ends: false)
            _ = try connection.next(.headers)
            try connection.send(MockHTTP2Frame(.data, flags: 1, payload: Data("go".utf8)), on: stream)
            #expect(try connection.response(stream).text == "go")
        }
    }
}
