import NetTesting
import NetWebSocket
import TestLab
import Testing

/// The handshake's way through the client: what applies to it, and how it fails.
@Suite(.timeLimit(.minutes(5)), .requires(.pythonPackages)) struct WebSocketHandshakeCallTests {
    private let server: PythonWebSocketServer

    init() async throws { server = try await PythonWebSocketServer() }

    private func failure(
        of path: String, over client: NetworkClient = NetworkClient(), protocols: [String] = []
    ) async -> NetworkFailure? {
        await webSocketFailure { try await client.webSocket(to: server.url(path), protocols: protocols) }
    }

    struct Feed: Endpoint {
        var path = "/headers"
        var headers = ["X-Feed": "7"]
        var queryParameters = ["a b": "ü"]
        var options = RequestOptions()
        typealias Response = EmptyResponse
    }

    struct Backend: NetworkEnvironment {
        let baseURL: URL
        var defaultHeaders: [String: String] { ["X-Default": "yes"] }
    }

    @Test func handshakeHasTheHeadersOfClientAndEndpoint() async throws {
        let http = try MockServer { _ in .webSocket() }
        var configuration = TransportConfiguration()
        configuration.additionalHeaders = ["X-Transport": "too"]
        let client = NetworkClient(
            environment: Backend(baseURL: http.url), interceptors: [AuthInterceptor(tokenProvider: { "secret" })],
            transport: .platform(configuration))
        var feed = Feed()
        feed.options.onRequest = { $0.setValue("1", forHTTPHeaderField: "X-Own") }
        try await client.webSocket(to: feed, protocols: ["chat.v1", "chat.v2"]).close()
        let sent = try #require(http.requests.first)
        #expect(sent.target == "/headers?a%20b=%C3%BC")
        for (name, value) in [
            ("X-Feed", "7"), ("X-Default", "yes"), ("X-Transport", "too"), ("X-Own", "1"),
            ("Authorization", "Bearer secret"), ("Host", "127.0.0.1:\(http.port)"), ("Upgrade", "websocket"),
            ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Protocol", "chat.v1, chat.v2"),
        ] { #expect(sent.headers.values(for: name) == [value]) }
        #expect(sent.headers["Sec-WebSocket-Extensions"] == nil)
    }

    @Test func userInformationBecomesBasicCredentials() async throws {
        let http = try MockServer { _ in .webSocket() }
        let url = try #require(URL(string: "ws://us%40er:pw@127.0.0.1:\(http.port)/headers"))
        try await NetworkClient().webSocket(to: url, headers: ["Cookie": "a=b"]).close()
        let sent = try #require(http.requests.first?.headers)
        #expect(sent["Authorization"] == "Basic " + Data("us@er:pw".utf8).base64EncodedString())
        #expect((sent["Cookie"], sent["Host"]) == ("a=b", "127.0.0.1:\(http.port)"))
    }

    @Test func retriesByTheClientsPolicy() async throws {
        let clock = TestClock(autoAdvance: true)
        let client = NetworkClient(retryPolicy: .default, clock: clock)
        let socket = try await client.webSocket(to: server.url("echo?busy=2"))
        #expect((clock.sleeps.count, socket.response.attempt) == (2, 2))
        await socket.close()
    }

    @Test func handshakesAreNotCoalesced() async throws {
        let client = NetworkClient(resilience: .recommended)
        let url = try server.url("echo")
        async let one = client.webSocket(to: url)
        async let two = client.webSocket(to: url)
        let sockets = try await [one, two]
        for (number, socket) in sockets.enumerated() { try await socket.send(.text("\(number)")) }
        for (number, socket) in sockets.enumerated() { #expect(try await socket.receive() == .text("\(number)")) }
        for socket in sockets { await socket.close() }
    }

    /// Rule 14: a handshake is redirected like any other request.
    @Test(arguments: [301, 302, 307, 308]) func redirectsAreFollowedOrRefusedByPolicy(_ status: Int) async throws {
        let path = "status?code=\(status)&location=/echo"
        let failure = await failure(of: path, over: NetworkClient(redirectPolicy: .doNotFollow))
        #expect((failure?.statusCode, failure?.code) == (status, "request_failed"))
        #expect((failure?.webSocketError?.code, server.requests) == (.redirected, ["/status"]))
        let socket = try await NetworkClient().webSocket(to: try server.url(path))
        try await socket.expectEcho(.text("hello"))
        await socket.close()
        #expect(server.requests == ["/status", "/status", "/echo"])
    }

    @Test(arguments: [
        (200, "Check the path of the URL"), (401, "Check the credentials"), (403, "Check the credentials"),
        (404, "Check the path of the URL"), (426, "another version"), (400, "Upgrade"), (503, "Try again later"),
        (500, "Try again later"),
    ]) func refusedHandshakeHasStatusBodyAndAdvice(_ status: Int, _ advice: String) async throws {
        let http = try MockServer { _ in .text("no", status: status) }
        let url = try #require(URL(string: "ws://127.0.0.1:\(http.port)/chat?token=s3cr3t"))
        let failure = await webSocketFailure { try await NetworkClient().webSocket(to: url) }
        for text in [failure?.description ?? "", failure?.localizedDescription(in: Locale(identifier: "en")) ?? ""] {
            let reason = "The server answered the handshake with the status \(status) and did not open a WebSocket."
            #expect(text.contains(reason) && text.contains(advice) && !text.contains("s3cr3t"), "\(text)")
        }
        #expect((failure?.webSocketError?.code, failure?.request?.url?.path) == (.notUpgraded, "/chat"))
        let refusal = NetworkError.requestFailed(statusCode: status, data: Data("no".utf8))
        #expect(status == 200 ? failure?.cause.statusCode == nil : failure?.cause == refusal)
        // A busy server is worth another attempt, a wrong path is not.
        #expect(failure.map(ReconnectingWebSocket.Policy.isTransient) == (status >= 500))
    }

    @Test(arguments: [
        ("drop-field=Sec-WebSocket-Accept", WebSocketError.Code.invalidHandshake),
        ("drop-field=Sec-WebSocket-Accept&field=Sec-WebSocket-Accept:bm8=", .invalidHandshake),
        ("drop-field=Upgrade", .invalidHandshake), ("drop-field=Connection", .invalidHandshake),
        ("field=Sec-WebSocket-Protocol:chat.v9", .notOffered), ("field=Sec-WebSocket-Extensions:x-mine", .notOffered),
    ]) func invalidHandshakeResponseIsRefused(_ query: String, _ code: WebSocketError.Code) async throws {
        let failure = await failure(of: "echo?\(query)", protocols: ["chat.v3"])
        #expect((failure?.code, failure?.statusCode, failure?.webSocketError?.code) == ("unknown", 101, code))
        // The connection is not kept.
        try await server.wait(for: "end echo 1006")
    }

    private static let lost: [TransportError.Code] = [.connectionLost, .connectionReset]

    @Test(arguments: [
        (MockFault.close(.beforeResponse), lost), (.reset(.beforeResponse), lost), (.close(.inHeaders), lost),
        (.garbageStatusLine, [.malformedStatusLine]), (.endlessHeaders, [.headersTooLarge]),
    ]) func brokenServerIsATransportError(_ fault: MockFault, codes: [TransportError.Code]) async throws {
        let http = try MockServer { _ in .text("x").fault(fault) }
        let failure = await webSocketFailure { try await NetworkClient().webSocket(to: http.url) }
        #expect(codes.contains(try #require(failure?.transportError?.code)), "\(String(describing: failure))")
    }

    @Test func silentHandshakeTimesOut() async throws {
        let http = try MockServer { _ in .text("x").fault(.stall(.beforeResponse)) }
        let request = URLRequest(url: http.url, timeoutInterval: 0.05)
        let failure = await webSocketFailure { try await NetworkClient().webSocket(for: request) }
        #expect((failure?.cause, failure?.transportError?.code) == (.timeout, .idleTimeout))
    }

    /// The timeouts of an exchange are for the handshake: what is open may be silent.
    @Test func openWebSocketHasNoIdleTimeout() async throws {
        try await withLimits([1, 4, 16]) { limit in
            var configuration = TransportConfiguration()
            (configuration.timeouts.idle, configuration.timeouts.total) = (limit, limit)
            let client = NetworkClient(transport: .platform(configuration))
            let socket = try await client.webSocket(to: server.url("echo"))
            try await SystemClock().sleep(for: limit + 0.2)
            try await socket.send(.text("still"))
            let isEchoed = try await socket.receive() == .text("still")
            await socket.close()
            return isEchoed
        }
    }

    @Test func refusedConnectionIsNetworkUnavailable() async throws {
        let url = try #require(URL(string: "ws://127.0.0.1:\(freePort())/"))
        let failure = await webSocketFailure { try await NetworkClient().webSocket(to: url) }
        #expect((failure?.cause, failure?.transportError?.code) == (.networkUnavailable, .connectionRefused))
    }

    @Test(arguments: ["ftp://localhost/", "ws:///x", "wss:///x", "ws:", "/relative", "mailto:a@b"])
    func urlWithoutAHostOrWithAnotherSchemeIsInvalid(_ text: String) async throws {
        let url = try #require(URL(string: text))
        #expect(await webSocketFailure { try await NetworkClient().webSocket(to: url) }?.cause == .invalidURL)
    }

    @Test func invalidSubprotocolIsNotSent() async throws {
        #expect(await failure(of: "echo", protocols: ["a b"])?.cause == .invalidRequest && server.requests.isEmpty)
    }

    @Test func transportWithoutUpgradesIsUnsupported() async throws {
        let stub = StubTransport { request, _, _ in TransportResponse(status: 101, url: request.url) }
        #expect(await failure(of: "echo", over: NetworkClient(transport: stub))?.code == "unsupported")
        #expect(server.requests.isEmpty)
    }

    @Test func webSocketAfterAShutdownIsUnsupported() async throws {
        let client = NetworkClient()
        let socket = try await client.webSocket(to: server.url("echo"))
        await client.shutdown()
        // What was open has ended with the transport.
        #expect(await webSocketFailure { try await socket.receive() }?.transportError?.code == .shutDown)
        #expect(await failure(of: "echo", over: client)?.code == "unsupported")
    }
}
