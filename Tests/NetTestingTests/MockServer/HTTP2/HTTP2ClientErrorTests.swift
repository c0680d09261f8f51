import TestLab
import Testing

@testable import NetTesting

/// A client that breaks the rules is told so, and hurts nobody.
struct HTTP2ClientErrorTests {
    struct Violation: Sendable, CustomTestStringConvertible {
        typealias Send = @Sendable (FrameConnection) throws -> Void
        let name: String
        let code: TransportError.HTTP2Code
        let send: Send
        var testDescription: String { name }
        init(_ name: String, _ code: TransportError.HTTP2Code, _ send: @escaping Send) {
            (self.name, self.code, self.send) = (name, code, send)
        }
    }

    private static func frame(
        _ kind: MockHTTP2Frame.Kind, _ payload: [UInt8], flags: UInt8 = 0, on stream: UInt32 = 0
    ) -> Violation.Send { { try $0.send(MockHTTP2Frame(kind, flags: flags, payload: Data(payload)), on: stream) } }

    static let ofTheConnection: [Violation] = [
        Violation("long frame", .frameSizeError, frame(.data, Array(repeating: 0, count: 16_385), on: 1)),
        Violation("DATA on an idle stream", .protocolError, frame(.data, [1], on: 1)),
        Violation("RST_STREAM on an idle stream", .protocolError, frame(.reset, [0, 0, 0, 0], on: 1)),
        Violation("WINDOW_UPDATE of zero", .protocolError, frame(.windowUpdate, [0, 0, 0, 0])),
        Violation("WINDOW_UPDATE of three bytes", .frameSizeError, frame(.windowUpdate, [0, 0, 1])),
        Violation("WINDOW_UPDATE beyond 2^31-1", .flowControlError, frame(.windowUpdate, [0x7F, 0xFF, 0xFF, 0xFF])),
        Violation("SETTINGS of five bytes", .frameSizeError, frame(.settings, [0, 4, 0, 0, 0])),
        Violation("SETTINGS on a stream", .protocolError, frame(.settings, [], on: 1)),
        Violation("a window of 2^31", .flowControlError, frame(.settings, [0, 4, 0x80, 0, 0, 0])),
        Violation("a small MAX_FRAME_SIZE", .protocolError, frame(.settings, [0, 5, 0, 0, 0, 1])),
        Violation("ENABLE_PUSH of 2", .protocolError, frame(.settings, [0, 2, 0, 0, 0, 2])),
        Violation("PING of seven bytes", .frameSizeError, frame(.ping, Array(repeating: 0, count: 7))),
        Violation("GOAWAY of seven bytes", .frameSizeError, frame(.goAway, Array(repeating: 0, count: 7))),
        Violation("PUSH_PROMISE", .protocolError, frame(.pushPromise, [0, 0, 0, 2], on: 1)),
        Violation("CONTINUATION alone", .protocolError, frame(.continuation, [0x82], on: 1)),
        Violation("HEADERS on an even stream", .protocolError, frame(.headers, [0x82], flags: 5, on: 2)),
        Violation("a wrong index", .compressionError, frame(.headers, [0xFF, 0x7F], flags: 5, on: 1)),
        Violation("too much padding", .protocolError, frame(.headers, [9, 0x82], flags: 0xD, on: 1)),
        Violation("a short priority", .frameSizeError, frame(.headers, [0, 0], flags: 0x25, on: 1)),
        Violation("an interrupted field block", .protocolError) { connection in
            try frame(.headers, [0x82], flags: 1, on: 1)(connection)
            try frame(.ping, Array(repeating: 0, count: 8))(connection)
        },
        Violation("an endless field block", .enhanceYourCalm) { connection in
            try frame(.headers, [0x82], flags: 1, on: 1)(connection)
            for _ in 0..<65 { try frame(.continuation, Array(repeating: 0x82, count: 16_384), on: 1)(connection) }
        },
    ]

    @Test(arguments: ofTheConnection) func endsTheConnection(_ violation: Violation) async throws {
        let server = try MockServer.http2()
        try await server.frames { connection in
            try violation.send(connection)
            #expect(try connection.next(.goAway).number(at: 4) == violation.code.rawValue)
            #expect(try connection.raw.readToEnd().ending == .closed)
        }
        #expect(server.protocolErrors.count == 1)
    }

    @Test func refusesAnotherPreface() async throws {
        let server = try MockServer(httpVersions: .http2Only)
        try await server.talk { raw in
            try raw.request("GET /")
            let connection = FrameConnection(raw)
            #expect(try connection.next(.goAway).number(at: 4) == TransportError.HTTP2Code.protocolError.rawValue)
            #expect(try raw.readToEnd().ending == .closed)
        }
    }

    static let ofAStream: [Violation] = [
        Violation("no path", .protocolError) {
            try $0.request([HPACKField(":method", "GET"), HPACKField(":scheme", "http")])
        },
        Violation("a field in upper case", .protocolError) { try $0.request(fields: [HPACKField("X-Upper", "1")]) },
        Violation("connection", .protocolError) { try $0.request(fields: [HPACKField("connection", "close")]) },
        Violation("an unknown pseudo-field", .protocolError) { try $0.request(fields: [HPACKField(":odd", "1")]) },
        Violation("a pseudo-field behind a field", .protocolError) {
            try $0.request(fields: [HPACKField("a", "1"), HPACKField(":path", "/")])
        },
        Violation("two lengths", .protocolError) {
            try $0.request(fields: [HPACKField("content-length", "1"), HPACKField("content-length", "2")])
        },
        Violation("a short body", .protocolError) {
            try $0.request("PUT", "/", fields: [HPACKField("content-length", "9")], body: Data("four".utf8))
        },
        Violation("DATA behind END_STREAM", .streamClosed) {
            let stream = try $0.request("GET", "/held")
            try $0.send(MockHTTP2Frame(.data, payload: Data("x".utf8)), on: stream)
        },
        Violation("WINDOW_UPDATE of zero", .protocolError) {
            let stream = try $0.request("GET", "/held")
            try $0.send(MockHTTP2Frame(.windowUpdate, payload: Data(count: 4)), on: stream)
        },
        Violation("trailers without END_STREAM", .protocolError) {
            let stream = try $0.request("PUT", "/held", ends: false)
            try $0.send(MockHTTP2Frame(.headers, flags: 4, payload: Data([0x82])), on: stream)
        },
    ]

    @Test(arguments: ofAStream) func endsTheStream(_ violation: Violation) async throws {
        let server = try MockServer.http2 { _ in .text("fine") }
        server.on("/held", MockResponse(body: .stream([.hold])))
        try await server.frames { connection in
            try violation.send(connection)
            #expect(try connection.next(.reset).number(at: 0) == violation.code.rawValue)
            #expect(try connection.get().text == "fine")
        }
        #expect(server.protocolErrors.count == 1)
    }

    @Test func keepsToItsOwnWindows() async throws {
        var settings = MockHTTP2Settings()
        settings.initialWindowSize = 1_000
        let server = try MockServer.http2(settings)
        try await server.frames { connection in
            // Until the server's settings are acknowledged, a window is 65,535 bytes.
            try connection.send(MockHTTP2Frame(.settings, flags: MockHTTP2Frame.acknowledges))
            let stream = try connection.request("PUT", "/", body: Data(count: 1_001), ends: false)
            let reset = try connection.next(.reset)
            #expect(
                reset.header.stream == stream
                    && reset.number(at: 0) == TransportError.HTTP2Code.flowControlError.rawValue)
        }
    }

    @Test func limitsFieldLists() async throws {
        var settings = MockHTTP2Settings()
        settings.maxHeaderListSize = 1_000
        let server = try MockServer.http2(settings) { _ in .ok }
        try await server.frames { connection in
            let large = try connection.get(fields: [HPACKField("x", String(repeating: "x", count: 1_000))])
            #expect(try (large.status, connection.get().status) == ("431", "200"))
        }
    }

    @Test func joinsCookiesAndTakesTrailers() async throws {
        let server = try MockServer.http2 { .text($0.headers["Cookie"] ?? "") }
        try await server.frames { connection in
            #expect(
                try connection.get(fields: [HPACKField("cookie", "a=1"), HPACKField("cookie", "b=2")]).text
                    == "a=1; b=2")
            let stream = try connection.request("POST", "/", body: Data("x".utf8), ends: false)
            try connection.send(MockHTTP2Frame(.headers, flags: 5, payload: Data([0, 1, 0x74, 1, 0x31])), on: stream)
            #expect(try connection.response(stream).status == "200")
        }
        #expect((server.requests.last?.trailers["t"], server.requests.last?.isBodyComplete) == ("1", true))
    }

    /// A client that floods and does not read is not read either, and others do not notice.
    @Test func boundsWhatItOwes() async throws {
        let server = try MockServer.http2 { _ in .text("served") }
        try await server.frames { [weak server] flooding in
            let ping = MockHTTP2Frame(.ping, payload: Data(count: 8)).encoded(on: 0)
            let many = Data((0..<4_000).flatMap { _ in ping })
            flooding.raw.setSendPatience(0.2)
            var sent = 0
            while (try? flooding.raw.send(many)) != nil, sent < 200 { sent += 1 }
            // 200 would be 13 MB: the sockets' buffers and 1 MB of acknowledgements hold less.
            #expect(sent < 200)
            let other = FrameConnection(try RawConnection(port: try #require(server?.port)))
            try other.begin()
            #expect(try other.get().text == "served")
        }
    }

    @Test func survivesRapidReset() async throws {
        let server = try MockServer.http2 { _ in
            try await Task.sleep(nanoseconds: 60_000_000_000)
            return .ok
        }
        server.on("/fine", .text("fine"))
        try await server.frames { connection in
            for _ in 0..<2_000 {
                let stream = try connection.request()
                try connection.send(MockHTTP2Frame(.reset, payload: Data(count: 4)), on: stream)
            }
            #expect(try connection.get("/fine").text == "fine")
        }
        #expect((server.requestCount, server.http2Connections.first?.openStreams) == (2_001, 0))
    }

    /// Frames with random headers and payloads, and random bytes: no trap, no hang.
    @Test func survivesNonsense() async throws {
        let server = try MockServer.http2 { .text($0.bodyText) }
        for seed in 1...60 as ClosedRange<UInt64> {
            try await server.talk { raw in
                var random = SeededGenerator(state: seed &* 0x9E37_79B9_7F4A_7C15)
                let connection = FrameConnection(raw)
                try connection.begin()
                for _ in 0..<200 {
                    let payload = random.bytes(.random(in: 0...40, using: &random))
                    let kind = MockHTTP2Frame.Kind(rawValue: UInt8.random(in: 0...10, using: &random))
                    let frame = MockHTTP2Frame(kind, flags: UInt8.random(in: 0...255, using: &random), payload: payload)
                    // It may be closed already.
                    guard (try? connection.send(frame, on: UInt32.random(in: 0...5, using: &random))) != nil else {
                        return
                    }
                    if seed % 3 == 0, (try? connection.request()) == nil { return }
                    if seed % 10 == 0, (try? raw.send(payload)) == nil { return }
                }
            }
        }
        try await server.waitForOpenConnections()
        #expect(try await server.frames { connection in try connection.get().status } == "200")
    }
}
