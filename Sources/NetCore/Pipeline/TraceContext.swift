/// The position of a request in a distributed trace (W3C Trace Context): the content of `traceparent` and `tracestate`.
///
/// ```swift
/// // In a server, around the handling of a request: the requests it sends belong to the same trace.
/// let trace = TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01") ?? TraceContext()
/// try await TraceContext.$current.withValue(trace) {
///     _ = try await client.data(for: request)
/// }
/// ```
///
/// `TracePropagationInterceptor` adds it to requests.
public struct TraceContext: Hashable, Sendable {
    public let traceID: TraceContext.TraceID
    /// The ID of the operation: in a header, the caller's.
    public let spanID: TraceContext.SpanID
    /// Whether the caller records the trace, and requests the same of the servers it calls.
    public var isSampled: Bool
    /// Vendor-specific data: a validated list of `key=value` without white space, or nil.
    public let traceState: String?
    /// Whether ``traceID`` is known to be random (level 2 of the recommendation). The flag is forwarded unchanged.
    let isRandom: Bool

    /// The trace of the current task, or nil. Set it with `$current.withValue(_:)`.
    @TaskLocal public static var current: TraceContext?
}

extension TraceContext: CustomStringConvertible {
    /// Creates the root of a new trace, with random IDs.
    public init(isSampled: Bool = true) { self.init(traceID: .random(), spanID: .random(), isSampled: isSampled) }

    /// Creates a trace from its parts. A malformed `traceState` is dropped.
    public init(traceID: TraceContext.TraceID, spanID: TraceContext.SpanID, isSampled: Bool, traceState: String? = nil)
    {
        self.init(
            traceID: traceID, spanID: spanID, isSampled: isSampled,
            traceState: traceState.flatMap(TraceStateText.checked), isRandom: false)
    }

    /// Reads the fields of a request. Nil if `traceparent` is malformed; then start a new trace (section 3.4).
    ///
    /// - Parameters:
    ///   - traceparent: the value of the field, in version 00 or a later version with the same start. Surrounding white space is ignored.
    ///   - tracestate: the value of that field. A malformed value is dropped.
    public init?(traceparent: String, tracestate: String? = nil) {
        // Version 00: 2, 32, 16 and 2 digits and 3 dashes. A later version is read like it; a dash must separate what follows (section 4.3).
        let bytes = Array(traceparent.trimmingHTTPWhitespace.utf8)
        guard bytes.count >= 55, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
            let version = UInt64(hexDigits: bytes[..<2]), version != 0xFF,
            let traceID = TraceContext.TraceID(String(decoding: bytes[3..<35], as: UTF8.self)),
            let spanID = TraceContext.SpanID(String(decoding: bytes[36..<52], as: UTF8.self)),
            let flags = UInt64(hexDigits: bytes[53..<55]),
            bytes.count == 55 || version > 0 && bytes[55] == UInt8(ascii: "-")
        else { return nil }
        self.init(
            traceID: traceID, spanID: spanID, isSampled: flags & 1 != 0,
            traceState: tracestate.flatMap(TraceStateText.checked), isRandom: flags & 2 != 0)
    }

    /// Reads the fields of a message. Nil if there is no `traceparent`, more than one, or a malformed one.
    public init?(headers: HTTPHeaders) {
        let parents = headers.values(for: "traceparent")
        guard parents.count == 1 else { return nil }
        self.init(traceparent: parents[0], tracestate: headers["tracestate"])
    }

    /// The value of a `traceparent` field: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
    public var traceparent: String { "00-\(traceID)-\(spanID)-0\((isSampled ? 1 : 0) + (isRandom ? 2 : 0))" }
    public var description: String { traceparent }

    /// Returns an operation within this one: the same trace with a new span.
    public func child() -> TraceContext {
        TraceContext(
            traceID: traceID, spanID: .random(), isSampled: isSampled, traceState: traceState, isRandom: isRandom)
    }
}

extension RequestContext {
    /// The trace of the request: the value set here, else ``TraceContext/current``.
    ///
    /// After a `TracePropagationInterceptor`, its ``TraceContext/spanID`` is the one sent. Outer interceptors find that in the `traceparent`
    /// of `TransportResponse.request` and ``NetworkFailure/request``.
    public var traceContext: TraceContext? {
        get { self[TraceContextKey.self] ?? TraceContext.current }
        set { self[TraceContextKey.self] = newValue }
    }
}

private enum TraceContextKey: RequestContext.Key { static let defaultValue: TraceContext? = nil }

/// The value of a `tracestate` field (W3C Trace Context, section 3.3).
enum TraceStateText {
    /// Returns the list without white space and empty members. Nil if it is empty or malformed and so must not be forwarded.
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
        (1...256).contains(key.utf8.count) && key.utf8.first?.isOne(of: "_-*/@") == false
            && key.utf8.allSatisfy { $0.isLower || $0.isDigit || $0.isOne(of: "_-*/@") }
    }

    /// 1 to 256 printable ASCII characters except `,` and `=`, the last of which is not a space.
    private static func isValue(_ value: Substring) -> Bool {
        (1...256).contains(value.utf8.count) && value.utf8.last != UInt8(ascii: " ")
            && value.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
    }
}

extension TraceContext {
    /// The ID of a trace: 16 bytes, not all zero (W3C Trace Context, section 3.2.2.3).
    public struct TraceID: Hashable, Sendable, CustomStringConvertible {
        /// The first 8 bytes, and the last 8.
        let high, low: UInt64

        /// Nil if all bytes are zero.
        init?(high: UInt64, low: UInt64) {
            guard high | low != 0 else { return nil }
            self.high = high
            self.low = low
        }

        /// Reads 32 lower-case hexadecimal digits. Nil for anything else, and for zero.
        public init?(_ text: String) {
            let bytes = Array(text.utf8)
            guard bytes.count == 32, let high = UInt64(hexDigits: bytes[..<16]),
                let low = UInt64(hexDigits: bytes[16...])
            else { return nil }
            self.init(high: high, low: low)
        }

        /// Returns a random identifier that is not zero.
        public static func random() -> TraceContext.TraceID {
            // Zero occurs once in 2¹²⁸ draws.
            TraceContext.TraceID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)) ?? random()
        }

        /// 32 hexadecimal digits.
        public var description: String { high.hexDigits + low.hexDigits }
    }

    /// The ID of an operation in a trace: 8 bytes, not all zero (W3C Trace Context, section 3.2.2.4).
    public struct SpanID: Hashable, Sendable, CustomStringConvertible {
        private let number: UInt64

        /// Reads 16 lower-case hexadecimal digits. Nil for anything else, and for zero.
        public init?(_ text: String) {
            guard let number = UInt64(hexDigits: Array(text.utf8)[...]), text.utf8.count == 16, number != 0 else {
                return nil
            }
            self.number = number
        }

        private init(number: UInt64) { self.number = number }

        /// Returns a random identifier that is not zero.
        public static func random() -> TraceContext.SpanID { TraceContext.SpanID(number: .random(in: 1 ... .max)) }

        /// 16 hexadecimal digits.
        public var description: String { number.hexDigits }
    }
}

extension TraceContext.TraceID {
    /// Creates the trace ID of a call without a trace: the same for each attempt, and unique to the call.
    ///
    /// Interceptors keep no state between attempts, so it is derived from the call's ID and random numbers of the process, bijectively (SplitMix64).
    package init(call: RequestContext.ID) {
        let high = Self.mix(Self.seed.high &+ call.number)
        let low = Self.mix(Self.seed.low ^ call.number)
        self = TraceContext.TraceID(high: high, low: low) ?? Self.seed
    }

    private static let seed = TraceContext.TraceID.random()

    private static func mix(_ value: UInt64) -> UInt64 {
        var z = value &+ 0x9E37_79B9_7F4A_7C15
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}

extension UInt64 {
    /// Reads up to 16 lower-case hexadecimal digits. Nil for anything else.
    init?(hexDigits digits: ArraySlice<UInt8>) {
        guard digits.count <= 16, digits.allSatisfy({ $0.isDigit || $0.isOne(of: "abcdef") }) else { return nil }
        self.init(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    fileprivate var hexDigits: String { withUnsafeBytes(of: bigEndian) { $0.hexadecimal } }
}
