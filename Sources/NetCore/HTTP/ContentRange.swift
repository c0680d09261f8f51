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
