import NetCore

/// A decoder of the field blocks of a connection, which share a table (RFC 7541).
struct HPACKDecoder {
    /// The fields of a block, and whether they exceeded the limit. Those beyond it were decoded for the table, and dropped.
    typealias Fields = (fields: [HPACKField], isTooLarge: Bool)

    private var table: HPACKTable
    private let largestTable: Int
    private let listLimit: Int

    /// - Parameters:
    ///   - tableSize: the SETTINGS_HEADER_TABLE_SIZE that was announced.
    ///   - listLimit: the bytes of a list that are kept: the name, the value and 32 for each field.
    init(tableSize: Int = 4_096, listLimit: Int = 1 << 20) {
        table = HPACKTable(maximum: tableSize)
        largestTable = tableSize
        self.listLimit = listLimit
    }

    /// - Throws: ``ProtocolError``, after which the connection is unusable (RFC 9113, section 4.3).
    mutating func decode(_ block: [UInt8]) throws -> Fields {
        var reader = Reader(bytes: block)
        var result: Fields = ([], false)
        var size = 0
        var hasField = false
        while let first = reader.peek() {
            if first & 0xE0 == 0x20 {
                guard !hasField else { throw ProtocolError(reason: "A table size update follows a field.") }
                let bytes = try reader.integer(prefix: 5)
                guard bytes <= largestTable else { throw ProtocolError(reason: "The table size is above the setting.") }
                table.resize(to: bytes)
                continue
            }
            hasField = true
            let field = try self.field(first, &reader)
            size += field.size
            if size > listLimit { result.isTooLarge = true } else { result.fields.append(field) }
        }
        return result
    }

    private mutating func field(_ first: UInt8, _ reader: inout Reader) throws -> HPACKField {
        if first & 0x80 != 0 { return try entry(try reader.integer(prefix: 7)) }
        let isIndexed = first & 0x40 != 0
        let index = try reader.integer(prefix: isIndexed ? 6 : 4)
        let known = index == 0 ? nil : try entry(index)
        let name = try known.map { ($0.name, size: $0.nameSize) } ?? reader.string()
        let value = try reader.string()
        let field = HPACKField(name.0, value.0, nameSize: name.size, valueSize: value.size)
        if isIndexed { table.insert(field) }
        return field
    }

    private func entry(_ index: Int) throws -> HPACKField {
        guard let entry = table[index] else { throw ProtocolError(reason: "The table has no entry \(index).") }
        return entry
    }

    /// The primitive types (RFC 7541, section 5).
    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

        mutating func byte() throws -> UInt8 {
            guard position < bytes.count else { throw ProtocolError(reason: "The block ends in a field.") }
            position += 1
            return bytes[position - 1]
        }

        mutating func integer(prefix: UInt8) throws -> Int {
            let mask = UInt8(1 << prefix - 1)
            let first = try byte() & mask
            guard first == mask else { return Int(first) }
            var value = Int(mask)
            for shift in stride(from: 0, through: 21, by: 7) {
                let next = try byte()
                value += Int(next & 0x7F) << shift
                if next & 0x80 == 0 { return value }
            }
            throw ProtocolError(reason: "An integer is too large.")
        }

        /// Returns a text, and the number of its bytes on the wire.
        mutating func string() throws -> (String, size: Int) {
            let isCoded = (peek() ?? 0) & 0x80 != 0
            let length = try integer(prefix: 7)
            guard length <= bytes.count - position else { throw ProtocolError(reason: "The block ends in a string.") }
            let slice = bytes[position..<(position + length)]
            position += length
            guard let text = isCoded ? HPACKHuffman.decode(slice) : Array(slice) else {
                throw ProtocolError(reason: "The Huffman code is invalid.")
            }
            return (text.withUnsafeBytes(RequestParser.text), text.count)
        }
    }
}

/// An encoder of field blocks (RFC 7541): each field is a literal, without a table and without the Huffman code.
struct HPACKEncoder {
    /// Whether the client has made its table smaller and expects an update at the start of the next block (RFC 7541, section 4.2).
    private var owesSizeUpdate = false

    /// Applies the client's SETTINGS_HEADER_TABLE_SIZE.
    mutating func setTableSize(_ size: Int) { if size < 4_096 { owesSizeUpdate = true } }

    mutating func encode(_ fields: [HPACKField]) -> [UInt8] {
        var block: [UInt8] = owesSizeUpdate ? [0x20] : []
        owesSizeUpdate = false
        for field in fields {
            block.append(0)
            for text in [field.name, field.value] {
                Self.append(length: text.utf8.count, to: &block)
                block += text.utf8
            }
        }
        return block
    }

    /// Appends an integer with a prefix of 7 bits (RFC 7541, section 5.1).
    private static func append(length: Int, to block: inout [UInt8]) {
        guard length >= 0x7F else { return block.append(UInt8(length)) }
        block.append(0x7F)
        var rest = length - 0x7F
        while rest >= 0x80 {
            block.append(UInt8(rest & 0x7F | 0x80))
            rest >>= 7
        }
        block.append(UInt8(rest))
    }
}
