public import NetCore

/// A frame of HTTP/2, of which a test chooses all but the length (RFC 9113, section 4.1).
public struct MockHTTP2Frame: Hashable, Sendable {
    /// The type of a frame (RFC 9113, section 6).
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let data = Kind(rawValue: 0)
        public static let headers = Kind(rawValue: 1)
        public static let priority = Kind(rawValue: 2)
        /// RST_STREAM.
        public static let reset = Kind(rawValue: 3)
        public static let settings = Kind(rawValue: 4)
        public static let pushPromise = Kind(rawValue: 5)
        public static let ping = Kind(rawValue: 6)
        public static let goAway = Kind(rawValue: 7)
        public static let windowUpdate = Kind(rawValue: 8)
        public static let continuation = Kind(rawValue: 9)
    }

    public var kind: Kind
    /// The flags, such as 1 for END_STREAM or ACK, and 4 for END_HEADERS.
    public var flags: UInt8
    /// The stream; nil for the stream of the response, and 0 for the connection.
    public var stream: Int?
    /// The bytes after the frame's header.
    public var payload: Data

    public init(_ kind: Kind, flags: UInt8 = 0, stream: Int? = nil, payload: Data = Data()) {
        self.kind = kind
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    package static let endStream: UInt8 = 0x1
    static let acknowledges: UInt8 = 0x1
    package static let endHeaders: UInt8 = 0x4
    static let isPadded: UInt8 = 0x8
    static let hasPriority: UInt8 = 0x20

    /// Returns the bytes on the wire.
    ///
    /// - Parameter own: the stream of the response.
    package func encoded(on own: UInt32) -> Data {
        Self.header(payload.count, kind, flags, on: stream.map { UInt32(truncatingIfNeeded: $0) } ?? own) + payload
    }

    /// Returns the nine bytes of the header of a frame.
    static func header(_ length: Int, _ kind: Kind, _ flags: UInt8 = 0, on stream: UInt32) -> Data {
        let start = UInt32(truncatingIfNeeded: length) << 8 | UInt32(kind.rawValue)
        return Data(start.bigEndianBytes + [flags] + stream.bigEndianBytes)
    }

    /// HEADERS, and CONTINUATION if the block is too long for one frame.
    package static func fieldBlock(
        _ block: [UInt8], on stream: UInt32, endsStream: Bool = false, maxFrame: Int
    ) -> Data {
        var frames = Data()
        var rest = block[...]
        repeat {
            let part = rest.prefix(maxFrame)
            rest = rest.dropFirst(part.count)
            let isFirst = frames.isEmpty
            let flags = (rest.isEmpty ? endHeaders : 0) | (isFirst && endsStream ? endStream : 0)
            frames += header(part.count, isFirst ? .headers : .continuation, flags, on: stream)
            frames += part
        } while !rest.isEmpty
        return frames
    }

    /// PING with eight zeros.
    public static let ping = MockHTTP2Frame(.ping, stream: 0, payload: Data(count: 8))

    /// HEADERS with this field block, on the stream of the response.
    package static func headers(_ block: [UInt8]) -> MockHTTP2Frame {
        MockHTTP2Frame(.headers, flags: endHeaders, payload: Data(block))
    }

    /// SETTINGS with one setting.
    package static func setting(_ id: UInt16, _ value: UInt32) -> MockHTTP2Frame {
        MockHTTP2Frame(.settings, stream: 0, payload: Data(id.bigEndianBytes + value.bigEndianBytes))
    }
}

extension FixedWidthInteger {
    /// The bytes in network order.
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension UnsafeRawBufferPointer {
    /// Returns the number at an offset, in network order. The bytes must exist.
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
