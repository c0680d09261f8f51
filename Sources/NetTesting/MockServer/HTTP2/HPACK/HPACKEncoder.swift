import NetCore

/// Encodes field blocks (RFC 7541) without a dynamic table and without the Huffman code.
struct HPACKEncoder {
    private static let fieldIndices = Dictionary(
        HPACKTable.fixed.enumerated().map { ($0.element, $0.offset + 1) }, uniquingKeysWith: { first, _ in first })
    private static let nameIndices = Dictionary(
        HPACKTable.fixed.enumerated().map { ($0.element.name, $0.offset + 1) }, uniquingKeysWith: { first, _ in first })

    /// The client has made its table smaller, and expects to read that at the start of the next block (RFC 7541, section 4.2).
    private var owesSizeUpdate = false

    /// Takes the client's SETTINGS_HEADER_TABLE_SIZE.
    mutating func setTableSize(_ size: Int) {
        if size < 4_096 { owesSizeUpdate = true }
    }

    mutating func encode(_ fields: [HPACKField]) -> [UInt8] {
        var block: [UInt8] = owesSizeUpdate ? [0x20] : []
        owesSizeUpdate = false
        for field in fields { Self.append(field, to: &block) }
        return block
    }

    private static func append(_ field: HPACKField, to block: inout [UInt8]) {
        if let index = fieldIndices[field] { return append(index, prefix: 7, flags: 0x80, to: &block) }
        if let index = nameIndices[field.name] {
            append(index, prefix: 4, flags: 0, to: &block)
        } else {
            block.append(0)
            append(field.name, to: &block)
        }
        append(field.value, to: &block)
    }

    private static func append(_ text: String, to block: inout [UInt8]) {
        append(text.utf8.count, prefix: 7, flags: 0, to: &block)
        block.append(contentsOf: text.utf8)
    }

    /// RFC 7541, section 5.1.
    static func append(_ value: Int, prefix: UInt8, flags: UInt8, to block: inout [UInt8]) {
        let mask = 1 << Int(prefix) - 1
        guard value >= mask else { return block.append(flags | UInt8(truncatingIfNeeded: value)) }
        block.append(flags | UInt8(truncatingIfNeeded: mask))
        var rest = value - mask
        while rest >= 0x80 {
            block.append(UInt8(truncatingIfNeeded: rest & 0x7F | 0x80))
            rest >>= 7
        }
        block.append(UInt8(truncatingIfNeeded: rest))
    }
}
