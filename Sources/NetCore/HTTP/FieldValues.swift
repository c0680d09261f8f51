extension String {
    /// Returns the members of a comma-separated field value (RFC 9110, section 5.6.1.2), trimmed and without empty ones. Quoted commas do not count.
    ///
    /// A quote without its counterpart is an ordinary character, so that it cannot hide the directives after it.
    ///
    /// - Parameter hasEscapes: whether a backslash escapes the next character in a quoted string. False for entity tags (section 8.8.3).
    package func listMembers(hasEscapes: Bool = true) -> [Substring] {
        let bytes = utf8
        var members: [Substring] = []
        var start = bytes.startIndex
        var position = start
        var mayQuote = true
        func add(until end: Index) {
            let member = self[start..<end].trimmingHTTPWhitespace
            if !member.isEmpty { members.append(member) }
        }
        while position < bytes.endIndex {
            switch bytes[position] {
            case UInt8(ascii: ","):
                add(until: position)
                start = bytes.index(after: position)
            case UInt8(ascii: "\"") where mayQuote:
                if let end = closingQuote(from: position, hasEscapes: hasEscapes) {
                    position = end
                } else {
                    mayQuote = false
                }
            default: break
            }
            position = bytes.index(after: position)
        }
        add(until: bytes.endIndex)
        return members
    }

    private func closingQuote(from opening: Index, hasEscapes: Bool) -> Index? {
        var position = utf8.index(after: opening)
        while position < utf8.endIndex {
            switch utf8[position] {
            case UInt8(ascii: "\""): return position
            case UInt8(ascii: "\\") where hasEscapes:
                position = utf8.index(after: position)
                guard position < utf8.endIndex else { return nil }
            default: break
            }
            position = utf8.index(after: position)
        }
        return nil
    }
}

/// The parameters of a field value: `; name=value` (RFC 9110, section 5.6.6).
///
/// The parser skips malformed parameters and reads the ones after them: a word without a value, a value without a name, a lone quoted
/// string, an unclosed quote. It takes linear time.
package enum FieldParameters {
    /// Returns the parameters in order, with lower-case names and unquoted values. The type before the first semicolon and empty values are omitted.
    package static func parse(_ value: String) -> [(name: String, value: String)] {
        var value = value
        return value.withUTF8 { bytes in
            guard let type = bytes.firstIndex(of: semicolon) else { return [] }
            var reader = Reader(bytes: bytes, position: type)
            var result: [(name: String, value: String)] = []
            while let parameter = reader.next() { if !parameter.value.isEmpty { result.append(parameter) } }
            return result
        }
    }

    private struct Reader {
        let bytes: UnsafeBufferPointer<UInt8>
        var position: Int
        /// False after an unclosed quote: quotes are ordinary characters from there on, which keeps the time linear.
        var mayQuote = true

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
            // An unclosed quote, or one that does not end the value: `"a "b" c"`.
            position = start + 1
            let value = unquoted()
            return value.hasSuffix("\"") ? String(value.dropLast()) : value
        }

        /// Reads up to the next semicolon.
        private mutating func unquoted() -> String {
            let start = position
            skipToSemicolon()
            return text(start..<position)
        }

        private mutating func skipToSemicolon() {
            while position < bytes.count, bytes[position] != semicolon { position += 1 }
        }

        /// Returns the content of a quoted string, and skips to the next semicolon. Nil if the string is not closed or another quote follows;
        /// the position is then at the next semicolon.
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

/// A media type (RFC 9110, section 8.3.1) or a media range (section 12.5.1), without its parameters.
package struct MediaType: Hashable, Sendable, CustomStringConvertible {
    /// Lower case, or `*` for any.
    package let type: String
    /// The subtype in lower case, or `*` for any.
    package let subtype: String

    /// Reads a `Content-Type` value or an element of `Accept`, without parameters. Nil if it is malformed.
    package init?(_ text: String) {
        let essence = String(text.prefix { $0 != ";" }).trimmingHTTPWhitespace
        let parts = essence.split(separator: "/", omittingEmptySubsequences: false).map { String($0).asciiLowercased }
        guard parts.count == 2, parts.allSatisfy(\.isHTTPToken), parts[0] != "*" || parts[1] == "*" else { return nil }
        type = parts[0]
        subtype = parts[1]
    }

    /// Whether the range includes this type: `text/html` is in `text/html`, `text/*` and `*/*`.
    package func isIn(_ range: MediaType) -> Bool {
        range.type == "*" || range.type == type && (range.subtype == "*" || range.subtype == subtype)
    }

    /// Whether a body of the type is one JSON value: `application/json`, `application/problem+json`.
    package var isJSON: Bool { subtype == "json" || subtype.hasSuffix("+json") }
    package var description: String { "\(type)/\(subtype)" }
}

/// The part of the body that a 206 response holds (RFC 9110, section 14.4).
package struct ContentRange: Hashable, Sendable {
    package let bytes: Range<Int64>
    /// The total length, or nil if the server does not know it.
    package let total: Int64?

    package init(bytes: Range<Int64>, total: Int64?) {
        self.bytes = bytes
        self.total = total
    }

    /// Nil if the value is malformed, contradictory, or denotes an unsatisfied range.
    package init?(_ value: String?) {
        guard let value, let space = value.utf8.firstIndex(of: UInt8(ascii: " ")),
            String(value[..<space]).equalsIgnoringASCIICase("bytes")
        else { return nil }
        let rest = value[value.utf8.index(after: space)...].trimmingHTTPWhitespace
        guard let hyphen = rest.utf8.firstIndex(of: UInt8(ascii: "-")),
            let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")), hyphen < slash,
            let first = Self.position(rest[..<hyphen]),
            let last = Self.position(rest[rest.utf8.index(after: hyphen)..<slash]), first <= last, last < .max
        else { return nil }
        let length = rest[rest.utf8.index(after: slash)...]
        let total = length == "*" ? nil : Self.position(length)
        guard length == "*" || last < total ?? 0 else { return nil }
        self.init(bytes: first..<(last + 1), total: total)
    }

    /// Reads digits. A number above `Int64.max` becomes `Int64.max`, which no body reaches.
    package static func position(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int64(text) ?? .max
    }

    /// Whether this part includes all bytes of the other.
    package func contains(_ other: ContentRange) -> Bool {
        bytes.lowerBound <= other.bytes.lowerBound && other.bytes.upperBound <= bytes.upperBound
    }

    /// The field value: `bytes 0-99/1234`.
    package var text: String { "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(total.map(String.init) ?? "*")" }
}

/// An entity tag (RFC 9110, section 8.8.3), exactly as the server wrote it. Some servers omit the quotes and expect the same back.
package struct EntityTag: Hashable, Sendable {
    package let text: String

    package init?(_ text: String?) {
        guard let text, !text.isEmpty else { return nil }
        self.text = text
    }

    package var isWeak: Bool { text.hasPrefix("W/") }
    private var opaque: Substring { isWeak ? text.dropFirst(2) : text[...] }

    /// Whether both tags are strong and equal (section 8.8.3.2).
    package func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && text == other.text }

    /// Whether the tags are equal, weak or not.
    package func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// The condition of `If-None-Match` (section 13.1.2).
    package enum Condition: Equatable {
        /// `*`.
        case any
        case tags([EntityTag])

        package init(_ value: String) {
            let members = value.listMembers(hasEscapes: false)
            self = members == ["*"] ? .any : .tags(members.compactMap { EntityTag(String($0)) })
        }

        package func contains(_ tag: EntityTag) -> Bool {
            switch self {
            case .any: true
            case .tags(let tags): tags.contains { $0.matchesWeakly(tag) }
            }
        }
    }
}
