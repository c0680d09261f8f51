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
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default:
                    "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// Without spaces and tabs at both ends: "optional white space" (RFC 9110, section 5.6.3), no other.
    package var trimmingHTTPWhitespace: Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return ""
        }
        return self[first...last]
    }
}

extension UInt8 {
    /// The lower-case letter of an upper-case one; any other byte as it is.
    package var asciiLowercased: UInt8 {
        self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
    }
}
