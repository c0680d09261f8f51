/// The parameters of a field's value: `; name=value` (RFC 9110, section 5.6.6), as tolerant as clients have to be.
///
/// A malformed parameter is left out, and the ones behind it are read nevertheless: a word without a value, a value without a name, a
/// quoted string that stands alone, a quote that is not closed. The work is linear in the value.
package enum FieldParameters {
    /// Returns the parameters in their order, names in lower case, values without their quotes. What is before the first semicolon (the
    /// type) is left out, and so are empty values.
    package static func parse(_ value: String) -> [(name: String, value: String)] {
        var value = value
        return value.withUTF8 { bytes in
            guard let type = bytes.firstIndex(of: semicolon) else { return [] }
            var reader = Reader(bytes: bytes, position: type)
            var result: [(name: String, value: String)] = []
            while let parameter = reader.next() {
                if !parameter.value.isEmpty { result.append(parameter) }
            }
            return result
        }
    }

    private struct Reader {
        let bytes: UnsafeBufferPointer<UInt8>
        var position: Int
        /// False once a quote was not closed: quotes are ordinary characters from there on. This keeps the work linear.
        private var mayQuote = true

        init(bytes: UnsafeBufferPointer<UInt8>, position: Int) {
            self.bytes = bytes
            self.position = position
        }

        mutating func next() -> (name: String, value: String)? {
            while position < bytes.count {
                // At a semicolon.
                position += 1
                skipWhitespace()
                if position < bytes.count, bytes[position] == quote {
                    _ = quoted()
                    continue
                }
                let start = position
                while position < bytes.count, bytes[position] != equals, bytes[position] != semicolon { position += 1 }
                guard position < bytes.count, bytes[position] == equals else { continue }
                let name = text(start..<position)
                position += 1
                skipWhitespace()
                let value = value()
                if name.isHTTPToken { return (name.asciiLowercased, value) }
            }
            return nil
        }

        private mutating func value() -> String {
            guard position < bytes.count, bytes[position] == quote else { return unquoted() }
            let start = position
            if let value = quoted() { return value }
            // A quote without its counterpart, or one that does not end the value: `"a "b" c"`.
            position = start + 1
            let value = unquoted()
            return value.hasSuffix("\"") ? String(value.dropLast()) : value
        }

        /// To the next semicolon.
        private mutating func unquoted() -> String {
            let start = position
            skipToSemicolon()
            return text(start..<position)
        }

        private mutating func skipToSemicolon() {
            while position < bytes.count, bytes[position] != semicolon { position += 1 }
        }

        /// The content of a quoted string; what is behind it, up to the next semicolon, is skipped. Nil if it is not closed, or another quote
        /// is behind it: then the position is that of the next semicolon.
        private mutating func quoted() -> String? {
            let start = position
            guard mayQuote else {
                skipToSemicolon()
                return nil
            }
            position += 1
            var content: [UInt8] = []
            while position < bytes.count, bytes[position] != quote {
                if bytes[position] == backslash, position + 1 < bytes.count { position += 1 }
                content.append(bytes[position])
                position += 1
            }
            let isClosed = position < bytes.count
            if isClosed { position += 1 } else { mayQuote = false }
            let rest = position
            skipToSemicolon()
            if isClosed, !bytes[rest..<position].contains(quote) { return String(decoding: content, as: UTF8.self) }
            position = start
            skipToSemicolon()
            return nil
        }

        private mutating func skipWhitespace() {
            while position < bytes.count, bytes[position].isHTTPWhitespace { position += 1 }
        }

        private func text(_ range: Range<Int>) -> String {
            String(decoding: bytes[range], as: UTF8.self).withoutHTTPWhitespace
        }
    }

    private static let semicolon = UInt8(ascii: ";")
    private static let equals = UInt8(ascii: "=")
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
}
