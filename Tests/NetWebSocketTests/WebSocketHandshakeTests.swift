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
        for text in ["ftp://example.com", "/relative", "ws:", "wss:///x", "mailto:a@b"] {
            #expect(throws: NetworkError.invalidURL) { try URL(string: text)?.speakingHTTP() }
        }
    }
}
