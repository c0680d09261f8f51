import NetCore

/// One directive of a `Cache-Control` field (RFC 9111, section 5.2): `max-age=60`.
struct CacheDirective: Equatable {
    /// In lower case.
    let name: String
    /// Without the quotes around it; nil if there is none.
    let argument: String?
    /// Whether there is white space around the equals sign, where none may be.
    let isMalformed: Bool

    /// The directives of a field's value, in order.
    static func list(_ value: String) -> [CacheDirective] {
        value.listMembers().map(CacheDirective.init)
    }

    init(_ member: Substring) {
        guard let equals = member.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            name = String(member).asciiLowercased
            argument = nil
            isMalformed = false
            return
        }
        let left = member[..<equals]
        let right = member[member.utf8.index(after: equals)...]
        let name = left.trimmingHTTPWhitespace
        let argument = right.trimmingHTTPWhitespace
        self.name = String(name).asciiLowercased
        self.argument = Self.unquoted(argument)
        isMalformed = name.utf8.count != left.utf8.count || argument.utf8.count != right.utf8.count
    }

    /// The argument as a number of seconds: see ``deltaSeconds(_:)``. Both forms, the token and the quoted string, are taken
    /// (RFC 9111, section 5.2).
    var seconds: Int? {
        guard !isMalformed, let argument else { return nil }
        return Self.deltaSeconds(argument)
    }

    /// The field names in the argument, in lower case.
    var fieldNames: [String] {
        (argument ?? "").listMembers().map { String($0).asciiLowercased }
    }

    /// A number of seconds (RFC 9111, section 1.2.2): digits alone. What is too large to be meant counts as 2³¹.
    static func deltaSeconds(_ text: some StringProtocol) -> Int? {
        var value = 0
        for byte in text.utf8 {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = min(value * 10 + Int(byte - UInt8(ascii: "0")), longestDelta)
        }
        return text.utf8.isEmpty ? nil : value
    }

    static let longestDelta = 1 << 31

    private static func unquoted(_ text: Substring) -> String {
        let quote = UInt8(ascii: "\"")
        guard text.utf8.count >= 2, text.utf8.first == quote, text.utf8.last == quote else { return String(text) }
        let inner = text.dropFirst().dropLast()
        guard inner.utf8.contains(UInt8(ascii: "\\")) else { return String(inner) }
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in inner.utf8 {
            if byte == UInt8(ascii: "\\"), !isEscaped {
                isEscaped = true
            } else {
                bytes.append(byte)
                isEscaped = false
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
