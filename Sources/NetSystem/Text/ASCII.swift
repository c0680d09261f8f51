extension String {
    /// Whether both are the same but for the case of ASCII letters, without making a lower-case copy: header names are
    /// compared on every request.
    package func equalsIgnoringASCIICase(_ other: String) -> Bool {
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

    /// Whether this is a token as RFC 9110, section 5.6.2 defines it: what a method or a field name is made of.
    package var isHTTPToken: Bool {
        var text = self
        return !isEmpty && text.withUTF8 { $0.allSatisfy(\.isInHTTPToken) }
    }

    /// Whether it holds what a field's value must not: a control character other than tab (RFC 9110, section 5.5).
    package var hasControlCharacter: Bool {
        var text = self
        return text.withUTF8 { $0.contains(where: \.isControlInField) }
    }

    /// With a space in place of each control character other than tab, as RFC 9110, section 5.5 has it for fields that were received.
    package var withoutControlCharacters: String {
        guard hasControlCharacter else { return self }
        return String(decoding: utf8.map { $0.isControlInField ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }

    /// With ASCII letters in lower case. Unlike `lowercased()` it makes no ASCII letter of another one (the Kelvin sign is
    /// not a k), and so agrees with ``equalsIgnoringASCIICase(_:)``.
    package var asciiLowercased: String {
        String(decoding: utf8.lazy.map(\.asciiLowercased), as: UTF8.self)
    }

    /// Without spaces and tabs at both ends: "optional white space" (RFC 9110, section 5.6.3), no other.
    package var trimmingHTTPWhitespace: Substring { self[...].trimmingHTTPWhitespace }

    /// The same as ``trimmingHTTPWhitespace``, without a copy where there is nothing to trim.
    package var withoutHTTPWhitespace: String {
        guard let first = utf8.first, let last = utf8.last, first.isHTTPWhitespace || last.isHTTPWhitespace else {
            return self
        }
        return String(trimmingHTTPWhitespace)
    }
}

extension Substring {
    /// Without spaces and tabs at both ends: "optional white space" (RFC 9110, section 5.6.3), no other.
    package var trimmingHTTPWhitespace: Substring {
        // Bytes, since as a Character a space can have a combining mark.
        guard let first = utf8.firstIndex(where: { !$0.isHTTPWhitespace }),
            let last = utf8.lastIndex(where: { !$0.isHTTPWhitespace })
        else { return "" }
        return Substring(utf8[first...last])
    }
}

extension UInt8 {
    /// Letters, digits and ``!#$%&'*+-.^_`|~``, as bits, since every name of a header field is looked at several times a request.
    fileprivate var isInHTTPToken: Bool {
        switch self {
        case 0..<64: 0x03FF_6CFA_0000_0000 as UInt64 >> UInt64(self) & 1 == 1
        case 64..<128: 0x57FF_FFFF_C7FF_FFFE as UInt64 >> UInt64(self - 64) & 1 == 1
        default: false
        }
    }

    /// Whether it is a control character (RFC 5234, `CTL`) other than tab.
    fileprivate var isControlInField: Bool { self < 0x20 && self != 0x09 || self == 0x7F }

    package var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    package var isHTTPWhitespace: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    /// The lower-case letter of an upper-case one; any other byte as it is.
    package var asciiLowercased: UInt8 {
        self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
    }
}

extension Sequence<UInt8> {
    /// As lower-case hexadecimal digits, two for each byte.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension String {
    /// The text with a space in place of each line break and other control character, so that a value cannot forge a line of a log.
    package var onOneLine: String {
        let isControl = { (scalar: Unicode.Scalar) in
            scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
        }
        guard unicodeScalars.contains(where: isControl) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { isControl($0) ? " " : $0 }))
    }
}
