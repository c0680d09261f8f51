import TestLab
import Testing

@testable import NetTransport

/// Everything in NetTransport that reads text of a server, at its worst inputs.
@Suite(.serialized, .optimized) struct TransportGrowthTests {
    static let readers: [GrowthReader] = {
        var readers = [
            GrowthReader(
                "Set-Cookie joined by Foundation", of: "NetTransport/URLSession/Exchange+Receiving.swift"
            ) { _ = ResponseHead.cookies(in: $0) },
            GrowthReader("Address policy", of: "NetTransport/Settings/AddressGuard.swift") {
                var policy = TransportConfiguration.AddressPolicy()
                policy.allowedHosts = ["a.example"]
                if let url = URL(string: "http://" + $0) { try? AddressGuard(policy)?.check(url) }
                _ = AddressRange($0)
            },
        ]
        #if os(Linux)
            let ok = "HTTP/1.1 200 OK\r\n"
            let chunked = ok + "Transfer-Encoding:chunked\r\n\r\n"
            readers += [
                GrowthReader(
                    "Response of HTTP/1.1", of: "NetTransport/HTTP1/HTTP1ResponseParser.swift",
                    "NetTransport/HTTP1/HTTP1Framing.swift", "NetTransport/HTTP1/HTTP1SectionScanner.swift",
                    "NetTransport/HTTP1/Span+HTTP1.swift",
                    units: [
                        ("HTTP/1.1 200 ", "a"), ("", "HTTP/1.1 100 \r\n\r\n"), (ok, "a"), (ok, "a:b\r\n"),
                        ("\(ok)a:b\r\n", " c\r\n"), ("\(ok)Keep-Alive:", "timeout=1,"), ("\(ok)Connection:", "a,"),
                        ("\(ok)Content-Length:", "1,"), ("\(ok)Transfer-Encoding:", "identity,"), (chunked, "0"),
                        ("\(chunked)1;", "a"), (chunked, "1;a\r\nx\r\n"), ("\(chunked)0\r\n", "a:b\r\n"),
                    ].map { ($0, Array($1.utf8)) }
                ) { read(Array($0.utf8)) },
                GrowthReader(
                    "Header section", of: "NetTransport/Engine/WireHead.swift", "NetCore/HTTP/HeaderBlockParser.swift",
                    units: [(ok, Array("a:\r\n".utf8)), ("\(ok)a:b\r\n", Array(" c\r\n".utf8)), (ok, Array("\n".utf8))]
                ) { _ = Array($0.utf8).withUnsafeBytes(HeaderBlockParser.fields) },
                GrowthReader(
                    "Message of DNS", of: "NetTransport/DNS/DNSMessage.swift",
                    units: [
                        // A header with as many questions and records as there can be, and labels or records of no length.
                        ("\0\0\u{01}\0\u{7f}\u{7f}\u{7f}\u{7f}\0\0\0\0", Array("\u{01}a".utf8)),
                        ("\0\0\u{01}\0\u{7f}\u{7f}\u{7f}\u{7f}\0\0\0\0", [0, 0, 1, 0, 1]),
                        ("\0\0\u{01}\0\0\0\u{7f}\u{7f}\0\0\0\0", [0, 0, 1, 0, 1, 0, 0, 0, 9, 0, 0]),
                    ]
                ) {
                    // The bit of a response is not ASCII.
                    var message = Data($0.utf8)
                    if message.count > 2 { message[2] |= 0x80 }
                    _ = try? DNSMessage.answer(in: message, .a)
                    _ = try? DNSMessage.query($0, .a)
                },
            ]
        #endif
        return readers
    }()

    #if os(Linux)
        /// Parses a response that is received in pieces.
        private static func read(_ bytes: [UInt8]) {
            let limits = HTTP1Limits(headBytes: .max, fieldCount: .max, chunkLineBytes: .max, interimResponses: .max)
            var parser = HTTP1ResponseParser(isHead: false, limits: limits)
            var start = 0
            for piece in 1...8 {
                let end = bytes.count * piece / 8
                while true {
                    let result = bytes[start..<end].withUnsafeBufferPointer { try? parser.next($0.span) }
                    guard let result else { return }
                    start += result.consumed
                    if case .needMore = result.step { break }
                    if case .end = result.step { return }
                }
            }
        }
    #endif

    @Test("Work is linear in the text", arguments: readers)
    func parsingIsLinearInTheText(_ reader: GrowthReader) async { #expect(await reader.failures() == []) }
}
