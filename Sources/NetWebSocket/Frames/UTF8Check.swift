/// Checks UTF-8 (RFC 3629) that comes in pieces, and a piece may end inside a character.
struct UTF8Check {
    /// Bytes that the character still needs, and what the next of them may be.
    private var missing = 0
    private var range: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether what has come so far ends with a whole character.
    var isComplete: Bool { missing == 0 }

    /// Whether the bytes so far are, or may become, valid.
    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                // Most text is ASCII, which can be looked at eight bytes at a time.
                while index + 8 <= bytes.count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    index += 8
                }
                guard index < bytes.count else { return true }
                guard begin(bytes[index]) else { return false }
            } else {
                guard range.contains(bytes[index]) else { return false }
                range = 0x80...0xBF
                missing -= 1
            }
            index += 1
        }
        return true
    }

    /// The first byte of a character. Overlong forms, surrogates and what is above U+10FFFF show in the second byte.
    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0:
            missing = 2
            range = 0xA0...0xBF
        case 0xED:
            missing = 2
            range = 0x80...0x9F
        case 0xE1...0xEF: missing = 2
        case 0xF0:
            missing = 3
            range = 0x90...0xBF
        case 0xF1...0xF3: missing = 3
        case 0xF4:
            missing = 3
            range = 0x80...0x8F
        default: return false
        }
        return true
    }
}
