import NetCore

/// The Huffman code of RFC 7541, appendix B.
///
/// The code is canonical: codes of one length are consecutive in the order of their symbols. The lengths alone define it.
enum HPACKHuffman {
    /// The length of each byte's code in bits; the last one is the code of the end-of-string symbol (EOS).
    private static let lengths: [UInt8] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28,
        28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15,
        6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22,
        20,
        20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23,
        24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22,
        22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27,
        24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26,
        26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
    ]

    private static let endOfString = 256
    private static let longest = 30

    /// The codes of one length: the first of them, and the symbols in their order.
    private struct Row {
        var first = 0
        var symbols: [Int] = []
    }

    private static let rows: [Row] = {
        var rows = [Row](repeating: Row(), count: longest + 1)
        for (symbol, length) in lengths.enumerated() { rows[Int(length)].symbols.append(symbol) }
        var code = 0
        for length in 1...longest {
            code <<= 1
            rows[length].first = code
            code += rows[length].symbols.count
        }
        return rows
    }()

    /// The text of a code, or nil if the code is invalid: with EOS in it, or padding that is longer than 7 bits or has zeros.
    static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 8 / 5)
        let rows = rows
        var (code, length) = (0, 0)
        for byte in bytes {
            for shift in stride(from: 7, through: 0, by: -1) {
                code = code << 1 | Int(byte >> UInt8(shift) & 1)
                length += 1
                guard length <= longest else { return nil }
                let offset = code - rows[length].first
                guard offset >= 0, offset < rows[length].symbols.count else { continue }
                let symbol = rows[length].symbols[offset]
                guard symbol != endOfString else { return nil }
                text.append(UInt8(symbol))
                (code, length) = (0, 0)
            }
        }
        return length <= 7 && code == 1 << length - 1 ? text : nil
    }
}
