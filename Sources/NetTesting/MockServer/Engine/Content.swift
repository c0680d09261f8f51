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
        case .chunks(let chunks, let delay):
            let pause = delay > 0 ? [Step.wait(delay)] : []
            plain = Array(chunks.filter { !$0.isEmpty }.map { [Step.write($0)] }.joined(separator: pause))
            isInParts = true
        case .stream(let pieces):
            plain = pieces.compactMap(Self.step)
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

    /// Empty bytes are not a step, since an empty chunk would end the body.
    private static func step(_ piece: MockResponse.Piece) -> Step? {
        switch piece {
        case .bytes(let data): data.isEmpty ? nil : .write(data)
        case .pause(let seconds): .wait(seconds)
        case .hold: .perform(.stall)
        }
    }
}

/// A gzip stream (RFC 1952) of zeros, up to 159 times smaller than its content, made without a compressor.
///
/// It has one deflate block with the fixed codes (RFC 1951, section 3.2.6): a literal zero, and matches of 258 bytes at distance 1,
/// which have 13 bits each. Eight matches are 13 whole bytes, which repeat. The checksum is calculated in logarithmic time.
enum GzipBomb {
    /// The member header: deflate, no name, no time, unknown system.
    static let header = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])

    private static let literal = "00110000"
    /// Length 258 is code 285, distance 1 is code 0.
    private static let match = "11000101" + "00000"
    private static let unitsInBlock: Int64 = 1_000

    /// Returns the steps that write a stream of `count` zeros.
    static func steps(zeros count: Int64) -> [Step] {
        // The last block, with fixed codes.
        var start = "1" + "10"
        var remaining = max(0, count)
        var units: Int64 = 0
        if remaining >= 259 {
            // 24 bits, so that the repeated matches begin at a whole byte.
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
