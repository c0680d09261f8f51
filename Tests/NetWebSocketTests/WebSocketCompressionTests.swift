import TestLab
import Testing

@testable import NetWebSocket

/// The negotiation of `permessage-deflate` (RFC 7692, section 7.1).
struct WebSocketCompressionTests {
    private static func compression(
        serverNo: Bool = false, clientNo: Bool = false, server: Int? = nil, client: Int? = 15, required: Bool = false
    ) -> WebSocket.Compression {
        var compression = WebSocket.Compression()
        compression.serverNoContextTakeover = serverNo
        compression.clientNoContextTakeover = clientNo
        compression.serverMaxWindowBits = server
        compression.clientMaxWindowBits = client
        compression.isRequired = required
        return compression
    }

    private static func agreed(
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
        #expect(WebSocket.Options().compression == nil)
        #expect(try offer(nil) == nil)
        #expect(try offer(.deflate) == "permessage-deflate; client_max_window_bits")
        #expect(try offer(Self.compression(client: nil)) == "permessage-deflate")
        #expect(
            try offer(Self.compression(serverNo: true, clientNo: true, server: 8, client: 9))
                == "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=8; "
                + "client_max_window_bits=9")
        for (server, client, level) in [(7, 15, 1), (16, 15, 1), (8, 8, 1), (8, 16, 1), (8, 9, 0), (8, 9, 10)] {
            var wrong = Self.compression(server: server, client: client)
            wrong.level = level
            #expect(throws: RequestBuildingError.self) { try offer(wrong) }
        }
    }

    @Test func agreesOnTheServersParameters() throws {
        #expect(try Self.agreed(.deflate) == nil)
        #expect(try Self.agreed(nil) == nil)
        #expect(try Self.agreed(.deflate, "") == nil)
        #expect(try Self.agreed(.deflate, "permessage-deflate") == Self.compression(server: 15))
        #expect(
            try Self.agreed(
                .deflate,
                " permessage-deflate ;client_max_window_bits=9;server_no_context_takeover ; "
                    + "client_no_context_takeover; server_max_window_bits=8 ")
                == Self.compression(serverNo: true, clientNo: true, server: 8, client: 9))
        // What the client said of itself holds, whether or not the server repeats it.
        #expect(
            try Self.agreed(Self.compression(clientNo: true, client: 10), "permessage-deflate")
                == Self.compression(clientNo: true, server: 15, client: 10))
        #expect(try Self.agreed(Self.compression(client: nil), "permessage-deflate") == Self.compression(server: 15))
        #expect(
            try Self.agreed(Self.compression(server: 12), "permessage-deflate; server_max_window_bits=10")
                == Self.compression(server: 10))
    }

    static let refused: [(String, WebSocketError.Code)] = [
        ("x-webkit-deflate-frame", .notOffered), ("permessage-deflate2", .notOffered),
        ("PERMESSAGE-DEFLATE", .notOffered), ("permessage-deflate, permessage-deflate", .notOffered),
        ("permessage-deflate, x", .notOffered), ("permessage-deflate;", .invalidHandshake),
        ("permessage-deflate; x", .invalidHandshake), ("permessage-deflate; client_max_window_bits", .invalidHandshake),
        ("permessage-deflate; server_max_window_bits", .invalidHandshake),
        ("permessage-deflate; client_max_window_bits=", .invalidHandshake),
        ("permessage-deflate; client_max_window_bits=\"10\"", .invalidHandshake),
        ("permessage-deflate; server_max_window_bits=10; server_max_window_bits=10", .invalidHandshake),
        ("permessage-deflate; server_no_context_takeover; server_no_context_takeover", .invalidHandshake),
        ("permessage-deflate; server_no_context_takeover=1", .invalidHandshake),
        ("permessage-deflate; client_no_context_takeover=", .invalidHandshake),
        ("permessage-deflate; server_max_window_bits=7", .invalidHandshake),
        ("permessage-deflate; server_max_window_bits=16", .invalidHandshake),
        ("permessage-deflate; server_max_window_bits=08", .invalidHandshake),
        ("permessage-deflate; server_max_window_bits=+9", .invalidHandshake),
        ("permessage-deflate; server_max_window_bits=99999999999999999999", .invalidHandshake),
        // zlib has no window of 256 bytes.
        ("permessage-deflate; client_max_window_bits=8", .invalidHandshake),
    ]

    @Test(arguments: refused) func malformedOrUnofferedAnswerIsRefused(_ answer: String, _ code: WebSocketError.Code) {
        #expect(throws: WebSocketError.self) { try Self.agreed(.deflate, answer) }
        do { _ = try Self.agreed(.deflate, answer) } catch { #expect(error.code == code) }
        #expect(throws: WebSocketError.self) { try Self.agreed(nil, answer) }
    }

    @Test func answerThatExceedsTheOfferIsRefused() {
        func code(_ offer: WebSocket.Compression, _ answers: String...) -> WebSocketError.Code? {
            do {
                _ = try Self.agreed(offer, answers.joined(separator: ", "))
                return nil
            } catch { return error.code }
        }
        let name = "permessage-deflate"
        #expect(code(Self.compression(client: nil), "\(name); client_max_window_bits=15") == .invalidHandshake)
        #expect(code(Self.compression(client: 10), "\(name); client_max_window_bits=11") == .invalidHandshake)
        #expect(code(Self.compression(client: 10), "\(name); client_max_window_bits=10") == nil)
        #expect(code(Self.compression(server: 10), name) == .invalidHandshake)
        #expect(code(Self.compression(server: 10), "\(name); server_max_window_bits=11") == .invalidHandshake)
        #expect(code(Self.compression(server: 10), "\(name); server_max_window_bits=10") == nil)
        #expect(code(Self.compression(serverNo: true), name) == .invalidHandshake)
        #expect(code(Self.compression(serverNo: true), "\(name); server_no_context_takeover") == nil)
        #expect(code(Self.compression(required: true), "") == .compressionDeclined)
        #expect(throws: WebSocketError.self) { try Self.agreed(.deflate, name, name) }
    }
}
