/// Names a trace: 16 bytes, not all zero (W3C Trace Context, section 3.2.2.3).
public struct TraceID: Hashable, Sendable, CustomStringConvertible {
    /// The first 8 bytes.
    let high: UInt64
    /// The last 8 bytes.
    let low: UInt64

    /// Nil if both are zero.
    init?(high: UInt64, low: UInt64) {
        guard high | low != 0 else { return nil }
        self.high = high
        self.low = low
    }

    /// Reads 32 hexadecimal digits in lower case; nil for anything else, and for zeros.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 32, let high = UInt64(hexDigits: bytes[..<16]), let low = UInt64(hexDigits: bytes[16...])
        else { return nil }
        self.init(high: high, low: low)
    }

    /// A random one.
    public static func random() -> TraceID {
        // Zero comes once in 2¹²⁸: then again.
        while true {
            if let id = TraceID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)) { return id }
        }
    }

    /// 32 hexadecimal digits.
    public var description: String { high.hexDigits + low.hexDigits }
}

/// Names an operation in a trace: 8 bytes, not all zero (W3C Trace Context, section 3.2.2.4).
public struct SpanID: Hashable, Sendable, CustomStringConvertible {
    private let number: UInt64

    /// Reads 16 hexadecimal digits in lower case; nil for anything else, and for zeros.
    public init?(_ text: String) {
        guard let number = UInt64(hexDigits: Array(text.utf8)[...]), text.utf8.count == 16, number != 0 else {
            return nil
        }
        self.number = number
    }

    private init(number: UInt64) {
        self.number = number
    }

    /// A random one.
    public static func random() -> SpanID { SpanID(number: .random(in: 1 ... .max)) }

    /// 16 hexadecimal digits.
    public var description: String { number.hexDigits }
}

extension TraceID {
    /// The trace of a call that belongs to none yet: the same for each attempt, unlike any other's.
    ///
    /// An interceptor sees the attempts of a call one by one and keeps nothing between them. So the name is made of the call's own and of
    /// random numbers of this process, by a mixing function that never gives the same for two calls (SplitMix64).
    package init(call: RequestID) {
        let high = Self.mix(Self.seed.high &+ call.number)
        let low = Self.mix(Self.seed.low ^ call.number)
        self = TraceID(high: high, low: low) ?? Self.seed
    }

    private static let seed = TraceID.random()

    private static func mix(_ value: UInt64) -> UInt64 {
        var z = value &+ 0x9E37_79B9_7F4A_7C15
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}

extension UInt64 {
    /// Reads hexadecimal digits in lower case, at most 16; nil for anything else.
    init?(hexDigits digits: ArraySlice<UInt8>) {
        guard (1...16).contains(digits.count) else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        self = value
    }

    /// 16 hexadecimal digits.
    fileprivate var hexDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
