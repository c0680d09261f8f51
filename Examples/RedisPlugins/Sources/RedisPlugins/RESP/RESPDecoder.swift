internal import NIOCore

/// Makes values of the bytes that Redis sends, in whatever pieces these come.
///
/// Nothing is reserved for what is merely announced, and what is nested too deep or too long is refused.
struct RESPDecoder: NIOSingleStepByteToMessageDecoder {
    typealias InboundOut = RESPValue

    /// What makes no sense as RESP2. The connection is of no use after it.
    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    static let longestLine = 64 << 10
    static let longestString: Int64 = 512 << 20
    static let deepestArray = 8

    mutating func decode(buffer: inout ByteBuffer) throws -> RESPValue? {
        // Of a copy, since the bytes have to stay until all of the value is there.
        var rest = buffer
        guard let value = try Self.value(from: &rest, depth: 0) else { return nil }
        buffer.moveReaderIndex(to: rest.readerIndex)
        return value
    }

    mutating func decodeLast(buffer: inout ByteBuffer, seenEOF: Bool) throws -> RESPValue? {
        try decode(buffer: &buffer)
    }

    /// Nil if there are not bytes enough yet.
    private static func value(from buffer: inout ByteBuffer, depth: Int) throws -> RESPValue? {
        guard let line = try line(from: &buffer) else { return nil }
        // Not `first`, which may be more than one byte.
        guard let kind = line.unicodeScalars.first else {
            throw Malformed(description: "An empty line where a value should be.")
        }
        let text = String(line.unicodeScalars.dropFirst())
        switch kind {
        case "+": return .simpleString(text)
        case "-": return .error(text)
        case ":": return .integer(try number(text))
        case "$": return try string(length: try number(text), from: &buffer)
        case "*": return try array(count: try number(text), from: &buffer, depth: depth)
        default: throw Malformed(description: "A value that begins with '\(kind)'.")
        }
    }

    private static func string(length: Int64, from buffer: inout ByteBuffer) throws -> RESPValue? {
        if length == -1 { return .null }
        guard (0...longestString).contains(length) else {
            throw Malformed(description: "A string of \(length) bytes.")
        }
        let length = Int(length)
        guard buffer.readableBytes >= length + 2, let bytes = buffer.readSlice(length: length) else { return nil }
        guard buffer.readString(length: 2) == "\r\n" else {
            throw Malformed(description: "A string that does not end where it should.")
        }
        return .bulkString(bytes)
    }

    private static func array(count: Int64, from buffer: inout ByteBuffer, depth: Int) throws -> RESPValue? {
        if count == -1 { return .null }
        guard count >= 0, depth < deepestArray else {
            throw Malformed(description: "An array of \(count) elements in \(depth) others.")
        }
        var elements: [RESPValue] = []
        while elements.count < count {
            guard let element = try value(from: &buffer, depth: depth + 1) else { return nil }
            elements.append(element)
        }
        return .array(elements)
    }

    private static func line(from buffer: inout ByteBuffer) throws -> String? {
        let view = buffer.readableBytesView
        guard let end = view.prefix(longestLine).firstIndex(of: UInt8(ascii: "\r")), end + 1 < view.endIndex else {
            guard view.count < longestLine else { throw Malformed(description: "A line without an end.") }
            return nil
        }
        guard view[end + 1] == UInt8(ascii: "\n") else { throw Malformed(description: "A line that ends in CR alone.") }
        let line = buffer.readString(length: end - view.startIndex)
        buffer.moveReaderIndex(forwardBy: 2)
        return line
    }

    private static func number(_ text: String) throws -> Int64 {
        guard let number = Int64(text) else { throw Malformed(description: "'\(text)' where a number should be.") }
        return number
    }
}
