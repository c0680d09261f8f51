/// Percent-encoding (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// Encodes everything but unreserved characters (RFC 3986, section 2.3), as UTF-8.
    package static func encode(_ text: String) -> String {
        var result = [UInt8]()
        result.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isUnreserved(byte) { result.append(byte) } else { result += encode(byte) }
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

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isDigit || byte.isLower || byte.isUpper || "-._~".utf8.contains(byte)
    }
}
