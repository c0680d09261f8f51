import TestLab
import Testing

@testable import NetWebSocket

/// Everything in NetWebSocket that reads text of a server, at its worst inputs.
@Suite(.serialized, .optimized) struct WebSocketGrowthTests {
    static let readers = [
        GrowthReader(
            "WebSocket frames", of: "NetWebSocket/WebSocketInput.swift", "NetWebSocket/WebSocketFrame.swift",
            units: [
                ("", [0x01, 0x00]), ("", [0x00, 0x00]), ("", [0x89, 0x00]), ("", [0x8A, 0x00]),
                ("", [0x81, 0x01, 0x61]), ("\u{1}\u{0}", [0x00, 0x01, 0x61]),
            ]
        ) {
            for size in [64, 1 << 20] {
                var input = WebSocketInput(role: .client, maximumMessageSize: 1 << 20)
                reading: for chunk in chunks(of: Data($0.utf8), size) {
                    input.append(chunk)
                    do { while try input.next() != nil {} } catch { break reading }
                }
            }
            var check = UTF8Check()
            _ = Array($0.utf8).withUnsafeBytes { check.accept($0) }
        },
        GrowthReader("WebSocket handshake", of: "NetWebSocket/WebSocketHandshake.swift") {
            guard let handshake = try? WebSocketHandshake(protocols: ["a"]) else { return }
            _ = try? handshake.check(["Connection": $0, "Upgrade": $0, "Sec-WebSocket-Protocol": $0])
        },
        GrowthReader(
            "WebSocket compression", of: "NetWebSocket/WebSocketCompression.swift",
            units: [("permessage-deflate", Array(";".utf8)), ("", Array("permessage-deflate; a=b,".utf8))]
        ) {
            _ = try? WebSocket.Compression.agreed(.deflate, ["Sec-WebSocket-Extensions": $0])
            _ = WebSocket.Compression(element: $0[...], isOffer: true)
        },
        GrowthReader(
            "WebSocket messages, compressed", of: "NetWebSocket/WebSocketInput.swift",
            units: [("", [0x00, 0x00, 0x00, 0xFF, 0xFF]), ("", [0x03, 0x00])]
        ) {
            // What a deflater writes, and the text itself as if it had: whole, and in fragments.
            var deflater = WebSocketDeflater(.deflate, of: .server)
            for bytes in [deflater.compress(Data($0.utf8)) ?? Data(), Data($0.utf8)] {
                for size in [64, 1 << 20] {
                    var input = WebSocketInput(role: .client, maximumMessageSize: 1 << 20, compression: .deflate)
                    for (frame, index) in zip(chunks(of: bytes, size), 0...) {
                        let frame = WebSocketFrame(
                            isFinal: (index + 1) * size >= bytes.count, isCompressed: index == 0,
                            opcode: index == 0 ? .binary : .continuation, payload: frame)
                        input.append(frame.encoded(mask: nil))
                        guard (try? input.next()) == nil else { break }
                    }
                }
            }
        },
    ]

    private static func chunks(of bytes: Data, _ size: Int) -> [Data] {
        stride(from: 0, to: bytes.count, by: size).map { Data(bytes.dropFirst($0).prefix(size)) }
    }

    @Test(arguments: [false, true]) func costOfAMessageIsConstant(_ noContextTakeover: Bool) {
        let compression = WebSocket.Compression { $0.serverNoContextTakeover = noContextTakeover }
        let ratio = Growth.ratio(small: 2_500, large: 10_000) { count in
            var deflater = WebSocketDeflater(compression, of: .server)
            var input = WebSocketInput(role: .client, maximumMessageSize: 1 << 20, compression: compression)
            let message = Data(repeating: 0x61, count: 150)
            for _ in 0..<count {
                let payload = deflater.compress(message) ?? Data()
                input.append(WebSocketFrame(isCompressed: true, opcode: .binary, payload: payload).encoded(mask: nil))
                _ = try? input.next()
            }
        }
        #expect(ratio < Growth.limit)
    }

    @Test("Work is linear in the text", arguments: readers) func isLinear(_ reader: GrowthReader) async {
        #expect(await reader.failures() == [])
    }
}
