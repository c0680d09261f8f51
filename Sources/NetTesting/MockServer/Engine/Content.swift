import NetCore

/// The body of a response as steps.
struct Content {
    let plain: [Step]
    /// Whether the body is given in parts, each of which becomes a chunk.
    private(set) var isInParts = false
    var length: Int64 { plain.byteCount }

    init(_ body: MockResponse.Body) {
        switch body {
        case .none: plain = []
        case .data(let data): plain = data.isEmpty ? [] : [.write(data)]
        case .stream(let pieces):
            plain = pieces.compactMap { piece -> Step? in
                switch piece {
                // Empty bytes are not a step, since an empty chunk would end the body.
                case .bytes(let data): data.isEmpty ? nil : .write(data)
                case .pause(let seconds): .wait(seconds)
                case .hold: .hold
                }
            }
            isInParts = true
        case .generated(let count):
            let (blocks, rest) = max(0, count).quotientAndRemainder(dividingBy: 64 << 10)
            let block = MockResponse.generatedBytes(count: blocks > 0 ? 64 << 10 : 0)
            plain = [.write(block, times: blocks), .write(MockResponse.generatedBytes(count: Int(rest)))]
                .filter { $0.byteCount > 0 }
        case .gzippedZeros(let count): plain = GzipBomb.steps(zeros: count).filter { $0.byteCount > 0 }
        }
    }

    /// Returns the steps with a chunk for each write, the last chunk, and the trailers (RFC 9112, section 7.1).
    func chunked(trailers: HTTPHeaders) -> [Step] {
        plain.map { step in
            guard case .write(let data, let times) = step else { return step }
            let size = Data("\(String(data.count, radix: 16))\r\n".utf8)
            return .write(size + data + Data("\r\n".utf8), times: times)
        } + [.write("0\r\n" + trailers.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n")]
    }
}

/// A gzip stream (RFC 1952) of zeros, up to 159 times smaller than its content, made without a compressor.
///
/// It has a deflate block with the fixed codes (RFC 1951, section 3.2.6) of matches, which repeat in whole bytes, and a block with the
/// rest as it is. The checksum is calculated in logarithmic time.
enum GzipBomb {
    /// The member header: deflate, no name, no time, unknown system.
    static let header = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])

    /// The beginning of a block: a literal zero, and a match of 258 bytes at distance 1 (code 285, and code 0).
    private static let start = Data([0x62, 0x18, 0x05])
    /// Eight such matches of 13 bits.
    private static let matches = Data([0xA3, 0x60, 0x14, 0x8C, 0x82, 0x51, 0x30, 0x0A, 0x46, 0xC1, 0x28, 0x18, 0x05])
    /// The end of the block, and the beginning of the last block, whose bytes are stored.
    private static let end = Data([0x80, 0x00])
    private static let matchesInWrite = 1_000

    /// Returns the steps that write a stream of `count` zeros.
    static func steps(zeros count: Int64) -> [Step] {
        let hasMatches = count >= 259
        let (units, rest) = hasMatches ? (count - 259).quotientAndRemainder(dividingBy: 8 * 258) : (0, max(0, count))
        let (writes, unitsLeft) = units.quotientAndRemainder(dividingBy: Int64(matchesInWrite))
        let length = UInt16(truncatingIfNeeded: rest)
        let last =
            (hasMatches ? repeated(Int(unitsLeft)) + end : Data([1])) + littleEndian(length) + littleEndian(~length)
            + Data(count: Int(rest))
        let trailer = littleEndian(checksum(zeros: max(0, count))) + littleEndian(UInt32(truncatingIfNeeded: count))
        return [
            .write(header + (hasMatches ? start : Data())), .write(repeated(matchesInWrite), times: writes),
            .write(last + trailer),
        ]
    }

    private static func repeated(_ count: Int) -> Data { Data(Array(repeating: matches, count: count).joined()) }

    private static func littleEndian(_ value: some FixedWidthInteger) -> Data {
        withUnsafeBytes(of: value.littleEndian) { Data($0) }
    }

    /// CRC-32 of zeros. A zero byte multiplies the register by x^8, so n of them multiply it by x^8n.
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

    /// Returns the product of two polynomials modulo the polynomial of CRC-32. The highest bit is x^0.
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
