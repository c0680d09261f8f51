import TestLab
import Testing

@testable import NetWebSocket

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
