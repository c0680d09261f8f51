import NetCore
import Testing

struct HeaderBlockParserTests {
    @Test(arguments: [
        // Values are trimmed, and duplicates and their order kept.
        ("HTTP/1.1 200 OK\r\nServer: nginx\r\nX-Empty:\r\nX-Space: \t a b \t\r\n", "Server=nginx|X-Empty=|X-Space=a b"),
        ("HTTP/2 200 \r\nset-cookie: a=1\r\nvia: x\r\nset-cookie: b=2\r\n", "set-cookie=a=1|via=x|set-cookie=b=2"),
        ("HTTP/1.1 200 OK\r\nX-A: one\r\n two\r\n\tthree\r\nX-B: b\r\n", "X-A=one two three|X-B=b"),
        // RFC 9110, section 5.5: a recipient replaces control characters by spaces, before anything else reads the value.
        (
            "HTTP/1.1 200 OK\r\nX-A: a\rb\u{0}c\u{1B}[2Jd\u{7F}e\tf\u{80}\r\n g\u{1}h\r\n",
            "X-A=a b c [2Jd e\tf\u{80} g h"
        ),
        // Bare line feeds and malformed lines.
        ("HTTP/1.1 200 OK\nA: 1\nno colon\n: no name\nTransfer-Encoding: chunked", "A=1|Transfer-Encoding=chunked"),
        ("", ""), ("HTTP/1.1 200 OK", ""), ("\r\n", ""), (" \r\n \r\n", ""),
    ]) func fieldsOfABlock(_ block: String, expected: String) {
        let fields = Array(block.utf8).withUnsafeBytes(HeaderBlockParser.fields)
        #expect(fields.map { "\($0.name)=\($0.value)" }.joined(separator: "|") == expected)
    }

    @Test func otherBytesAreLatin1() {
        let block = Array("HTTP/1.1 200 OK\r\nX-A: caf".utf8) + [0xE9] + Array("\r\nX-B: caf\u{E9}\r\n".utf8)
        #expect(block.withUnsafeBytes(HeaderBlockParser.fields).map(\.value) == ["caf\u{E9}", "caf\u{E9}"])
    }
}
