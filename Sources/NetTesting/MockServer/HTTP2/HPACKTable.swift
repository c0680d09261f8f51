import NetCore

/// A field of HTTP/2: the name is lower-case, and begins with a colon for a pseudo-field.
struct HPACKField: Hashable, Sendable {
    let name: String
    let value: String
    /// The bytes of the name on the wire, which are fewer than those of the text if they are not UTF-8.
    let nameSize: Int
    /// The bytes that the field counts in a table or a list (RFC 7541, section 4.1).
    let size: Int

    init(_ name: String, _ value: String) {
        self.init(HPACKText(name), HPACKText(value))
    }

    init(_ name: HPACKText, _ value: HPACKText) {
        self.name = name.text
        self.value = value.text
        nameSize = name.size
        size = name.size + value.size + 32
    }
}

/// A string as it was received, and the bytes that it had.
struct HPACKText {
    let text: String
    let size: Int

    init(_ text: String) {
        self.text = text
        size = text.utf8.count
    }

    init(bytes: UnsafeRawBufferPointer) {
        text = RequestParser.text(bytes)
        size = bytes.count
    }

    init(nameOf field: HPACKField) {
        text = field.name
        size = field.nameSize
    }
}

/// The static and the dynamic table of a decoder, in one index space (RFC 7541, section 2.3.3).
struct HPACKTable {
    /// The newest entry is the last one. Entries before `start` are evicted.
    private var entries: [HPACKField] = []
    private var start = 0
    private var size = 0
    private(set) var maximum: Int

    init(maximum: Int) {
        self.maximum = maximum
    }

    /// The entry of an index; the first index is 1.
    subscript(index: Int) -> HPACKField? {
        if index < 1 { return nil }
        if index <= Self.fixed.count { return Self.fixed[index - 1] }
        let position = entries.count - (index - Self.fixed.count)
        return position >= start ? entries[position] : nil
    }

    /// Adds an entry. One that is larger than the table empties it (RFC 7541, section 4.4).
    mutating func insert(_ field: HPACKField) {
        evict(downTo: maximum - field.size)
        guard field.size <= maximum else { return }
        entries.append(field)
        size += field.size
    }

    mutating func resize(to maximum: Int) {
        self.maximum = maximum
        evict(downTo: maximum)
    }

    private mutating func evict(downTo limit: Int) {
        while size > limit, start < entries.count {
            size -= entries[start].size
            start += 1
        }
        guard start > entries.count / 2 else { return }
        entries.removeFirst(start)
        start = 0
    }

    /// RFC 7541, appendix A.
    static let fixed: [HPACKField] = [
        HPACKField(":authority", ""), HPACKField(":method", "GET"), HPACKField(":method", "POST"),
        HPACKField(":path", "/"), HPACKField(":path", "/index.html"), HPACKField(":scheme", "http"),
        HPACKField(":scheme", "https"), HPACKField(":status", "200"), HPACKField(":status", "204"),
        HPACKField(":status", "206"), HPACKField(":status", "304"), HPACKField(":status", "400"),
        HPACKField(":status", "404"), HPACKField(":status", "500"), HPACKField("accept-charset", ""),
        HPACKField("accept-encoding", "gzip, deflate"), HPACKField("accept-language", ""),
        HPACKField("accept-ranges", ""), HPACKField("accept", ""), HPACKField("access-control-allow-origin", ""),
        HPACKField("age", ""), HPACKField("allow", ""), HPACKField("authorization", ""),
        HPACKField("cache-control", ""), HPACKField("content-disposition", ""), HPACKField("content-encoding", ""),
        HPACKField("content-language", ""), HPACKField("content-length", ""), HPACKField("content-location", ""),
        HPACKField("content-range", ""), HPACKField("content-type", ""), HPACKField("cookie", ""),
        HPACKField("date", ""), HPACKField("etag", ""), HPACKField("expect", ""), HPACKField("expires", ""),
        HPACKField("from", ""), HPACKField("host", ""), HPACKField("if-match", ""),
        HPACKField("if-modified-since", ""), HPACKField("if-none-match", ""), HPACKField("if-range", ""),
        HPACKField("if-unmodified-since", ""), HPACKField("last-modified", ""), HPACKField("link", ""),
        HPACKField("location", ""), HPACKField("max-forwards", ""), HPACKField("proxy-authenticate", ""),
        HPACKField("proxy-authorization", ""), HPACKField("range", ""), HPACKField("referer", ""),
        HPACKField("refresh", ""), HPACKField("retry-after", ""), HPACKField("server", ""),
        HPACKField("set-cookie", ""), HPACKField("strict-transport-security", ""),
        HPACKField("transfer-encoding", ""), HPACKField("user-agent", ""), HPACKField("vary", ""),
        HPACKField("via", ""), HPACKField("www-authenticate", ""),
    ]
}

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
