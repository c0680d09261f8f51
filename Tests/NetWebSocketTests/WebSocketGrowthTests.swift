import Foundation
import NetCore
import TestLab
import Testing

@testable import NetWebSocket

/// Everything in NetWebSocket that reads text of a server, at its worst inputs.
@Suite(.serialized) struct WebSocketGrowthTests {
    static let readers = [
        GrowthReader(
            "WebSocket frames", of: "NetWebSocket/WebSocketInput.swift",
            "NetWebSocket/WebSocketFrame.swift",
            units: [
                ("", [0x01, 0x00]), ("", [0x00, 0x00]), ("", [0x89, 0x00]), ("", [0x8A, 0x00]),
                ("", [0x81, 0x01, 0x61]),
                ("\u{1}\u{0}", [0x00, 0x01, 0x61]),
            ]
        ) {
            for size in [64, 1 << 20] {
                var input = WebSocketInput(role: .client, maximumMessageSize: 1 << 20)
                reading: for chunk in chunks(of: $0, size) {
                    input.append(chunk)
                    while true {
                        do {
                            guard try input.next() != nil else { break }
                        } catch {
                            break reading
                        }
                    }
                }
            }
            var check = UTF8Check()
            _ = Array($0.utf8).withUnsafeBytes { check.accept($0) }
        },
        GrowthReader("WebSocket handshake", of: "NetWebSocket/WebSocketHandshake.swift") {
            guard let handshake = try? WebSocketHandshake(protocols: ["a"]) else { return }
            _ = try? handshake.check([
                "Connection": $0, "Upgrade": $0, "Sec-WebSocket-Protocol": $0, "Sec-WebSocket-Extensions": $0,
            ])
        },
    ]

    private static func chunks(of text: String, _ size: Int) -> [Data] {
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: size).map { Data(bytes[$0..<min($0 + size, bytes.count)]) }
    }

    @Test("Work is linear in the text", arguments: readers)
    func isLinear(_ reader: GrowthReader) async {
        #expect(await reader.failures() == [])
    }
}
