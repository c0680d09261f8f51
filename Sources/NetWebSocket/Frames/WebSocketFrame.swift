import NetCore

/// One frame (RFC 6455, section 5.2), with its payload unmasked.
package struct WebSocketFrame: Hashable, Sendable {
    package var isFinal: Bool
    package var opcode: WebSocketOpcode
    package var payload: Data

    package init(isFinal: Bool = true, opcode: WebSocketOpcode, payload: Data = Data()) {
        self.isFinal = isFinal
        self.opcode = opcode
        self.payload = payload
    }

    /// The longest payload of a control frame.
    static let longestControlPayload = 125

    /// The bytes on the wire.
    ///
    /// - Parameter mask: the key, for what a client sends; nil for what a server sends.
    package func encoded(mask: UInt32?) -> Data {
        var bytes = Data()
        append(to: &bytes, mask: mask)
        return bytes
    }

    /// Appends the bytes on the wire.
    func append(to bytes: inout Data, mask: UInt32?) {
        bytes.reserveCapacity(bytes.count + payload.count + 14)
        bytes.append((isFinal ? 0x80 : 0) | opcode.rawValue)
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        switch payload.count {
        case ..<126:
            bytes.append(maskBit | UInt8(payload.count))
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

/// Masking (RFC 6455, section 5.3): each byte is XORed with one of the four of the key. Doing it twice undoes it.
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

    /// A key that a script in a browser or a proxy on the way cannot foresee (RFC 6455, section 10.3).
    static func randomKey() -> UInt32 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}
