import NetCore

/// A JSON text (RFC 8259) as bytes, equal for equal values: no white space, sorted members, strings without escapes, numbers as they are written.
struct CanonicalJSON {
    let bytes: [UInt8]
    /// The texts in the member `query` of the whole, or of each element of the whole: the documents of a GraphQL request, or of a batch.
    private let queries: [String]

    /// In nested arrays and objects. A deeper text has no canonical form.
    private static let maximumDepth = 64

    /// Nil for a text of another media type, that is not JSON, that nests too deeply, or in which an object repeats a member.
    init?(_ data: Data, type: String = "application/json") {
        let essence = String(type.prefix { $0 != ";" }.trimmingHTTPWhitespace).asciiLowercased
        guard essence == "application/json" || essence.hasSuffix("+json") else { return nil }
        var reader = JSONReader(bytes: Array(data))
        guard let value = reader.value(depth: Self.maximumDepth), reader.skipWhitespace() == nil else { return nil }
        (bytes, queries) = (value, reader.queries)
    }

    /// Whether the body is a GraphQL request (GraphQL, section 2.3), or a batch of them, with a mutation or a subscription.
    var isGraphQLMutation: Bool { queries.contains(where: Self.isMutation) }

    private static func isMutation(_ query: String) -> Bool {
        var depth = 0
        var rest = query.utf8[...]
        while let byte = rest.first {
            if byte == UInt8(ascii: "#") {
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
                continue
            }
            if byte == UInt8(ascii: "\"") {
                rest = skippingString(rest)
                continue
            }
            let word = rest.prefix { $0.isLower || $0.isUpper || $0.isDigit || $0 == UInt8(ascii: "_") }
            if depth == 0, ["mutation", "subscription"].contains(String(Substring(word))) { return true }
            if "{([".utf8.contains(byte) { depth += 1 }
            if "})]".utf8.contains(byte) { depth -= 1 }
            rest = rest.dropFirst(max(word.count, 1))
        }
        return false
    }

    private static func skippingString(_ text: Substring.UTF8View) -> Substring.UTF8View {
        let block = "\"\"\"".utf8
        let isBlock = text.starts(with: block)
        var rest = text.dropFirst(isBlock ? 3 : 1)
        while let byte = rest.first {
            if byte == UInt8(ascii: "\\") {
                rest = rest.dropFirst(2)
            } else if isBlock ? rest.starts(with: block) : byte == UInt8(ascii: "\"") {
                return rest.dropFirst(isBlock ? 3 : 1)
            } else {
                rest = rest.dropFirst()
            }
        }
        return rest
    }
}

private struct JSONReader {
    let bytes: [UInt8]
    var position = 0
    var queries: [String] = []
    /// The arrays and objects around the position.
    var nesting = 0
    var isBatch = false

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Returns the byte behind white space, or nil at the end.
    @discardableResult
    mutating func skipWhitespace() -> UInt8? {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
        return next
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard skipWhitespace() == byte else { return false }
        position += 1
        return true
    }

    mutating func value(depth: Int) -> [UInt8]? {
        switch skipWhitespace() {
        case UInt8(ascii: "{"): return depth > 0 ? object(depth: depth) : nil
        case UInt8(ascii: "["): return depth > 0 ? array(depth: depth) : nil
        case UInt8(ascii: "\""): return string().map(Self.marked)
        default: return word()
        }
    }

    /// A string after its length, so that it cannot be taken for anything else.
    private static func marked(_ string: [UInt8]) -> [UInt8] { Array("\"\(string.count):".utf8) + string }

    private mutating func object(depth: Int) -> [UInt8]? {
        let isRequest = nesting == 0 || nesting == 1 && isBatch
        nesting += 1
        defer { nesting -= 1 }
        position += 1
        var members: [(name: [UInt8], value: [UInt8])] = []
        if !skip(UInt8(ascii: "}")) {
            repeat {
                skipWhitespace()
                guard let name = string(), skip(UInt8(ascii: ":")) else { return nil }
                skipWhitespace()
                let start = position
                guard let value = value(depth: depth - 1) else { return nil }
                if isRequest, name == Array("query".utf8), bytes[start] == UInt8(ascii: "\"") {
                    queries.append(String(decoding: value.drop { $0 != UInt8(ascii: ":") }.dropFirst(), as: UTF8.self))
                }
                members.append((name, value))
            } while skip(UInt8(ascii: ","))
            guard skip(UInt8(ascii: "}")) else { return nil }
        }
        members.sort { $0.name.lexicographicallyPrecedes($1.name) }
        guard zip(members, members.dropFirst()).allSatisfy({ $0.name != $1.name }) else { return nil }
        return [UInt8(ascii: "{")] + members.flatMap { Self.marked($0.name) + $0.value } + [UInt8(ascii: "}")]
    }

    private mutating func array(depth: Int) -> [UInt8]? {
        if nesting == 0 { isBatch = true }
        nesting += 1
        defer { nesting -= 1 }
        position += 1
        var result = [UInt8(ascii: "[")]
        if !skip(UInt8(ascii: "]")) {
            repeat {
                guard let value = value(depth: depth - 1) else { return nil }
                result += value
                result.append(UInt8(ascii: ","))
            } while skip(UInt8(ascii: ","))
            guard skip(UInt8(ascii: "]")) else { return nil }
        }
        return result + [UInt8(ascii: "]")]
    }

    /// Reads a string, and returns its bytes without escapes.
    private mutating func string() -> [UInt8]? {
        guard next == UInt8(ascii: "\"") else { return nil }
        let start = position
        var isEscaped = false
        position += 1
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { return nil }
            if byte == UInt8(ascii: "\\") { (isEscaped, position) = (true, position + 1) }
            position += 1
        }
        guard next != nil else { return nil }
        position += 1
        let text = bytes[start..<position]
        guard isEscaped else { return Array(text.dropFirst().dropLast()) }
        return (try? JSONDecoder().decode(String.self, from: Data(text))).map { Array($0.utf8) }
    }

    /// Reads a number or a literal, as it is written.
    private mutating func word() -> [UInt8]? {
        let start = position
        while let byte = next, byte.isLower || byte.isUpper || byte.isDigit || "+-.".utf8.contains(byte) {
            position += 1
        }
        let text = bytes[start..<position]
        guard let first = text.first else { return nil }
        let isLiteral = ["true", "false", "null"].contains(String(decoding: text, as: UTF8.self))
        guard isLiteral || first.isDigit || first == UInt8(ascii: "-") else { return nil }
        return Array(text)
    }
}
