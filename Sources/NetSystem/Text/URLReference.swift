extension URL {
    /// Resolves a reference of a header field (`Location`, `Link`) against another URL. Nil if the result is not a URL. Invalid characters,
    /// which servers send all the same, are percent-encoded; Foundation (since iOS 17) would also encode existing percent signs again.
    ///
    /// - Parameter keepsUserInformation: whether a user name and a password in the reference (`//user:password@host`) are kept.
    package init?(reference: String, relativeTo base: URL?, keepsUserInformation: Bool = true) {
        let authority = Self.authority(in: reference)
        // Kept as it is: brackets belong to an IPv6 address, other letters to an internationalised name.
        var kept = reference[authority]
        if !keepsUserInformation, let at = kept.lastIndex(of: "@") { kept = kept[kept.index(after: at)...] }
        let (start, end) = (reference[..<authority.lowerBound], reference[authority.upperBound...])
        guard let url = URL(string: Self.encoded(start) + kept + Self.encoded(end), relativeTo: base)?.absoluteURL
        else { return nil }
        self = url
    }

    /// Percent-encodes the invalid characters of a part of a reference.
    private static func encoded(_ part: Substring) -> String {
        var result: [UInt8] = []
        var isFragment = false
        var rest = part.utf8
        while let byte = rest.popFirst() {
            let isPermitted =
                switch byte {
                case UInt8(ascii: "%"): rest.prefix(2).compactMap(PercentEncoding.hex).count == 2
                case UInt8(ascii: "#"): !isFragment
                default: PercentEncoding.isUnreserved(byte) || byte.isOne(of: ":/?#@!$&'()*+,;=")
                }
            if byte == UInt8(ascii: "#") { isFragment = true }
            if isPermitted { result.append(byte) } else { result += PercentEncoding.encode(byte) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the range of the authority in a reference (RFC 3986, section 4.2): after `//` at the start or after the scheme.
    private static func authority(in text: String) -> Range<String.Index> {
        let end = text.firstIndex { "/?#".contains($0) } ?? text.endIndex
        let isAtStart = end == text.startIndex || text[..<end].last == ":"
        guard isAtStart, text[end...].hasPrefix("//") else { return text.endIndex..<text.endIndex }
        let start = text.index(end, offsetBy: 2)
        return start..<(text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex)
    }
}

/// Percent-encoding (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// Encodes everything but unreserved characters (RFC 3986, section 2.3), as UTF-8.
    ///
    /// - Parameters:
    ///   - keepsSlashes: whether `/` and `?` are not encoded.
    ///   - plusForSpace: whether a space becomes a `+`.
    package static func encode(_ text: String, keepsSlashes: Bool = false, plusForSpace: Bool = false) -> String {
        var result = [UInt8]()
        result.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isUnreserved(byte) || keepsSlashes && (byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")) {
                result.append(byte)
            } else if plusForSpace, byte == UInt8(ascii: " ") {
                result.append(UInt8(ascii: "+"))
            } else {
                result += encode(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Encodes a byte as `%` and two digits.
    package static func encode(_ byte: UInt8) -> [UInt8] {
        [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
    }

    /// Decodes text. An incomplete escape is kept, because the text is decoded only to be examined.
    package static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || plusIsSpace && $0 == UInt8(ascii: "+") }) else {
            return String(text)
        }
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let high = hex(rest[rest.startIndex]),
                let low = hex(rest[rest.startIndex + 1])
            {
                result.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                result.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    package static func hex(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): (byte | 0x20) - 0x57
        default: nil
        }
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    fileprivate static func isUnreserved(_ byte: UInt8) -> Bool { byte.isAlphanumeric || byte.isOne(of: "-._~") }
}
