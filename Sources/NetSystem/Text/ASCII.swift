extension String {
    /// Whether both are equal apart from the case of ASCII letters. It makes no lower-case copy, because every request compares header names.
    /// Inlinable, since a call between modules would retain both strings.
    @inlinable package func equalsIgnoringASCIICase(_ other: String) -> Bool {
        let left = utf8
        let right = other.utf8
        guard left.count == right.count else { return false }
        var position = right.startIndex
        for byte in left {
            let theirs = right[position]
            if byte != theirs, byte.asciiLowercased != theirs.asciiLowercased { return false }
            position = right.index(after: position)
        }
        return true
    }

    /// Whether this is a token (RFC 9110, section 5.6.2), as required of methods and field names.
    package var isHTTPToken: Bool {
        var text = self
        return !isEmpty && text.withUTF8 { $0.allSatisfy(\.isInHTTPToken) }
    }

    /// Whether the text has a control character other than tab, which a field value must not contain (RFC 9110, section 5.5).
    package var hasControlCharacter: Bool {
        var text = self
        return text.withUTF8 { $0.contains(where: \.isControlInField) }
    }

    /// The text with a space instead of each control character other than tab, as for received fields (RFC 9110, section 5.5).
    package var withoutControlCharacters: String {
        guard hasControlCharacter else { return self }
        return String(decoding: utf8.map { $0.isControlInField ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }

    /// The text with ASCII letters in lower case. Unlike `lowercased()`, it does not turn other characters into ASCII letters (the Kelvin sign
    /// into a k), which is consistent with ``equalsIgnoringASCIICase(_:)``.
    package var asciiLowercased: String {
        guard utf8.contains(where: \.isUpper) else { return self }
        var text = self
        return text.withUTF8 { bytes in
            String(unsafeUninitializedCapacity: bytes.count) { lower in
                for (index, byte) in bytes.enumerated() { lower.initializeElement(at: index, to: byte.asciiLowercased) }
                return bytes.count
            }
        }
    }

    /// The text without spaces and tabs at both ends (RFC 9110, section 5.6.3).
    package var trimmingHTTPWhitespace: Substring { self[...].trimmingHTTPWhitespace }

    /// The same as ``trimmingHTTPWhitespace``, without a copy if there is nothing to trim.
    package var withoutHTTPWhitespace: String {
        guard let first = utf8.first, let last = utf8.last, first.isHTTPWhitespace || last.isHTTPWhitespace else {
            return self
        }
        return String(trimmingHTTPWhitespace)
    }
}

extension Substring {
    /// The text without spaces and tabs at both ends (RFC 9110, section 5.6.3).
    package var trimmingHTTPWhitespace: Substring {
        // Uses bytes, because a space with a combining mark is another Character.
        guard let first = utf8.firstIndex(where: { !$0.isHTTPWhitespace }),
            let last = utf8.lastIndex(where: { !$0.isHTTPWhitespace })
        else { return "" }
        return Substring(utf8[first...last])
    }
}

extension UInt8 {
    /// Letters, digits and ``!#$%&'*+-.^_`|~``, as bits: each request checks every header name several times.
    package var isInHTTPToken: Bool {
        switch self {
        case 0..<64: 0x03FF_6CFA_0000_0000 as UInt64 >> UInt64(self) & 1 == 1
        case 64..<128: 0x57FF_FFFF_C7FF_FFFE as UInt64 >> UInt64(self - 64) & 1 == 1
        default: false
        }
    }

    /// Whether this is a control character (RFC 5234, `CTL`) other than tab.
    fileprivate var isControlInField: Bool { self < 0x20 && self != 0x09 || self == 0x7F }

    package var isUpper: Bool { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") }
    package var isLower: Bool { self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z") }
    package var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
    package var isAlphanumeric: Bool { isLower || isUpper || isDigit }

    @inline(__always)
    package func isOne(of bytes: StaticString) -> Bool { bytes.withUTF8Buffer { $0.contains(self) } }

    package var isHTTPWhitespace: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    /// The lower-case letter of an upper-case one, or the byte unchanged.
    @inlinable package var asciiLowercased: UInt8 {
        self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the position of the first such byte from a position on, or nil if there is none. Several times faster than a loop.
    @inlinable package func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        guard start < count, let base = baseAddress, let found = memchr(base + start, Int32(byte), count - start) else {
            return nil
        }
        return UnsafeRawPointer(found) - base
    }
}

extension Sequence<UInt8> {
    /// Lower-case hexadecimal digits, two for each byte.
    @inlinable package var hexadecimal: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * underestimatedCount)
        for byte in self {
            digits.append((byte >> 4).hexadecimalDigit)
            digits.append((byte & 15).hexadecimalDigit)
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

extension UInt8 {
    /// The lower-case digit of a number below 16.
    @inlinable package var hexadecimalDigit: UInt8 {
        self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "a") + self - 10
    }
}

extension String {
    /// The text with a space instead of each line break and other control character, so that a value cannot forge a log line.
    package var onOneLine: String {
        // The general category Cc is these two ranges, in every version of Unicode. Asking for it costs a search in a table.
        let isControl = { (scalar: Unicode.Scalar) in
            scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value || 0x2028...0x2029 ~= scalar.value
        }
        guard unicodeScalars.contains(where: isControl) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { isControl($0) ? " " : $0 }))
    }
}
