internal import Foundation
internal import NIOCore

/// Reads RESP2 from the bytes that Redis sends, in pieces of any size.
///
/// The package has its own decoder because no Redis library was available to the SDK's CI when it was written. RESP2 has five kinds of
/// values, so the decoder is small.
///
/// The work is linear in the bytes: an unfinished reply keeps its state between the pieces, and no byte is read twice. Nothing is reserved
/// for an announced length. ``Limits`` bound the memory of one reply.
struct RESPDecoder: NIOSingleStepByteToMessageDecoder {
    typealias InboundOut = RedisValue

    /// The most that one reply may have.
    struct Limits {
        /// The bytes of a line, which is a number or a short text.
        var line = 64 << 10
        /// The bytes of all strings together.
        var bytes = 64 << 20
        /// The elements of all arrays together.
        var elements = 1 << 20
        /// The arrays inside each other.
        var depth = 8
    }

    /// The bytes are not RESP2, or exceed a limit. The connection cannot be used after it.
    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    private enum Step {
        case value(RedisValue)
        /// An array began.
        case opened
        case needsMore
    }

    private let limits: Limits
    /// The arrays that are not complete, the outermost first.
    private var open: [(missing: Int, elements: [RedisValue])] = []
    /// The length of a string whose bytes follow.
    private var stringLength: Int?
    /// The number of bytes of an unfinished line that were searched for its end.
    private var searched = 0
    private var bytes = 0
    private var elements = 0
    /// The number of bytes that were searched or copied so far, for the growth test.
    private(set) var work = 0

    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    mutating func decode(buffer: inout ByteBuffer) throws -> RedisValue? {
        while true {
            switch try step(&buffer) {
            case .needsMore: return nil
            case .opened: continue
            case .value(let value):
                guard let reply = complete(value) else { continue }
                (bytes, elements) = (0, 0)
                return reply
            }
        }
    }

    mutating func decodeLast(buffer: inout ByteBuffer, seenEOF: Bool) throws -> RedisValue? {
        try decode(buffer: &buffer)
    }

    /// Adds a value to the innermost array, and closes the arrays that are complete with it. Returns the reply if it is complete.
    private mutating func complete(_ value: RedisValue) -> RedisValue? {
        var value = value
        while let last = open.indices.last {
            open[last].elements.append(value)
            open[last].missing -= 1
            guard open[last].missing == 0 else { return nil }
            value = .array(open.removeLast().elements)
        }
        return value
    }

    private mutating func step(_ buffer: inout ByteBuffer) throws -> Step {
        if let length = stringLength { return try string(of: length, from: &buffer) }
        guard let line = try line(from: &buffer) else { return .needsMore }
        guard let kind = line.first else { throw Malformed(description: "An empty line in place of a value.") }
        let rest = line.dropFirst()
        switch kind {
        case UInt8(ascii: "+"): return .value(.simpleString(String(decoding: rest, as: UTF8.self)))
        case UInt8(ascii: "-"): return .value(.error(String(decoding: rest, as: UTF8.self)))
        case UInt8(ascii: ":"): return .value(.integer(try number(rest)))
        case UInt8(ascii: "$"): return try startString(try number(rest), from: &buffer)
        case UInt8(ascii: "*"): return try startArray(try number(rest))
        default: throw Malformed(description: "A value of the unknown type \(kind).")
        }
    }

    private mutating func startString(_ length: Int64, from buffer: inout ByteBuffer) throws -> Step {
        if length == -1 { return .value(.null) }
        guard length >= 0, length <= Int64(limits.bytes - bytes) else {
            throw Malformed(description: "A string of \(length) bytes, in a reply of at most \(limits.bytes).")
        }
        bytes += Int(length)
        stringLength = Int(length)
        return try string(of: Int(length), from: &buffer)
    }

    private mutating func string(of length: Int, from buffer: inout ByteBuffer) throws -> Step {
        guard buffer.readableBytes >= length + 2 else { return .needsMore }
        // A copy: a slice would make the next read copy the whole buffer.
        let data = Data(buffer.readableBytesView.prefix(length))
        buffer.moveReaderIndex(forwardBy: length)
        guard buffer.readInteger(as: UInt16.self) == 0x0D0A else {
            throw Malformed(description: "A string that is longer than its length.")
        }
        stringLength = nil
        work += length
        return .value(.bulkString(data))
    }

    private mutating func startArray(_ count: Int64) throws -> Step {
        if count == -1 { return .value(.null) }
        guard count >= 0, count <= Int64(limits.elements - elements), open.count < limits.depth else {
            throw Malformed(description: "An array of \(count) elements inside \(open.count) others.")
        }
        if count == 0 { return .value(.array([])) }
        elements += Int(count)
        open.append((Int(count), []))
        return .opened
    }

    /// Returns a line without its end, or nil if the end has not arrived.
    private mutating func line(from buffer: inout ByteBuffer) throws -> [UInt8]? {
        let view = buffer.readableBytesView
        let start = view.startIndex + searched
        guard let end = view[start...].prefix(limits.line - searched).firstIndex(of: UInt8(ascii: "\n")) else {
            work += min(view.endIndex - start, limits.line - searched)
            searched = view.count
            guard searched < limits.line else { throw Malformed(description: "A line without an end.") }
            return nil
        }
        work += end + 1 - start
        searched = 0
        guard end > view.startIndex, view[end - 1] == UInt8(ascii: "\r") else {
            throw Malformed(description: "A line that does not end in CR LF.")
        }
        let line = Array(view[..<(end - 1)])
        guard !line.contains(UInt8(ascii: "\r")) else { throw Malformed(description: "A CR inside a line.") }
        buffer.moveReaderIndex(forwardBy: end + 1 - view.startIndex)
        bytes += line.count
        guard bytes <= limits.bytes else { throw Malformed(description: "A reply of more than \(limits.bytes) bytes.") }
        return line
    }

    private func number(_ digits: ArraySlice<UInt8>) throws -> Int64 {
        guard let number = Int64(String(decoding: digits, as: UTF8.self)) else {
            throw Malformed(description: "A line that is not a number.")
        }
        return number
    }
}
