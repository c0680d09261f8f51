/// Makes messages as the kernel writes them, for what was not recorded.
enum NetlinkBytes {
    static func message(
        _ type: UInt16, _ payload: [UInt8] = [], flags: UInt16 = 0, sequence: UInt32 = 0
    ) -> [UInt8] {
        let head = raw(UInt32(16 + payload.count)) + raw(type) + raw(flags) + raw(sequence) + raw(UInt32(0))
        return padded(head + payload)
    }

    static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        padded(raw(UInt16(4 + value.count)) + raw(type) + value)
    }

    static func link(
        _ type: UInt16 = 16, family: UInt8 = 0, hardware: UInt16 = 1, index: Int32, flags: UInt32, name: String
    ) -> [UInt8] {
        message(
            type,
            [family, 0] + raw(hardware) + raw(index) + raw(flags) + raw(UInt32(0))
                + attribute(3, Array(name.utf8) + [0]))
    }

    static func address(
        _ bytes: [UInt8], type: UInt16 = 20, index: Int32, scope: UInt8 = 0, flags: UInt8 = 0,
        further: [UInt8] = []
    ) -> [UInt8] {
        message(
            type, [bytes.count == 4 ? 2 : 10, 24, flags, scope] + raw(index) + attribute(1, bytes) + further)
    }

    static func route(
        _ type: UInt16 = 24, family: UInt8 = 2, prefix: UInt8 = 0, table: UInt8 = 254, kind: UInt8 = 1,
        flags: UInt32 = 0, attributes: [UInt8]
    ) -> [UInt8] {
        message(type, [family, prefix, 0, 0, table, 3, 0, kind] + raw(flags) + attributes)
    }

    static func raw<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }
}
