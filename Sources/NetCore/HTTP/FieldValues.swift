extension String {
    /// The members of a comma-separated field value (RFC 9110, section 5.6.1.2), without the white space around them and without
    /// empty ones. A comma in a quoted string separates nothing.
    ///
    /// A quote that is never closed is no quote: what stands behind it is read, so that no directive can hide there.
    ///
    /// - Parameter hasEscapes: whether a backslash in a quoted string takes the next character's meaning away. It does, but for
    ///   entity tags (RFC 9110, section 8.8.3).
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

/// A media type (RFC 9110, section 8.3.1) or a media range (section 12.5.1), without its parameters.
package struct MediaType: Hashable, Sendable, CustomStringConvertible {
    /// In lower case; `*` for any.
    package let type: String
    /// In lower case; `*` for any.
    package let subtype: String

    /// Reads the value of a `Content-Type` field, or an element of an `Accept` field. Parameters are left out; nil if it is neither.
    package init?(_ text: String) {
        let essence = String(text.prefix { $0 != ";" }).trimmingHTTPWhitespace
        let parts = essence.split(separator: "/", omittingEmptySubsequences: false).map { String($0).asciiLowercased }
        guard parts.count == 2, parts.allSatisfy(\.isHTTPToken), parts[0] != "*" || parts[1] == "*" else { return nil }
        type = parts[0]
        subtype = parts[1]
    }

    /// Whether this type is one of those that the range names: `text/html` is in `text/html`, `text/*` and `*/*`.
    package func isIn(_ range: MediaType) -> Bool {
        range.type == "*" || range.type == type && (range.subtype == "*" || range.subtype == subtype)
    }

    package var description: String { "\(type)/\(subtype)" }
}

/// Which part of a body a 206 holds (RFC 9110, section 14.4).
package struct ContentRange: Hashable, Sendable {
    package let bytes: Range<Int64>
    /// The length of the whole; nil if the server does not know it.
    package let total: Int64?

    package init(bytes: Range<Int64>, total: Int64?) {
        self.bytes = bytes
        self.total = total
    }

    /// Nil if it is malformed, contradicts itself or says that there is no such part.
    package init?(_ value: String?) {
        guard let value, let space = value.utf8.firstIndex(of: UInt8(ascii: " ")),
            String(value[..<space]).equalsIgnoringASCIICase("bytes")
        else { return nil }
        let rest = value[value.utf8.index(after: space)...].trimmingHTTPWhitespace
        guard let hyphen = rest.utf8.firstIndex(of: UInt8(ascii: "-")),
            let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")), hyphen < slash,
            let first = Self.position(rest[..<hyphen]),
            let last = Self.position(rest[rest.utf8.index(after: hyphen)..<slash]),
            first <= last, last < .max
        else { return nil }
        let length = rest[rest.utf8.index(after: slash)...]
        let total = length == "*" ? nil : Self.position(length)
        guard length == "*" || last < total ?? 0 else { return nil }
        self.init(bytes: first..<(last + 1), total: total)
    }

    /// Digits alone. A number too large for any body stands for the largest that is one.
    package static func position(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int64(text) ?? .max
    }

    /// Whether all bytes of another part are in this one.
    package func contains(_ other: ContentRange) -> Bool {
        bytes.lowerBound <= other.bytes.lowerBound && other.bytes.upperBound <= bytes.upperBound
    }

    /// As a field's value: `bytes 0-99/1234`.
    package var text: String {
        "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(total.map(String.init) ?? "*")"
    }
}

/// An entity tag (RFC 9110, section 8.8.3), to the letter as the server wrote it: some forget the quotes, and want the same back.
package struct EntityTag: Hashable, Sendable {
    package let text: String

    package init?(_ text: String?) {
        guard let text, !text.isEmpty else { return nil }
        self.text = text
    }

    package var isWeak: Bool { text.hasPrefix("W/") }

    private var opaque: Substring { isWeak ? text.dropFirst(2) : text[...] }

    /// Whether both are strong and the same (section 8.8.3.2).
    package func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && text == other.text }

    /// Whether they are the same, weak or not.
    package func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// What `If-None-Match` asks for (section 13.1.2).
    package enum Condition: Equatable {
        /// `*`: any.
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
