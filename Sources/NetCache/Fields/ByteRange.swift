import NetCore

/// A part of a body, as `Range: bytes=…` asks for it (RFC 9110, section 14.1.2).
enum ByteRange: Equatable {
    /// From a position to another one, that included; to the end if it is nil.
    case from(Int64, through: Int64?)
    /// So many bytes at the end.
    case suffix(Int64)

    /// The bytes this means in a body of that length; nil if it has none of them.
    func resolved(length: Int64) -> Range<Int64>? {
        switch self {
        case .from(let first, let last):
            guard first < length else { return nil }
            return first..<(Swift.min(last ?? .max, length - 1) + 1)
        case .suffix(let count):
            guard count > 0, length > 0 else { return nil }
            return Swift.max(0, length - count)..<length
        }
    }

    /// What a `Range` field asks for.
    enum Request: Equatable {
        /// One part.
        case one(ByteRange)
        /// Several parts, or a unit other than bytes: for the server to answer.
        case other

        /// Nil if it is malformed: then there is no `Range` (section 14.2).
        init?(_ value: String) {
            guard let equals = value.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let unit = String(value[..<equals])
            guard unit.isHTTPToken else { return nil }
            let members = String(value[value.utf8.index(after: equals)...]).listMembers()
            guard unit.equalsIgnoringASCIICase("bytes") else {
                self = .other
                return
            }
            let ranges = members.compactMap(ByteRange.init)
            guard let first = ranges.first, ranges.count == members.count else { return nil }
            self = ranges.count == 1 ? .one(first) : .other
        }
    }

    private init?(_ member: Substring) {
        guard let hyphen = member.utf8.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let left = member[..<hyphen]
        let right = member[member.utf8.index(after: hyphen)...]
        let last = right.isEmpty ? nil : Self.position(right)
        guard right.isEmpty || last != nil else { return nil }
        if left.isEmpty {
            guard let last else { return nil }
            self = .suffix(last)
        } else {
            guard let first = Self.position(left), first <= last ?? .max else { return nil }
            self = .from(first, through: last)
        }
    }

    /// Digits alone. A number too large for any body stands for the largest that is one.
    static func position(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
            return nil
        }
        return Int64(text) ?? .max
    }
}

/// Which part of a body a 206 holds (RFC 9110, section 14.4).
struct ContentRange: Equatable {
    let bytes: Range<Int64>
    /// The length of the whole; nil if the server does not know it.
    let total: Int64?

    init(bytes: Range<Int64>, total: Int64?) {
        self.bytes = bytes
        self.total = total
    }

    /// Nil if it is malformed, contradicts itself or says that there is no such part.
    init?(_ value: String?) {
        guard let value, let space = value.utf8.firstIndex(of: UInt8(ascii: " ")),
            String(value[..<space]).equalsIgnoringASCIICase("bytes")
        else { return nil }
        let rest = value[value.utf8.index(after: space)...].trimmingHTTPWhitespace
        guard let hyphen = rest.utf8.firstIndex(of: UInt8(ascii: "-")),
            let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")), hyphen < slash,
            let first = ByteRange.position(rest[..<hyphen]),
            let last = ByteRange.position(rest[rest.utf8.index(after: hyphen)..<slash]),
            first <= last, last < .max
        else { return nil }
        let length = rest[rest.utf8.index(after: slash)...]
        let total = length == "*" ? nil : ByteRange.position(length)
        guard length == "*" || last < total ?? 0 else { return nil }
        self.init(bytes: first..<(last + 1), total: total)
    }

    /// Whether all bytes of another part are in this one.
    func contains(_ other: ContentRange) -> Bool {
        bytes.lowerBound <= other.bytes.lowerBound && other.bytes.upperBound <= bytes.upperBound
    }

    /// As a field's value: `bytes 0-99/1234`.
    var text: String {
        "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(total.map(String.init) ?? "*")"
    }
}
