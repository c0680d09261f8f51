import TestLab
import Testing

@testable import NetTesting

/// What is a request, and what is not.
struct RequestParserTests {
    private struct Parsed: Equatable {
        var method = "", target = "", headers: [String] = [], body = "", trailers: [String] = [], rest = 0
    }

    /// Feeds the bytes in pieces of that size, as a socket would.
    private func parse(_ bytes: Data, pieces: Int = .max) throws -> Parsed? {
        var parser = RequestParser(keptBody: .max)
        var buffer = Data()
        var input = bytes[...]
        while !input.isEmpty, parser.position != .complete {
            buffer += input.prefix(pieces)
            input = input.dropFirst(pieces)
            while true {
                let count = try buffer.withUnsafeBytes { try parser.consume($0) }
                buffer = Data(buffer.dropFirst(count))
                if parser.position == .afterHead { parser.startBody() } else if count == 0 { break }
            }
        }
        guard parser.position == .complete, let head = parser.head else { return nil }
        return Parsed(
            method: head.method.rawValue, target: head.target, headers: head.headers.map { "\($0.name)=\($0.value)" },
            body: String(decoding: parser.body.data, as: UTF8.self),
            trailers: parser.trailers.map { "\($0.name)=\($0.value)" }, rest: buffer.count + input.count)
    }

    @Test(arguments: [1, 2, 3, 7, 64, Int.max]) func readsChunkedBodiesHoweverTheyArrive(pieces: Int) throws {
        let text =
            "\r\nPOST /a?b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\nX:  y \t\r\n\r\n"
            + "5;name=value\r\nhello\r\n00A\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\nGET"
        let parsed = try #require(try parse(Data(text.utf8), pieces: pieces))
        #expect((parsed.method, parsed.target) == ("POST", "/a?b"))
        #expect((parsed.headers, parsed.body) == (["Host=h", "Transfer-Encoding=Chunked", "X=y"], "hello0123456789"))
        #expect((parsed.trailers, parsed.rest) == (["Trailer=t"], 3))
    }

    @Test func readsFieldValuesThatAreNotUTF8AsLatin1() throws {
        let bytes = Data("GET / HTTP/1.1\r\nHost: h\r\nX: ".utf8) + [0xE9] + Data("\r\n\r\n".utf8)
        #expect(try parse(bytes)?.headers == ["Host=h", "X=é"])
    }

    @Test(arguments: [
        ("GET /\r\n\r\n", 400), ("GET / HTTP/1.1 x\r\nHost: h\r\n\r\n", 400),
        ("GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("G(T / HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        (" / HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("GET /é HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505), ("GET / http/1.1\r\nHost: h\r\n\r\n", 505),
        ("GET / HTTP/1.1\nHost: h\n\n", 400), ("\n", 400), ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nX : y\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nX: y\r\n folded\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nX: a\u{0}b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: h\r\nX: a\rb\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nno colon\r\n\r\n", 400),
    ]) func refuses(_ text: String, _ status: Int) {
        let error = #expect(throws: ProtocolError.self) { try parse(Data(text.utf8)) }
        #expect(error?.status == status)
    }

    @Test func refusesAHeadWithoutEnd() {
        let field = "X: " + String(repeating: "x", count: 1_000) + "\r\n"
        let head = "GET / HTTP/1.1\r\nHost: h\r\n" + String(repeating: field, count: 2_000)
        let error = #expect(throws: ProtocolError.self) { try parse(Data(head.utf8), pieces: 64 << 10) }
        #expect(error?.status == 431)
        let line = #expect(throws: ProtocolError.self) { try parse(Data(repeating: 0x41, count: 2 << 20)) }
        #expect(line?.status == 431)
    }

    /// Whatever a seed makes of valid requests: an error, or a request, and never a trap.
    @Test func survivesMutations() {
        let original = Data(
            ("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc"
                + "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n").utf8)
        var random = SeededGenerator(state: 42)
        var refused = 0
        for _ in 0..<3_000 {
            let bytes = random.mutate(original)
            do { _ = try parse(bytes, pieces: Int.random(in: 1...200, using: &random)) } catch {
                refused += 1
                #expect(error is ProtocolError)
            }
        }
        #expect(refused > 100 && refused < 3_000)
    }
}
