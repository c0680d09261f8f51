import Foundation
import NIOCore
import Testing

@testable import NetworkingRedis

struct RESPDecoderTests {
    private func decode(_ text: String, limits: RESPDecoder.Limits = .init()) throws -> [RedisValue] {
        var decoder = RESPDecoder(limits: limits)
        var buffer = ByteBuffer(string: text)
        var values: [RedisValue] = []
        while let value = try decoder.decode(buffer: &buffer) { values.append(value) }
        return values
    }

    @Test func understandsEachKindOfValue() throws {
        let values = try decode(
            "+OK\r\n-ERR no\r\n:-7\r\n$4\r\na\r\nb\r\n$0\r\n\r\n$-1\r\n*-1\r\n*2\r\n:1\r\n*1\r\n$1\r\nx\r\n*0\r\n")
        #expect(
            values == [
                .simpleString("OK"), .error("ERR no"), .integer(-7), .bulkString(Data("a\r\nb".utf8)),
                .bulkString(Data()), .null, .null,
                .array([.integer(1), .array([.bulkString(Data("x".utf8))])]), .array([]),
            ])
    }

    @Test func waitsForTheRestWhereverItIsCut() throws {
        let bytes = Array("*4\r\n$5\r\nhello\r\n:42\r\n*1\r\n$2\r\n\r\n\r\n+fine\r\n".utf8)
        let expected = RedisValue.array([
            .bulkString(Data("hello".utf8)), .integer(42), .array([.bulkString(Data("\r\n".utf8))]),
            .simpleString("fine"),
        ])
        for cut in bytes.indices {
            var decoder = RESPDecoder()
            var buffer = ByteBuffer(bytes: bytes.prefix(cut))
            let early = try decoder.decode(buffer: &buffer)
            #expect(early == nil)
            buffer.writeBytes(bytes.dropFirst(cut))
            let value = try decoder.decode(buffer: &buffer)
            #expect(value == expected)
            #expect(buffer.readableBytes == 0)
        }
    }

    @Test(arguments: [
        "\r\n", "\n", "!x\r\n", ":x\r\n", ":\r\n", ":99999999999999999999\r\n", "$-2\r\n", "$9223372036854775807\r\n",
        "$1\r\nabc\r\n",
        "*-2\r\n", "*9223372036854775807\r\n", "+a\rb\r\n", "+a\n", String(repeating: "*1\r\n", count: 20),
        "+" + String(repeating: "x", count: 70_000), "*1048576\r\n*1\r\n",
    ])
    func refusesWhatIsNotRESP(_ text: String) {
        #expect(throws: RESPDecoder.Malformed.self) { try decode(text) }
    }

    @Test func limitsCountForTheWholeReply() throws {
        let limits = RESPDecoder.Limits(bytes: 100, elements: 10)
        let string = "$40\r\n\(String(repeating: "x", count: 40))\r\n"
        // Each reply starts from zero.
        #expect(try decode(string + string + string, limits: limits).count == 3)
        #expect(throws: RESPDecoder.Malformed.self) { try decode("*3\r\n" + string + string + string, limits: limits) }
        #expect(throws: RESPDecoder.Malformed.self) {
            try decode("*2\r\n*5\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n*5\r\n", limits: limits)
        }
    }

    /// The work for four times the bytes is four times as much, in pieces of any size: it is counted, not timed.
    @Test(
        arguments: [
            ("*COUNT\r\n", ":1\r\n"), ("*COUNT\r\n", "$3\r\nabc\r\n"), ("+", "x"), ("$COUNT\r\n", "x"),
            ("*COUNT\r\n", "*1\r\n:1\r\n"),
        ], [1, 7, 1_000])
    func worksInLinearTime(_ input: (String, String), piece: Int) throws {
        func work(_ count: Int) throws -> Int {
            let text =
                input.0.replacingOccurrences(of: "COUNT", with: "\(count)")
                + String(repeating: input.1, count: count)
            let bytes = Array(text.utf8)
            var decoder = RESPDecoder()
            var buffer = ByteBuffer()
            for start in stride(from: 0, to: bytes.count, by: piece) {
                buffer.writeBytes(bytes[start..<min(bytes.count, start + piece)])
                while try decoder.decode(buffer: &buffer) != nil {}
            }
            #expect(decoder.work <= bytes.count)
            return decoder.work
        }
        let small = try work(2_000)
        let large = try work(8_000)
        #expect(large <= 4 * small + 64)
    }

    @Test func writesACommandSoThatNoWordCanBeTakenForAnother() {
        var buffer = ByteBuffer()
        let command: RedisCommand = ["SET", "a\r\n$1", "é"]
        command.write(to: &buffer)
        #expect(String(buffer: buffer) == "*3\r\n$3\r\nSET\r\n$5\r\na\r\n$1\r\n$2\r\né\r\n")
    }
}
