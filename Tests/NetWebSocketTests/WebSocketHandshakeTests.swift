import TestLab
import Testing

@testable import NetWebSocket

struct WebSocketHandshakeTests {
    /// FIPS 180's examples, and lengths around the padding's.
    @Test func sha1OfTheExamples() {
        func hex(_ text: String) -> String { SHA1.digest(Data(text.utf8)).map { String(format: "%02x", $0) }.joined() }
        let long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
        #expect(hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
        #expect(hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(hex(long) == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
        #expect(hex(String(repeating: "a", count: 1000)) == "291e9a6c66994949b57ba5e650361e98fc36b1ba")
        #expect(hex(String(repeating: "a", count: 55)) == "c1c8bbdc22796e28c0e15163d20899b65621d65a")
        #expect(hex(String(repeating: "a", count: 64)) == "0098ba824b5c16427bd7a1122a5a442a25ec644d")
    }

    /// The example of RFC 6455, section 1.3.
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private static let answer: HTTPHeaders = [
        "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
    ]

    private func check(protocols: [String] = [], _ change: (inout HTTPHeaders) -> Void = { _ in }) throws -> String? {
        var headers = Self.answer
        change(&headers)
        _ = try WebSocket.Compression.agreed(nil, headers)
        return try WebSocketHandshake(protocols: protocols, key: Self.key).check(headers)
    }

    @Test func acceptsTheExampleOfRFC6455() throws {
        #expect(try check() == nil)
        let fields = ["Upgrade": "WebSocket", "Connection": "keep-alive, upgrade", "Sec-WebSocket-Extensions": ""]
        #expect(try check { for (name, value) in fields { $0[name] = value } } == nil)
        #expect(try check(protocols: ["chat", "v2"]) { $0["Sec-WebSocket-Protocol"] = "v2" } == "v2")
    }

    static let invalid: [(WebSocketError.Code, String, String?)] = [
        (.invalidHandshake, "Upgrade", nil), (.invalidHandshake, "Upgrade", "h2c"),
        (.invalidHandshake, "Connection", nil), (.invalidHandshake, "Connection", "close"),
        (.invalidHandshake, "Sec-WebSocket-Accept", nil), (.invalidHandshake, "Sec-WebSocket-Accept", key),
        (.invalidHandshake, "Sec-WebSocket-Accept", "S3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
        (.notOffered, "Sec-WebSocket-Protocol", "other"), (.notOffered, "Sec-WebSocket-Protocol", "CHAT"),
        (.notOffered, "Sec-WebSocket-Protocol", "chat, v2"), (.notOffered, "Sec-WebSocket-Protocol", ""),
        (.notOffered, "Sec-WebSocket-Extensions", "permessage-deflate"),
    ]

    @Test(arguments: invalid)
    func invalidHandshakeFieldIsRefused(_ code: WebSocketError.Code, _ name: String, _ value: String?) {
        let error = #expect(throws: WebSocketError.self) { try check(protocols: ["chat", "v2"]) { $0[name] = value } }
        #expect(error?.code == code)
    }

    @Test func repeatedAcceptFieldIsRefused() {
        let (name, value) = ("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(throws: WebSocketError.self) { try check { $0.append(name: name, value: value) } }
    }

    @Test func handshakeFieldsAreWritten() throws {
        let handshake = try WebSocketHandshake(protocols: ["chat", "v2"])
        var request = URLRequest(url: try #require(URL(string: "https://example.com/")))
        request.httpMethod = "POST"
        request.allHTTPHeaderFields = ["sec-websocket-key": "mine", "X-Token": "1", "Sec-WebSocket-Extensions": "x"]
        handshake.prepare(&request)
        #expect(request.httpMethod == "GET")
        let fields = HTTPHeaders(request.allHTTPHeaderFields ?? [:])
        #expect(fields["Sec-WebSocket-Key"] == handshake.key && Data(base64Encoded: handshake.key)?.count == 16)
        #expect(fields["Sec-WebSocket-Version"] == "13" && fields["Sec-WebSocket-Protocol"] == "chat, v2")
        #expect(fields["Sec-WebSocket-Extensions"] == nil && fields["X-Token"] == "1")
        #expect(try WebSocketHandshake(protocols: []).key != handshake.key)
    }

    @Test(arguments: [["a b"], [""], ["a", "a"], ["a,b"], ["ü"]]) func invalidSubprotocolIsRefused(_ list: [String]) {
        #expect(throws: RequestBuildingError.self) { try WebSocketHandshake(protocols: list) }
    }

    @Test func webSocketSchemesBecomeHTTP() throws {
        func spoken(_ text: String) throws -> String? { try URL(string: text)?.speakingHTTP().absoluteString }
        #expect(try spoken("ws://example.com/a?b=c") == "http://example.com/a?b=c")
        #expect(try spoken("WSS://user:pw@[::1]:8443/") == "https://user:pw@[::1]:8443/")
        #expect(try spoken("https://example.com") == "https://example.com")
    }
}

/// The negotiation of `permessage-deflate` (RFC 7692, section 7.1).
struct WebSocketCompressionTests {
    private func compression(
        serverNo: Bool = false, clientNo: Bool = false, server: Int? = nil, client: Int? = 15, required: Bool = false
    ) -> WebSocket.Compression {
        WebSocket.Compression {
            ($0.serverNoContextTakeover, $0.clientNoContextTakeover, $0.isRequired) = (serverNo, clientNo, required)
            ($0.serverMaxWindowBits, $0.clientMaxWindowBits) = (server, client)
        }
    }

    private func agreed(
        _ offer: WebSocket.Compression?, _ answers: String...
    ) throws(WebSocketError) -> WebSocket.Compression? {
        var headers = HTTPHeaders()
        for answer in answers { headers.append(name: "Sec-WebSocket-Extensions", value: answer) }
        return try WebSocket.Compression.agreed(offer, headers)
    }

    @Test func offersTheConfiguredParameters() throws {
        func offer(_ compression: WebSocket.Compression?) throws -> String? {
            var request = URLRequest(url: try #require(URL(string: "https://example.com/")))
            request.setValue("x", forHTTPHeaderField: "Sec-WebSocket-Extensions")
            try WebSocketHandshake(protocols: [], compression: compression).prepare(&request)
            return request.value(forHTTPHeaderField: "Sec-WebSocket-Extensions")
        }
        #expect(try (WebSocket.Options().compression, offer(nil)) == (nil, nil))
        #expect(try offer(.deflate) == "permessage-deflate; client_max_window_bits")
        #expect(try offer(compression(client: nil)) == "permessage-deflate")
        #expect(
            try offer(compression(serverNo: true, clientNo: true, server: 8, client: 9))
                == "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=8; "
                + "client_max_window_bits=9")
        for (server, client, level) in [(7, 15, 1), (16, 15, 1), (8, 8, 1), (8, 16, 1), (8, 9, 0), (8, 9, 10)] {
            var wrong = compression(server: server, client: client)
            wrong.level = level
            #expect(throws: RequestBuildingError.self) { try offer(wrong) }
        }
    }

    @Test func agreesOnTheServersParameters() throws {
        let name = "permessage-deflate"
        #expect(try (agreed(.deflate), agreed(nil), agreed(.deflate, "")) == (nil, nil, nil))
        #expect(try agreed(.deflate, name) == compression(server: 15))
        let flags = "server_no_context_takeover ; client_no_context_takeover"
        let all = " \(name) ;client_max_window_bits=9;\(flags); server_max_window_bits=8 "
        let expected = compression(serverNo: true, clientNo: true, server: 8, client: 9)
        #expect(try agreed(.deflate, all) == expected)
        // What the client said of itself holds, whether or not the server repeats it.
        let own = try agreed(compression(clientNo: true, client: 10), name)
        #expect(own == compression(clientNo: true, server: 15, client: 10))
        #expect(try agreed(compression(client: nil), name) == compression(server: 15))
        let smaller = try agreed(compression(server: 12), "\(name); server_max_window_bits=10")
        #expect(smaller == compression(server: 10))
    }

    static let notOffered = [
        "x-webkit-deflate-frame", "permessage-deflate2", "PERMESSAGE-DEFLATE", "permessage-deflate, permessage-deflate",
        "permessage-deflate, x",
    ]
    /// What follows `permessage-deflate`. zlib has no window of 256 bytes, which is the last one.
    static let malformed = [
        ";", "; x", "; client_max_window_bits", "; server_max_window_bits", "; client_max_window_bits=",
        "; client_max_window_bits=\"10\"", "; server_max_window_bits=10; server_max_window_bits=10",
        "; server_no_context_takeover; server_no_context_takeover", "; server_no_context_takeover=1",
        "; client_no_context_takeover=", "; server_max_window_bits=7", "; server_max_window_bits=16",
        "; server_max_window_bits=08", "; server_max_window_bits=+9", "; server_max_window_bits=99999999999999999999",
        "; client_max_window_bits=8",
    ].map { "permessage-deflate" + $0 }

    @Test(arguments: notOffered + malformed) func malformedOrUnofferedAnswerIsRefused(_ answer: String) {
        let error = #expect(throws: WebSocketError.self) { try agreed(.deflate, answer) }
        #expect(error?.code == (Self.notOffered.contains(answer) ? .notOffered : .invalidHandshake))
        #expect(throws: WebSocketError.self) { try agreed(nil, answer) }
    }

    @Test func answerThatExceedsTheOfferIsRefused() {
        func code(_ offer: WebSocket.Compression, _ answer: String) -> WebSocketError.Code? {
            do { _ = try agreed(offer, answer) } catch { return error.code }
            return nil
        }
        let name = "permessage-deflate"
        #expect(code(compression(client: nil), "\(name); client_max_window_bits=15") == .invalidHandshake)
        #expect(code(compression(client: 10), "\(name); client_max_window_bits=11") == .invalidHandshake)
        #expect(code(compression(client: 10), "\(name); client_max_window_bits=10") == nil)
        #expect(code(compression(server: 10), name) == .invalidHandshake)
        #expect(code(compression(server: 10), "\(name); server_max_window_bits=11") == .invalidHandshake)
        #expect(code(compression(server: 10), "\(name); server_max_window_bits=10") == nil)
        #expect(code(compression(serverNo: true), name) == .invalidHandshake)
        #expect(code(compression(serverNo: true), "\(name); server_no_context_takeover") == nil)
        #expect(code(compression(required: true), "") == .compressionDeclined)
        #expect(throws: WebSocketError.self) { try agreed(.deflate, name, name) }
    }
}
