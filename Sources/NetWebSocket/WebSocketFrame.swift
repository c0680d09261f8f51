import NetCore

/// A frame (RFC 6455, section 5.2), with its payload unmasked.
package struct WebSocketFrame: Hashable, Sendable {
    package var isFinal: Bool
    /// RSV1: on the first frame of a compressed message (RFC 7692, section 6).
    package var isCompressed: Bool
    package var opcode: WebSocketOpcode
    package var payload: Data

    package init(isFinal: Bool = true, isCompressed: Bool = false, opcode: WebSocketOpcode, payload: Data = Data()) {
        self.isFinal = isFinal
        self.isCompressed = isCompressed
        self.opcode = opcode
        self.payload = payload
    }

    /// The longest payload of a control frame, in bytes.
    static let longestControlPayload = 125

    /// Returns the frame as bytes on the wire, masked by the key of a client or, for a server, not at all.
    package func encoded(mask: UInt32?) -> Data {
        var bytes = Data()
        append(to: &bytes, mask: mask)
        return bytes
    }

    func append(to bytes: inout Data, mask: UInt32?) {
        bytes.reserveCapacity(bytes.count + payload.count + 14)
        bytes.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        switch payload.count {
        case ..<126: bytes.append(maskBit | UInt8(payload.count))
        case ..<0x1_0000:
            bytes.append(maskBit | 126)
            bytes.append(contentsOf: [UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)])
        default:
            bytes.append(maskBit | 127)
            bytes.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: UInt64(payload.count) >> (56 - 8 * $0)) })
        }
        guard let mask else { return bytes.append(payload) }
        withUnsafeBytes(of: mask.bigEndian) { bytes.append(contentsOf: $0) }
        let start = bytes.count
        bytes.append(payload)
        bytes.withUnsafeMutableBytes {
            WebSocketMask.apply(mask, to: UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
        }
    }
}

/// Masking (RFC 6455, section 5.3): each byte is XORed with one of the key's four bytes. Applying it twice restores the bytes.
enum WebSocketMask {
    static func apply(_ key: UInt32, to bytes: UnsafeMutableRawBufferPointer) {
        let wire = key.bigEndian
        let wide = UInt64(wire) << 32 | UInt64(wire)
        var index = 0
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            bytes.storeBytes(of: word ^ wide, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        withUnsafeBytes(of: wire) { key in
            while index < bytes.count {
                bytes[index] ^= key[index & 3]
                index += 1
            }
        }
    }

    /// Returns a key that a script in a browser or a proxy cannot predict (RFC 6455, section 10.3).
    static func randomKey() -> UInt32 { .random(in: .min ... .max) }
}

/// The type of a frame (RFC 6455, section 5.2). All other values are reserved.
package enum WebSocketOpcode: UInt8, Sendable, CaseIterable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Whether this is a control frame: short, never fragmented, and allowed between the fragments of a message.
    var isControl: Bool { rawValue >= 0x8 }
}

/// An end of a connection. Only a client masks its frames (RFC 6455, section 5.1).
package enum WebSocketRole: Sendable {
    case client
    case server
}

/// Reads frames from a stream of bytes (RFC 6455, section 5.2). A violation is reported as soon as it is visible, before the payload has arrived.
struct WebSocketFrameDecoder {
    private let role: WebSocketRole
    private var buffer = Data()
    /// The index of the first frame that has not been returned.
    private var start = 0
    /// The largest payload of a data frame, in bytes.
    var payloadLimit: Int
    /// The largest payload of a frame that begins a compressed message, in bytes, or nil if compression was not negotiated.
    private let compressedLimit: Int?

    /// - Parameter role: the end that reads. A client refuses masked frames, a server unmasked ones.
    init(role: WebSocketRole, payloadLimit: Int, compressedLimit: Int? = nil) {
        self.role = role
        self.payloadLimit = payloadLimit
        self.compressedLimit = compressedLimit
    }

    mutating func append(_ bytes: Data) {
        if start == buffer.count {
            // The indices of a slice do not begin at zero.
            buffer = bytes.startIndex == 0 ? bytes : Data(bytes)
        } else {
            if start > 0 { buffer.removeSubrange(..<start) }
            buffer.append(bytes)
        }
        start = 0
    }

    /// Returns the next complete frame, or nil if more bytes are needed.
    ///
    /// - Throws: ``WebSocketError`` for a violation of the protocol. After it the stream cannot be read.
    mutating func next() throws(WebSocketError) -> WebSocketFrame? {
        guard let (head, length, mask, size) = try header() else { return nil }
        let begin = start + size
        guard buffer.count - begin >= length else { return nil }
        var frame = head
        frame.payload = Data(buffer[begin..<begin + length])
        start = begin + length
        if start == buffer.count {
            buffer = Data()
            start = 0
        }
        if let mask { frame.payload.withUnsafeMutableBytes { WebSocketMask.apply(mask, to: $0) } }
        return frame
    }

    /// Returns the frame without its payload, whose length and masking key follow, and the size of its header.
    private func header() throws(WebSocketError) -> (frame: WebSocketFrame, length: Int, mask: UInt32?, size: Int)? {
        let available = buffer.count - start
        guard available >= 2 else { return nil }
        let first = buffer[start]
        let second = buffer[start + 1]
        let isCompressed = first & 0x40 != 0
        guard first & 0x30 == 0, !isCompressed || compressedLimit != nil else {
            throw .violation("A reserved bit is set, but no extension that uses it was negotiated.")
        }
        guard let opcode = WebSocketOpcode(rawValue: first & 0x0F) else {
            throw .violation("The opcode \(first & 0x0F) is reserved.")
        }
        guard !isCompressed || opcode == .text || opcode == .binary else {
            throw .violation("A frame other than the first of a message has the bit of compression.")
        }
        let isFinal = first & 0x80 != 0
        let isMasked = second & 0x80 != 0
        guard isMasked == (role == .server) else {
            throw .violation(isMasked ? "A server must not mask its frames." : "A client must mask its frames.")
        }
        let short = Int(second & 0x7F)
        if opcode.isControl {
            guard isFinal else { throw .violation("A control frame is fragmented.") }
            guard short <= WebSocketFrame.longestControlPayload else {
                throw .violation("A control frame is longer than 125 bytes.")
            }
        }
        let lengthSize = short == 126 ? 2 : short == 127 ? 8 : 0
        guard available >= 2 + lengthSize else { return nil }
        let length = try length(short, size: lengthSize)
        if !opcode.isControl, length > UInt64(max(0, isCompressed ? compressedLimit ?? 0 : payloadLimit)) {
            throw .tooLarge()
        }
        let frame = WebSocketFrame(isFinal: isFinal, isCompressed: isCompressed, opcode: opcode)
        let size = 2 + lengthSize
        guard isMasked else { return (frame, Int(clamping: length), nil, size) }
        guard available >= size + 4 else { return nil }
        let mask: UInt32 = (0..<4).reduce(0) { $0 << 8 | UInt32(buffer[start + size + $1]) }
        return (frame, Int(clamping: length), mask, size + 4)
    }

    private func length(_ short: Int, size: Int) throws(WebSocketError) -> UInt64 {
        guard size > 0 else { return UInt64(short) }
        var length: UInt64 = 0
        for index in 0..<size { length = length << 8 | UInt64(buffer[start + 2 + index]) }
        guard length >= (size == 2 ? 126 : 0x1_0000) else {
            throw .violation("A length is not encoded in the shortest form.")
        }
        guard length <= UInt64(Int64.max) else { throw .violation("The most significant bit of a length is set.") }
        return length
    }
}
