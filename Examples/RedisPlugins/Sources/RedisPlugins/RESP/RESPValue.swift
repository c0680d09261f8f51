internal import NIOCore

/// A value of RESP2, the protocol of Redis (<https://redis.io/docs/latest/develop/reference/protocol-spec/>).
enum RESPValue: Hashable, Sendable {
    case simpleString(String)
    case error(String)
    case integer(Int64)
    case bulkString(ByteBuffer)
    case array([RESPValue])
    /// RESP2 has two of them, a string and an array that are not there. Nobody needs the difference.
    case null

    /// The bytes of a string; nil for all else.
    var buffer: ByteBuffer? {
        switch self {
        case .bulkString(let buffer): buffer
        case .simpleString(let text): ByteBuffer(string: text)
        default: nil
        }
    }

    /// A string as text, what is not UTF-8 replaced by U+FFFD; nil for all else.
    var text: String? { buffer.map { String(buffer: $0) } }

    /// The elements; nil for what is no array.
    var elements: [RESPValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}

/// A command: its name and its arguments, each of them bytes.
struct RESPCommand: Sendable, ExpressibleByArrayLiteral {
    /// One word of a command.
    struct Word: Sendable, ExpressibleByStringInterpolation {
        let bytes: ByteBuffer

        init(_ bytes: ByteBuffer) { self.bytes = bytes }
        init(_ text: String) { bytes = ByteBuffer(string: text) }
        init(stringLiteral text: String) { self.init(text) }
    }

    let words: [Word]

    init(_ words: [Word]) { self.words = words }
    init(arrayLiteral words: Word...) { self.words = words }

    /// As an array of strings with their lengths before them: nothing in a word can be taken for another one.
    func write(to buffer: inout ByteBuffer) {
        buffer.writeString("*\(words.count)\r\n")
        for word in words {
            buffer.writeString("$\(word.bytes.readableBytes)\r\n")
            buffer.writeImmutableBuffer(word.bytes)
            buffer.writeString("\r\n")
        }
    }
}
