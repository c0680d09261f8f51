import NIOCore
import Testing

@testable import RedisPlugins

struct RESPDecoderTests {
    private func decode(_ text: String) throws -> [RESPValue] {
        var decoder = RESPDecoder()
        var buffer = ByteBuffer(string: text)
        var values: [RESPValue] = []
        while let value = try decoder.decode(buffer: &buffer) { values.append(value) }
        return values
    }

    @Test func understandsEachKindOfValue() throws {
        let values = try decode(
            "+OK\r\n-ERR no\r\n:-7\r\n$4\r\na\r\nb\r\n$0\r\n\r\n$-1\r\n*-1\r\n*2\r\n:1\r\n*1\r\n$1\r\nx\r\n*0\r\n")
        #expect(
            values == [
                .simpleString("OK"), .error("ERR no"), .integer(-7), .bulkString(ByteBuffer(string: "a\r\nb")),
                .bulkString(ByteBuffer()), .null, .null,
                .array([.integer(1), .array([.bulkString(ByteBuffer(string: "x"))])]), .array([]),
            ])
    }

    @Test func waitsForTheRestWhereverItIsCut() throws {
        let bytes = Array("*3\r\n$5\r\nhello\r\n:42\r\n+fine\r\n".utf8)
        for cut in bytes.indices {
            var decoder = RESPDecoder()
            var buffer = ByteBuffer(bytes: bytes.prefix(cut))
            let early = try decoder.decode(buffer: &buffer)
            #expect(early == nil)
            buffer.writeBytes(bytes.dropFirst(cut))
            let value = try decoder.decode(buffer: &buffer)
            #expect(value == .array([.bulkString(ByteBuffer(string: "hello")), .integer(42), .simpleString("fine")]))
            #expect(buffer.readableBytes == 0)
        }
    }

    @Test(arguments: [
        "\r\n", "!x\r\n", ":x\r\n", ":99999999999999999999\r\n", "$-2\r\n", "$9223372036854775807\r\n", "$1\r\nabc\r\n",
        "*-2\r\n", "+a\rb\r\n", String(repeating: "*1\r\n", count: 20), "+" + String(repeating: "x", count: 70_000),
    ])
    func refusesWhatIsNoRESP(_ text: String) {
        #expect(throws: RESPDecoder.Malformed.self) { try decode(text) }
    }

    /// What is announced is not reserved: this would be the end of the process otherwise.
    @Test func believesNoCountBeforeItIsThere() throws {
        #expect(try decode("*9223372036854775807\r\n:1\r\n").isEmpty)
    }

    @Test func writesACommandSoThatNoWordCanBeTakenForAnother() {
        var buffer = ByteBuffer()
        let command: RESPCommand = ["SET", "a\r\n$1", "é"]
        command.write(to: &buffer)
        #expect(String(buffer: buffer) == "*3\r\n$3\r\nSET\r\n$5\r\na\r\n$1\r\n$2\r\né\r\n")
    }
}
