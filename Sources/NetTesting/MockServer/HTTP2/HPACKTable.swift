import NetCore

/// A field of HTTP/2. The name is lower-case; that of a pseudo-field begins with a colon.
struct HPACKField: Hashable, Sendable {
    let name: String
    let value: String
    /// The bytes of the name on the wire, fewer than those of the text if they are not UTF-8.
    let nameSize: Int
    /// The size of the field in a table or a list (RFC 7541, section 4.1).
    let size: Int

    /// The sizes are those on the wire; nil for those of the texts.
    init(_ name: String, _ value: String, nameSize: Int? = nil, valueSize: Int? = nil) {
        self.name = name
        self.value = value
        self.nameSize = nameSize ?? name.utf8.count
        size = self.nameSize + (valueSize ?? value.utf8.count) + 32
    }
}

/// The static and the dynamic table of a decoder in one index space (RFC 7541, section 2.3.3).
struct HPACKTable {
    /// The newest entry is the last one. Entries before `start` are evicted.
    private var entries: [HPACKField] = []
    private var start = 0
    private var size = 0
    private(set) var maximum: Int

    init(maximum: Int) { self.maximum = maximum }

    /// The entry at an index. The first index is 1.
    subscript(index: Int) -> HPACKField? {
        if index < 1 { return nil }
        if index <= Self.fixed.count { return Self.fixed[index - 1] }
        let position = entries.count - (index - Self.fixed.count)
        return position >= start ? entries[position] : nil
    }

    /// Adds an entry. An entry larger than the table empties it (RFC 7541, section 4.4).
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

    /// The static table (RFC 7541, appendix A).
    static let fixed: [HPACKField] =
        [
            (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
            (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
            (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
            ("accept-encoding", "gzip, deflate"),
        ].map { HPACKField($0, $1) }
        + [
            "accept-language", "accept-ranges", "accept", "access-control-allow-origin", "age", "allow",
            "authorization", "cache-control", "content-disposition", "content-encoding", "content-language",
            "content-length", "content-location", "content-range", "content-type", "cookie", "date", "etag", "expect",
            "expires", "from", "host", "if-match", "if-modified-since", "if-none-match", "if-range",
            "if-unmodified-since", "last-modified", "link", "location", "max-forwards", "proxy-authenticate",
            "proxy-authorization", "range", "referer", "refresh", "retry-after", "server", "set-cookie",
            "strict-transport-security", "transfer-encoding", "user-agent", "vary", "via", "www-authenticate",
        ].map { HPACKField($0, "") }
}

/// The Huffman code of RFC 7541, appendix B.
///
/// The code is canonical: codes of one length are consecutive in the order of their symbols, so the lengths define it.
enum HPACKHuffman {
    /// The bits of the code of each byte, and of the end-of-string symbol (EOS).
    private static let lengths: [UInt8] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28,
        28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15,
        6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22,
        20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23,
        23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22,
        22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26,
        27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27,
        26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
    ]

    private static let endOfString = 256
    private static let longest = 30

    /// For each length, the first code, and the symbols in the order of their codes.
    private static let rows: [(first: Int, symbols: [Int])] = {
        var rows = [(first: Int, symbols: [Int])](repeating: (0, []), count: longest + 1)
        for (symbol, length) in lengths.enumerated() { rows[Int(length)].symbols.append(symbol) }
        for length in 1...longest { rows[length].first = 2 * (rows[length - 1].first + rows[length - 1].symbols.count) }
        return rows
    }()

    /// Decodes a text. Returns nil if it contains EOS, or if the padding is longer than 7 bits or has zeros.
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
