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

/// The short names that were read last, and their properties: in a list, the same names come again and again.
struct NameMemory {
    private var slots: [(name: ShortName, facts: NameFacts)]

    /// Sets of two slots each. With one slot each, a few names of most objects would replace each other all the time.
    private static let setCount = 32

    /// Creates a memory for a text of that many bytes. For a short text it would cost more than it saves.
    init(bytes: Int) {
        slots = bytes < 512 ? [] : Array(repeating: (ShortName.none, NameFacts()), count: 2 * Self.setCount)
    }

    var isEmpty: Bool { slots.isEmpty }

    /// Returns the facts of a name, if they are known.
    @inline(__always)
    func facts(of name: ShortName) -> NameFacts? {
        let slot = 2 * name.hash(below: Self.setCount)
        return slots.withUnsafeBufferPointer { slots in
            if slots[slot].name == name { return slots[slot].facts }
            return slots[slot + 1].name == name ? slots[slot + 1].facts : nil
        }
    }

    /// Replaces the older name of its set.
    mutating func add(_ name: ShortName, _ facts: NameFacts) {
        let slot = 2 * name.hash(below: Self.setCount)
        slots[slot + 1] = slots[slot]
        slots[slot] = (name, facts)
    }
}

/// A name of up to 15 bytes without escapes, as two words, which are compared at once.
struct ShortName: Equatable {
    private let low: UInt64
    /// The bytes from the ninth on, and the length in the highest byte.
    private let high: UInt64

    /// Unlike any name.
    static let none = ShortName(low: 0, high: .max)

    private init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// Reads the name up to the closing quote. Nil if it is longer, has an escape or an invalid character, or is within the last 16 bytes.
    @inline(__always)
    init?(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) {
        guard let first = bytes.word(at: start), let second = bytes.word(at: start + 8) else { return nil }
        var length = JSONSpecial.offset(in: first)
        if length < 8 {
            self.init(low: Self.prefix(length, of: first), high: UInt64(length) << 56)
        } else {
            length = JSONSpecial.offset(in: second)
            guard length < 8 else { return nil }
            self.init(low: first, high: Self.prefix(length, of: second) | UInt64(length + 8) << 56)
        }
        guard bytes[start + self.length] == UInt8(ascii: "\"") else { return nil }
    }

    var length: Int { Int(high >> 56) }

    /// A number below a power of two, for a table.
    @inline(__always)
    func hash(below count: Int) -> Int {
        let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: ((low ^ (high &* factor)) &* factor) >> 40) & (count - 1)
    }

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
