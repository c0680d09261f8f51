import NetCore
import Testing

struct HeaderBlockParserTests {
    @Test func fieldsAreSplitAndValuesTrimmed() {
        let fields = parse("HTTP/1.1 200 OK\r\nServer: nginx\r\nX-Empty:\r\nX-Space: \t a b \t\r\n")
        #expect(fields.map(\.name) == ["Server", "X-Empty", "X-Space"] && fields.map(\.value) == ["nginx", "", "a b"])
    }

    @Test func duplicatesAndOrderAreKept() {
        let fields = parse("HTTP/2 200 \r\nset-cookie: a=1\r\nvia: x\r\nset-cookie: b=2\r\n")
        #expect(fields.map(\.value) == ["a=1", "x", "b=2"])
    }

    @Test func foldedLinesAreJoined() {
        let fields = parse("HTTP/1.1 200 OK\r\nX-A: one\r\n two\r\n\tthree\r\nX-B: b\r\n")
        #expect(fields.map(\.value) == ["one two three", "b"])
    }

    /// RFC 9110, section 5.5: a recipient replaces them, before anything else reads the value.
    @Test func controlCharactersBecomeSpaces() {
        let fields = parse("HTTP/1.1 200 OK\r\nX-A: a\rb\u{0}c\u{1B}[2Jd\u{7F}e\tf\u{80}\r\n g\u{1}h\r\n")
        #expect(fields.map(\.value) == ["a b c [2Jd e\tf\u{80} g h"])
    }

    @Test func otherBytesAreLatin1() {
        let block = Array("HTTP/1.1 200 OK\r\nX-A: caf".utf8) + [0xE9] + Array("\r\nX-B: caf\u{E9}\r\n".utf8)
        #expect(block.withUnsafeBytes(HeaderBlockParser.fields).map(\.value) == ["caf\u{E9}", "caf\u{E9}"])
    }

    @Test func bareLineFeedsAndMalformedLines() {
        let fields = parse("HTTP/1.1 200 OK\nA: 1\nno colon\n: no name\nTransfer-Encoding: chunked")
        #expect(fields.map(\.name) == ["A", "Transfer-Encoding"])
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK", "\r\n", " \r\n \r\n"])
    func blockWithoutFieldsIsEmpty(_ block: String) { #expect(parse(block).isEmpty) }

    private func parse(_ text: String) -> [HTTPHeader] { Array(text.utf8).withUnsafeBytes(HeaderBlockParser.fields) }
}
