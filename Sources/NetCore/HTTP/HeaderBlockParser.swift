/// Splits a header section (RFC 9112, section 5) into its fields, in one pass over the bytes.
package enum HeaderBlockParser {
    /// Returns the fields of a block that starts with a status line.
    package static func fields(in block: UnsafeRawBufferPointer) -> [HTTPHeader] {
        fields(in: block, from: endOfLine(in: block, from: 0) + 1)
    }

    /// Returns the fields of a block without a start line.
    package static func fieldLines(in block: UnsafeRawBufferPointer) -> [HTTPHeader] { fields(in: block, from: 0) }

    /// Lines without a colon are ignored. A folded line (obsolete since RFC 7230) continues the value before it. Bytes that are not UTF-8
    /// are read as ISO-8859-1. A control character in a value becomes a space (RFC 9110, section 5.5).
    private static func fields(in block: UnsafeRawBufferPointer, from start: Int) -> [HTTPHeader] {
        var fields: [HTTPHeader] = []
        fields.reserveCapacity(12)
        // The folded lines of the last field. They are joined once: joining each would copy the value each time.
        var folded: [String] = []
        func unfold() {
            guard !folded.isEmpty, let last = fields.popLast() else { return }
            let lines = ([last.value] + folded).filter { !$0.isEmpty }
            fields.append(HTTPHeader(name: last.name, value: lines.joined(separator: " ")))
            folded = []
        }
        var position = start
        while position < block.count {
            let lineEnd = endOfLine(in: block, from: position)
            let line = trim(block, position, lineEnd)
            if isSpace(block[position]), !fields.isEmpty {
                folded.append(text(block, line).withoutControlCharacters)
            } else if let colon = firstColon(in: block, line) {
                unfold()
                let name = trim(block, line.lowerBound, colon)
                fields.append(
                    HTTPHeader(
                        name: commonName(block, name) ?? text(block, name),
                        value: text(block, trim(block, colon + 1, line.upperBound)).withoutControlCharacters))
            }
            position = lineEnd + 1
        }
        unfold()
        return fields
    }

    private static func endOfLine(in block: UnsafeRawBufferPointer, from start: Int) -> Int {
        block.firstIndex(of: 0x0A, from: start) ?? block.count
    }

    /// Returns the end of the field's name, or nil if the line has none.
    private static func firstColon(in block: UnsafeRawBufferPointer, _ line: Range<Int>) -> Int? {
        let colon = UnsafeRawBufferPointer(rebasing: block[line]).firstIndex(of: 0x3A, from: 0)
        return colon.flatMap { $0 == 0 ? nil : line.lowerBound + $0 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    private static func trim(_ block: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Range<Int> {
        var (start, end) = (start, end)
        while start < end, isSpace(block[start]) { start += 1 }
        while end > start, isSpace(block[end - 1]) { end -= 1 }
        return start..<end
    }

    private static func text(_ block: UnsafeRawBufferPointer, _ range: Range<Int>) -> String {
        let bytes = UnsafeRawBufferPointer(rebasing: block[range])
        var text = String(decoding: bytes, as: UTF8.self)
        // Other text than UTF-8 was replaced.
        let isUTF8 = text.withUTF8 { utf8 in
            guard utf8.count == bytes.count, let start = utf8.baseAddress, let first = bytes.baseAddress else {
                return bytes.isEmpty
            }
            return memcmp(start, first, bytes.count) == 0
        }
        if isUTF8 { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Common names that are too long for a string without a heap allocation (15 bytes).
    private static let longNames: [(StaticString, String)] = [
        "Access-Control-Allow-Origin", "Content-Disposition", "Content-Encoding", "Content-Language",
        "Content-Security-Policy", "Referrer-Policy", "Strict-Transport-Security", "Transfer-Encoding",
        "WWW-Authenticate", "X-Content-Type-Options", "X-Frame-Options",
    ].map { ($0, $0.description) }

    private static func commonName(_ block: UnsafeRawBufferPointer, _ range: Range<Int>) -> String? {
        guard range.count > 15, let base = block.baseAddress else { return nil }
        for (name, text) in longNames where name.utf8CodeUnitCount == range.count {
            if memcmp(name.utf8Start, base + range.lowerBound, range.count) == 0 { return text }
        }
        return nil
    }
}
