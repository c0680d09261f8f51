import NetTesting
import NetWebSocket
import Testing

/// The server's end of RFC 6455: byte by byte with the RFC's own samples, and with our client.
struct MockWebSocketTests {
    private let server: MockServer
    init() throws { server = try MockServer() }

    private static let opening = [
        "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
    ]

    /// What comes back for these bytes on an open WebSocket, to its end or a silence.
    private func answer(
        _ bytes: [UInt8], by socket: MockWebSocket = MockWebSocket(), patience: Double = 60
    ) async throws -> (data: [UInt8], ending: RawConnection.Ending?) {
        server.on("/", .webSocket(socket))
        let (data, ending) = try await server.talk(patience: patience) { connection in
            #expect(try connection.exchange("GET /", headers: Self.opening, toHead: true).status == 101)
            try connection.send(Data(bytes))
            return try connection.readToEnd()
        }
        return ([UInt8](data), ending)
    }

    private static func masked(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [first, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload
    }

    /// Sections 1.3 and 4.2.2.
    @Test func opens() async throws {
        server.on("/", .webSocket(MockWebSocket(subprotocol: "chat")))
        let response = try await server.answer(headers: Self.opening, toHead: true)
        #expect((response.statusLine, response["Upgrade"]) == ("HTTP/1.1 101 Switching Protocols", "websocket"))
        #expect(response["Connection"] == "Upgrade")
        #expect(response["Sec-WebSocket-Accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect((response["Sec-WebSocket-Protocol"], server.requests.map(\.path)) == ("chat", ["/"]))
    }

    @Test(arguments: [[], ["Upgrade: websocket"], opening.map { $0.replacingOccurrences(of: "13", with: "12") }])
    func refusesWhatIsNoHandshake(_ headers: [String]) async throws {
        server.on("/", .webSocket())
        let response = try await server.answer(headers: headers)
        #expect((response.status, response["Upgrade"], response["Sec-WebSocket-Version"]) == (426, "websocket", "13"))
    }

    /// Section 5.7: "Hello", masked; then a close.
    @Test func echoesTheSampleOfTheRFC() async throws {
        let hello: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        let ping = Self.masked(0x89, [1, 2])
        let close = Self.masked(0x88, [0x03, 0xE8])
        let (data, ending) = try await answer(hello + ping + close)
        #expect(data == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x8A, 0x02, 1, 2, 0x88, 0x02, 0x03, 0xE8])
        #expect(ending == .closed)
    }

    @Test func closesWithTheReasonWhenTheRulesAreBroken() async throws {
        // Not masked: 1002. No UTF-8: 1007.
        #expect(try await answer([0x81, 0x01, 0x61]).data == [0x88, 0x02, 0x03, 0xEA])
        #expect(try await answer(Self.masked(0x81, [0xFF])).data == [0x88, 0x02, 0x03, 0xEF])
    }

    @Test func saysWhatItIsTold() async throws {
        let socket = MockWebSocket(
            [
                .message(.text("a")), .fragmented(.binary(Data([1, 2, 3])), frames: 2), .ping(Data([9])), .pause(0.001),
                .raw(Data([0xFF])), .close(.goingAway, reason: "x"),
            ], echoes: false)
        let (data, ending) = try await answer(Self.masked(0x81, [0x62]) + Self.masked(0x88, [0x03, 0xE9]), by: socket)
        #expect(data == [0x81, 1, 0x61, 0x02, 2, 1, 2, 0x80, 1, 3, 0x89, 1, 9, 0xFF, 0x88, 3, 0x03, 0xE9, 0x78])
        #expect(ending == .closed)
    }

    @Test(arguments: [(MockWebSocket.Step.drop, RawConnection.Ending.closed), (.reset, .reset)])
    func goesAway(_ step: MockWebSocket.Step, _ ending: RawConnection.Ending) async throws {
        #expect(try await answer([], by: MockWebSocket([.message(.text("a")), .pause(0.02), step])).ending == ending)
    }

    /// RFC 7692, section 7.2.3.1, and the answers to offers.
    @Test func compresses() async throws {
        var compression = WebSocket.Compression.deflate
        compression.minimumMessageSize = 0
        compression.serverMaxWindowBits = 12
        let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        for (offer, answer) in [
            ("permessage-deflate", "permessage-deflate; server_max_window_bits=12"),
            (
                "permessage-deflate; server_max_window_bits=8, permessage-deflate; client_max_window_bits",
                "permessage-deflate; server_max_window_bits=12; client_max_window_bits=15"
            ),
            (
                "x, permessage-deflate; server_max_window_bits=10; server_no_context_takeover",
                "permessage-deflate; server_no_context_takeover; server_max_window_bits=10"
            ),
            ("permessage-deflate; x", nil),
        ] as [(String, String?)] {
            let server = try MockServer()
            server.on("/", .webSocket(MockWebSocket([.message(.text("Hello"))], compression: compression)))
            let data = try await server.talk { connection in
                try connection.request("GET /", headers: Self.opening + ["Sec-WebSocket-Extensions: \(offer)"])
                #expect(try connection.readResponse(toHead: true)["Sec-WebSocket-Extensions"] == answer)
                if answer != nil { try connection.send(Data(Self.masked(0xC1, hello))) }
                try connection.send(Data(Self.masked(0x88, [0x03, 0xE8])))
                return try connection.readToEnd().data
            }
            if answer != nil {
                #expect((data.prefix(9), data.dropFirst(9).first) == (Data([0xC1, 0x07] + hello), 0xC1))
            } else {
                #expect(data.prefix(7) == Data([0x81, 0x05]) + Data("Hello".utf8))
            }
        }
    }

    #if os(Linux)
        /// Without compression, and with it.
        @Test(arguments: [nil, false, true] as [Bool?]) func echoesToOurClient(_ noContextTakeover: Bool?) async throws
        {
            let server = try MockServer()
            var socket = MockWebSocket([.fragmented(.text(String(repeating: "a", count: 900)), frames: 3)])
            var options = WebSocket.Options()
            if let noContextTakeover {
                (socket.compression, options.compression) = (.deflate, .deflate)
                socket.compression?.clientMaxWindowBits = 9
                options.compression?.serverNoContextTakeover = noContextTakeover
            }
            server.on("/echo", .webSocket(socket))
            let client = NetworkClient()
            let opened = try await client.webSocket(to: server.url("/echo"), options: options)
            #expect(opened.compression?.clientMaxWindowBits == noContextTakeover.map { _ in 9 })
            #expect(opened.compression?.serverNoContextTakeover == noContextTakeover)
            #expect(try await opened.receive()?.text?.utf8.count == 900)
            for size in [0, 1, 125, 126, 200, 70_000, 3_000_000] {
                let content = MockResponse.generatedBytes(count: size)
                try await opened.send(.binary(content))
                try await opened.send(.text(String(decoding: content, as: UTF8.self)))
                #expect(try await opened.receive() == .binary(content))
                #expect(try await opened.receive() == .text(String(decoding: content, as: UTF8.self)))
            }
            await opened.close()
            await client.shutdown()
            try await server.waitForOpenConnections()
            #expect(server.protocolErrors.isEmpty)
        }
    #endif
}
