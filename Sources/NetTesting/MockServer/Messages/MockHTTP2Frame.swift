public import NetCore

/// A frame of HTTP/2 as it is sent: a test chooses every byte but the length (RFC 9113, section 4.1).
public struct MockHTTP2Frame: Hashable, Sendable {
    /// The type of a frame (RFC 9113, section 6).
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt8

        /// A type by its number, also one that is not registered.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// 0: DATA.
        public static let data = Kind(rawValue: 0)
        /// 1: HEADERS.
        public static let headers = Kind(rawValue: 1)
        /// 2: PRIORITY.
        public static let priority = Kind(rawValue: 2)
        /// 3: RST_STREAM.
        public static let reset = Kind(rawValue: 3)
        /// 4: SETTINGS.
        public static let settings = Kind(rawValue: 4)
        /// 5: PUSH_PROMISE.
        public static let pushPromise = Kind(rawValue: 5)
        /// 6: PING.
        public static let ping = Kind(rawValue: 6)
        /// 7: GOAWAY.
        public static let goAway = Kind(rawValue: 7)
        /// 8: WINDOW_UPDATE.
        public static let windowUpdate = Kind(rawValue: 8)
        /// 9: CONTINUATION.
        public static let continuation = Kind(rawValue: 9)
    }

    /// The type.
    public var kind: Kind
    /// The flags, such as 1 for END_STREAM or ACK, and 4 for END_HEADERS.
    public var flags: UInt8
    /// The stream; nil for the stream of the response, and 0 for the connection.
    public var stream: Int?
    /// What follows the nine bytes of the frame's header.
    public var payload: Data

    /// A frame.
    public init(_ kind: Kind, flags: UInt8 = 0, stream: Int? = nil, payload: Data = Data()) {
        self.kind = kind
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    static let endStream: UInt8 = 0x1
    static let acknowledges: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4
    static let isPadded: UInt8 = 0x8
    static let hasPriority: UInt8 = 0x20

    /// The bytes on the wire.
    ///
    /// - Parameter own: the stream of the response.
    func encoded(on own: UInt32) -> Data {
        Self.header(payload.count, kind, flags, on: stream.map { UInt32(truncatingIfNeeded: $0) } ?? own) + payload
    }

    /// The nine bytes before a payload of that length.
    static func header(_ length: Int, _ kind: Kind, _ flags: UInt8 = 0, on stream: UInt32) -> Data {
        Data(
            [
                UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8),
                UInt8(truncatingIfNeeded: length), kind.rawValue, flags,
            ] + stream.bigEndianBytes)
    }
}

extension FixedWidthInteger {
    /// The bytes of the number, the highest first.
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension UnsafeRawBufferPointer {
    /// The number at that place, the highest byte first. The bytes have to be there.
    func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type = Number.self) -> Number {
        Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}

/// What stands before the payload of a received frame.
struct HTTP2FrameHeader: Equatable {
    static let size = 9

    let length: Int
    let kind: MockHTTP2Frame.Kind
    let flags: UInt8
    let stream: UInt32

    /// Nil if fewer than nine bytes are there.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.size else { return nil }
        length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
        kind = MockHTTP2Frame.Kind(rawValue: bytes[3])
        flags = bytes[4]
        stream = bytes.number(at: 5, as: UInt32.self) & 0x7FFF_FFFF
    }

    func has(_ flag: UInt8) -> Bool { flags & flag != 0 }
}
