import NetTesting
import NetWebSocket
import TestLab
import Testing

/// Compression with another implementation: Python's `websockets`.
@Suite(.timeLimit(.minutes(10)), .requires(.pythonPackages)) struct WebSocketCompressionPeerTests {
    private let server: PythonWebSocketServer
    private let client = NetworkClient()

    init() async throws { server = try await PythonWebSocketServer() }

    /// The parameters of one end, in the order of RFC 7692.
    struct Parameters: Sendable {
        var serverNo = false, clientNo = false
        var serverBits: Int?
        var clientBits: Int?

        var compression: WebSocket.Compression {
            WebSocket.Compression {
                ($0.serverNoContextTakeover, $0.clientNoContextTakeover) = (serverNo, clientNo)
                ($0.serverMaxWindowBits, $0.clientMaxWindowBits) = (serverBits, clientBits)
                $0.minimumMessageSize = 0
            }
        }

        var query: String {
            "server_no_context_takeover=\(serverNo)&client_no_context_takeover=\(clientNo)"
                + (serverBits.map { "&server_max_window_bits=\($0)" } ?? "")
                + (clientBits.map { "&client_max_window_bits=\($0)" } ?? "")
        }

        /// What both have to agree on.
        func agreed(with server: Parameters) -> WebSocket.Compression {
            Parameters(
                serverNo: serverNo || server.serverNo, clientNo: clientNo || server.clientNo,
                serverBits: min(serverBits ?? 15, server.serverBits ?? 15),
                clientBits: clientBits.map { min($0, server.clientBits ?? 15) } ?? 15
            ).compression
        }

        static func all(_ bits: [Int?]) -> [Parameters] {
            let windows = bits.flatMap { server in bits.map { (server, $0) } }
            return [(false, false), (false, true), (true, false), (true, true)].flatMap { flag in
                windows.map { Parameters(serverNo: flag.0, clientNo: flag.1, serverBits: $0.0, clientBits: $0.1) }
            }
        }
    }

    private func options(_ compression: WebSocket.Compression?) -> WebSocket.Options {
        WebSocket.Options { ($0.compression, $0.closeTimeout) = (compression, 120) }
    }

    /// Text that is like itself, but not everywhere.
    private func text(_ size: Int) -> String { String(decoding: pattern(size).map { 97 + $0 % 26 }, as: UTF8.self) }

    @Test func everyParameterIsNegotiated() async throws {
        let pairs = Parameters.all([nil, 9, 15]).flatMap { ours in Parameters.all([nil, 10]).map { (ours, $0) } }
        for (ours, theirs) in pairs {
            let socket = try await client.webSocket(
                to: server.url("split?fragments=3&\(theirs.query)"), options: options(ours.compression))
            #expect(socket.compression == ours.agreed(with: theirs), "\(ours) \(theirs)")
            for message: WebSocket.Message in [
                .text(""), .text(text(3)), .binary(pattern(40_000)), .text(text(9000)), .binary(Data([1])),
                .text("Grüße"), .text(text(9000)), .binary(pattern(40_000)),
            ] {
                try await socket.send(message)
                #expect(try await socket.receive() == message, "\(ours) \(theirs)")
            }
            await socket.close()
            #expect(socket.closeCode == .normalClosure)
        }
        #expect(server.log.filter { $0.hasPrefix("compressed") }.count == 36 * 16 * 8)
    }

    /// As Autobahn's cases 12 and 13: counts of messages of sizes, in fragments of sizes, with sets of parameters.
    @Test(arguments: [
        Parameters(clientBits: 15), Parameters(serverNo: true, clientBits: 15),
        Parameters(serverBits: 9, clientBits: 15), Parameters(serverBits: 15, clientBits: 15),
        Parameters(serverNo: true, serverBits: 9, clientBits: 15),
        Parameters(serverNo: true, serverBits: 15, clientBits: 15),
        Parameters(clientNo: true, serverBits: 9, clientBits: 9),
    ]) func messagesOfEverySizeAreEchoed(_ parameters: Parameters) async throws {
        for (size, count, fragment) in [
            (16, 200, nil), (64, 100, nil), (256, 100, 64), (1024, 100, 256), (4096, 50, nil), (8192, 50, 256),
            (16_384, 30, 1024), (32_768, 20, nil), (65_536, 20, 4096), (131_072, 20, 32_768), (4 << 20, 2, 65_536),
        ] as [(Int, Int, Int?)] {
            var options = options(parameters.compression)
            options.fragmentSize = fragment
            let socket = try await client.webSocket(
                to: server.url("split?fragments=\(fragment == nil ? 1 : 4)"), options: options)
            let messages: [WebSocket.Message] = [.text(text(size)), .binary(pattern(size))]
            let sender = Task { for index in 0..<count { try await socket.send(messages[index % 2]) } }
            for index in 0..<count { #expect(try await socket.receive() == messages[index % 2]) }
            try await sender.value
            await socket.close()
        }
    }

    @Test func smallMessagesAreNotCompressed() async throws {
        let socket = try await client.webSocket(to: server.url("echo"), options: options(.deflate))
        for size in [0, 127, 128, 127, 128] { try await socket.expectEcho(.text(text(size))) }
        await socket.close()
        // The second message refers to the first.
        let sizes = server.log.compactMap { $0.hasPrefix("compressed ") ? Int($0.dropFirst(11)) : nil }
        #expect(sizes.count == 2 && sizes.last ?? 128 < 20)
    }

    @Test func compressionNeedsBothEnds() async throws {
        let url = try server.url("echo?drop-field=Sec-WebSocket-Extensions")
        for (url, compression) in [(try server.url("echo"), nil), (url, .deflate)] as [(URL, WebSocket.Compression?)] {
            let socket = try await client.webSocket(to: url, options: options(compression))
            #expect(socket.compression == nil)
            await socket.close()
        }
        var wish = WebSocket.Compression { $0.isRequired = true }
        let failure = await webSocketFailure { try await client.webSocket(to: url, options: options(wish)) }
        #expect(failure?.webSocketError?.code == .compressionDeclined)
        wish.level = 12
        let refusal = await webSocketFailure { try await client.webSocket(to: url, options: options(wish)) }
        #expect(refusal?.cause == .invalidRequest)
    }

    /// The offer follows redirects, to other origins too, a refresh, and each new connection.
    @Test func compressionIsOfferedInEachHandshake() async throws {
        let other = try await PythonWebSocketServer()
        let target = try other.url("echo").absoluteString.replacingOccurrences(of: "ws:", with: "http:")
        for (client, path) in [
            (client, "status?code=307&location=/echo"), (client, "status?code=307&location=\(target)"),
            (NetworkClient.refreshingItsToken(), "echo?token=new"),
        ] {
            let socket = try await client.webSocket(to: server.url(path), options: options(.deflate))
            #expect(socket.compression != nil)
            try await socket.expectEcho(.text(text(1000)))
            await socket.close()
        }
        #expect(server.requests == ["/status", "/echo", "/status", "/echo", "/echo"])
        let feed = NetworkClient(clock: TestClock(autoAdvance: true)).reconnectingWebSocket(
            to: try server.url("feed?code=1011&stays=3"), options: options(.deflate)
        ) { socket in
            #expect(socket.compression != nil)
            try await socket.send(.text(text(500)))
        }
        let received = try await feed.texts(6)
        #expect(received.count == 6 && received.allSatisfy { $0.hasPrefix(text(500)) })
        await feed.close()
        #expect(server.log.filter { $0.hasPrefix("topic") }.count == 3)
        other.stop()
    }
}
