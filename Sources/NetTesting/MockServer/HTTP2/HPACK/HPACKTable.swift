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
