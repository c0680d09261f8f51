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
        let last = right.isEmpty ? nil : ContentRange.position(right)
        guard right.isEmpty || last != nil else { return nil }
        if left.isEmpty {
            guard let last else { return nil }
            self = .suffix(last)
        } else {
            guard let first = ContentRange.position(left), first <= last ?? .max else { return nil }
            self = .from(first, through: last)
        }
    }
}
