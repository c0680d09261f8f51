/// The value of a `traceparent` field, taken apart (W3C Trace Context, section 3.2).
struct Traceparent {
    let traceID: TraceID
    let spanID: SpanID
    let flags: UInt64

    /// The length of version 00: 2, 32, 16 and 2 digits with 3 dashes.
    private static let length = 55

    /// Nil if it is malformed. Of a later version, the start is read as of version 00, and what is behind must be set off by a dash
    /// (section 4.3). White space around it is not part of a field's value.
    init?(_ text: String) {
        let bytes = Array(text.trimmingHTTPWhitespace.utf8)
        guard bytes.count >= Self.length, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
            let version = UInt64(hexDigits: bytes[..<2]), version != 0xFF,
            let traceID = TraceID(String(decoding: bytes[3..<35], as: UTF8.self)),
            let spanID = SpanID(String(decoding: bytes[36..<52], as: UTF8.self)),
            let flags = UInt64(hexDigits: bytes[53..<Self.length])
        else { return nil }
        if bytes.count > Self.length, version == 0 || bytes[Self.length] != UInt8(ascii: "-") { return nil }
        self.traceID = traceID
        self.spanID = spanID
        self.flags = flags
    }
}

/// The value of a `tracestate` field (W3C Trace Context, section 3.3).
enum TraceStateText {
    /// The list without white space and empty members; nil if there is none, or if it breaks the rules: then it must not be handed on.
    static func checked(_ text: String) -> String? {
        let members = text.split(separator: ",").map { $0.trimmingHTTPWhitespace }.filter { !$0.isEmpty }
        guard (1...32).contains(members.count) else { return nil }
        var keys: Set<Substring> = []
        for member in members {
            guard let equals = member.firstIndex(of: "=") else { return nil }
            let key = member[..<equals]
            guard isKey(key), isValue(member[member.index(after: equals)...]), keys.insert(key).inserted else {
                return nil
            }
        }
        return members.joined(separator: ",")
    }

    /// A lower-case letter or a digit, then up to 255 of those and `_-*/@`.
    private static func isKey(_ key: Substring) -> Bool {
        guard (1...256).contains(key.utf8.count), let first = key.utf8.first, first.isLowerCaseOrDigit else {
            return false
        }
        return key.utf8.allSatisfy { $0.isLowerCaseOrDigit || "_-*/@".utf8.contains($0) }
    }

    /// 1 to 256 printable ASCII characters but `,` and `=`, the last of them no space.
    private static func isValue(_ value: Substring) -> Bool {
        (1...256).contains(value.utf8.count) && value.utf8.last != UInt8(ascii: " ")
            && value.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
    }
}

extension UInt8 {
    fileprivate var isLowerCaseOrDigit: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}
