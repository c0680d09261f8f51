/// The properties of the name of a JSON member.
struct NameFacts {
    /// The hash of the normalised name.
    var hash: UInt64 = 0
    var isShown = false
    /// Whether the value describes an error, or errors.
    var isErrorContainer = false
    /// Whether the name is a secret by its form.
    var holdsSecret = false
}

/// A slot for a name that was read before.
struct KnownName {
    var name = ShortName()
    /// Whether the slot is in use. Without it, a free slot would be the empty name.
    var isSet = false
    var facts = NameFacts()
}

/// A name of up to 15 bytes without escapes, as two words, which are compared at once.
struct ShortName: Equatable {
    private(set) var length = 0
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init() {}

    /// Reads the name up to the closing quote. Nil if it is longer, has an escape or an invalid character, or is within the last 16 bytes.
    @inline(__always)
    init?(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) {
        guard let first = bytes.word(at: start), let second = bytes.word(at: start + 8) else { return nil }
        length = JSONSpecial.offset(in: first)
        if length == 8 { length += JSONSpecial.offset(in: second) }
        guard length < 16, bytes[start + length] == UInt8(ascii: "\"") else { return nil }
        low = length < 8 ? Self.prefix(length, of: first) : first
        high = length < 8 ? 0 : Self.prefix(length - 8, of: second)
    }

    /// A hash whose low bits select the slot in a table. The table's size is a power of two.
    var hash: Int { Int(truncatingIfNeeded: ((low ^ (high &* 0x9E37_79B9_7F4A_7C15)) &* 0x9E37_79B9_7F4A_7C15) >> 40) }

    /// Returns the first bytes of a word, at most seven, and zeros behind them.
    @inline(__always)
    private static func prefix(_ length: Int, of word: UInt64) -> UInt64 {
        word & (1 << UInt64(8 * length) &- 1)
    }
}

/// The bytes that end a run of ordinary ones in a JSON string: a quote, a backslash, a control character.
enum JSONSpecial {
    /// Returns the number of bytes of a word before its first special one; 8 if there is none.
    @inline(__always)
    static func offset(in word: UInt64) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let high: UInt64 = 0x8080_8080_8080_8080
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        // A borrow may set the bit of a byte above a special one, never below: the lowest is right.
        let found = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- ones &* 0x20) & ~word)
        return (found & high).trailingZeroBitCount / 8
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the eight bytes from a position, the first of them lowest, or nil if there are fewer.
    @inline(__always)
    func word(at place: Int) -> UInt64? {
        guard place >= 0, place <= count - 8, let baseAddress else { return nil }
        return UInt64(littleEndian: UnsafeRawPointer(baseAddress + place).loadUnaligned(as: UInt64.self))
    }
}
