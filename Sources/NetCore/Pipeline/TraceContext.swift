/// Where a request belongs in a distributed trace (W3C Trace Context): what `traceparent` and `tracestate` say.
///
/// ```swift
/// // In a server, around the handling of a request: what it sends belongs to the same trace.
/// let trace = TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01") ?? TraceContext()
/// try await TraceContext.$current.withValue(trace) {
///     _ = try await client.data(for: request)
/// }
/// ```
///
/// `TracePropagationInterceptor` puts it into requests.
public struct TraceContext: Hashable, Sendable {
    /// Names the trace.
    public let traceID: TraceID
    /// Names the operation: in a header, the caller's.
    public let spanID: SpanID
    /// Whether the caller records the trace, and so asks those it calls to do the same.
    public var isSampled: Bool
    /// What tracing systems keep with the trace: a list of `key=value` that was checked, without white space. Nil if there is none.
    public let traceState: String?
    /// Whether ``traceID`` is known to be random (level 2 of the recommendation): handed on as it came.
    let isRandom: Bool

    /// The trace to which the work of the current task belongs; nil if there is none. Set it with `$current.withValue(_:)`.
    @TaskLocal public static var current: TraceContext?

    /// The root of a new trace, with random names.
    public init(isSampled: Bool = true) {
        self.init(traceID: .random(), spanID: .random(), isSampled: isSampled)
    }

    /// A trace by its parts.
    ///
    /// - Parameters:
    ///   - traceID: names the trace.
    ///   - spanID: names the part of it that sends.
    ///   - isSampled: whether the trace is recorded.
    ///   - traceState: the value of a `tracestate` field; one that is malformed is left out.
    public init(traceID: TraceID, spanID: SpanID, isSampled: Bool, traceState: String? = nil) {
        self.init(
            traceID: traceID, spanID: spanID, isSampled: isSampled,
            checkedState: traceState.flatMap(TraceStateText.checked), isRandom: false)
    }

    /// Reads what a request carried; nil if `traceparent` is malformed, and then a new trace should be begun (section 3.4).
    ///
    /// - Parameters:
    ///   - traceparent: the value of the field: version 00, or what a later version has in common with it.
    ///   - tracestate: the value of that field. One that is malformed is left out; `traceparent` counts nevertheless.
    public init?(traceparent: String, tracestate: String? = nil) {
        guard let parsed = Traceparent(traceparent) else { return nil }
        self.init(
            traceID: parsed.traceID, spanID: parsed.spanID, isSampled: parsed.flags & 1 != 0,
            checkedState: tracestate.flatMap(TraceStateText.checked), isRandom: parsed.flags & 2 != 0)
    }

    /// Reads what a message carried; nil if there is no `traceparent`, more than one, or a malformed one.
    public init?(headers: HTTPHeaders) {
        let parents = headers.values(for: "traceparent")
        guard parents.count == 1 else { return nil }
        self.init(traceparent: parents[0], tracestate: headers["tracestate"])
    }

    private init(traceID: TraceID, spanID: SpanID, isSampled: Bool, checkedState: String?, isRandom: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
        traceState = checkedState
        self.isRandom = isRandom
    }

    /// The value of a `traceparent` field: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
    public var traceparent: String {
        "00-\(traceID)-\(spanID)-0\((isSampled ? 1 : 0) + (isRandom ? 2 : 0))"
    }

    /// An operation within this one: the same trace, a new span.
    public func child() -> TraceContext {
        TraceContext(
            traceID: traceID, spanID: .random(), isSampled: isSampled, checkedState: traceState, isRandom: isRandom)
    }
}

extension TraceContext: CustomStringConvertible {
    /// ``traceparent``.
    public var description: String { traceparent }
}

extension RequestContext {
    /// The trace to which the request belongs: what was set here, else ``TraceContext/current``.
    ///
    /// Behind a `TracePropagationInterceptor` its ``TraceContext/spanID`` is the one that is sent. For those further out, the sent request
    /// has it: `traceparent` is in `TransportResponse.request` and ``NetworkFailure/request``.
    public var traceContext: TraceContext? {
        get { self[TraceContextKey.self] ?? TraceContext.current }
        set { self[TraceContextKey.self] = newValue }
    }
}

private enum TraceContextKey: RequestContextKey {
    static let defaultValue: TraceContext? = nil
}

/// The value of a `traceparent` field, taken apart (W3C Trace Context, section 3.2).
struct Traceparent {
    let traceID: TraceID
    let spanID: SpanID
    let flags: UInt64

    /// The length of version 00: 2, 32, 16 and 2 digits with 3 dashes.
    private static let length = 55

    /// Nil if it is malformed. Of a later version, the start is read as of version 00, and what is behind must be set off by a dash
    /// (section 4.3). White space around it is not part of a field's value.
    init?(_ text: String) {
        let bytes = Array(text.trimmingHTTPWhitespace.utf8)
        guard bytes.count >= Self.length, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
            let version = UInt64(hexDigits: bytes[..<2]), version != 0xFF,
            let traceID = TraceID(String(decoding: bytes[3..<35], as: UTF8.self)),
            let spanID = SpanID(String(decoding: bytes[36..<52], as: UTF8.self)),
            let flags = UInt64(hexDigits: bytes[53..<Self.length])
        else { return nil }
        if bytes.count > Self.length, version == 0 || bytes[Self.length] != UInt8(ascii: "-") { return nil }
        self.traceID = traceID
        self.spanID = spanID
        self.flags = flags
    }
}

/// The value of a `tracestate` field (W3C Trace Context, section 3.3).
enum TraceStateText {
    /// The list without white space and empty members; nil if there is none, or if it breaks the rules: then it must not be handed on.
    static func checked(_ text: String) -> String? {
        let members = text.split(separator: ",").map { $0.trimmingHTTPWhitespace }.filter { !$0.isEmpty }
        guard (1...32).contains(members.count) else { return nil }
        var keys: Set<Substring> = []
        for member in members {
            guard let equals = member.firstIndex(of: "=") else { return nil }
            let key = member[..<equals]
            guard isKey(key), isValue(member[member.index(after: equals)...]), keys.insert(key).inserted else {
                return nil
            }
        }
        return members.joined(separator: ",")
    }

    /// A lower-case letter or a digit, then up to 255 of those and `_-*/@`.
    private static func isKey(_ key: Substring) -> Bool {
        guard (1...256).contains(key.utf8.count), let first = key.utf8.first, first.isLowerCaseOrDigit else {
            return false
        }
        return key.utf8.allSatisfy { $0.isLowerCaseOrDigit || "_-*/@".utf8.contains($0) }
    }

    /// 1 to 256 printable ASCII characters but `,` and `=`, the last of them no space.
    private static func isValue(_ value: Substring) -> Bool {
        (1...256).contains(value.utf8.count) && value.utf8.last != UInt8(ascii: " ")
            && value.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
    }
}

extension UInt8 {
    fileprivate var isLowerCaseOrDigit: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}

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
