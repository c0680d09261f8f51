/// Encodes values for this package's files: little-endian numbers, and texts with a length prefix.
package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    package var data: Data { Data(bytes) }

    package mutating func write(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func write(_ text: String) {
        write(UInt32(clamping: text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    package mutating func write(_ date: Date) { write(date.timeIntervalSinceReferenceDate.bitPattern) }

    package mutating func write<Value>(_ value: Value?, _ write: (inout ByteWriter, Value) -> Void) {
        self.write(UInt8(value == nil ? 0 : 1))
        if let value { write(&self, value) }
    }

    /// Appends bytes without a length.
    package mutating func append(_ other: some ContiguousBytes) {
        other.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
}

/// Decodes untrusted bytes, such as the output of ``ByteWriter``: malformed input throws and never traps.
package struct ByteReader {
    private let bytes: Data
    private var position: Data.Index

    package struct Malformed: Error {
        package init() {}
    }

    package init(_ bytes: Data) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// The number of unread bytes.
    package var remaining: Int { bytes.endIndex - position }

    package mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(Malformed)
        -> Number
    {
        let size = MemoryLayout<Number>.size
        guard remaining >= size else { throw Malformed() }
        let start = position - bytes.startIndex
        position += size
        return Number(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: Number.self) })
    }

    package mutating func text() throws(Malformed) -> String {
        let text = try data(Int(clamping: try number(UInt32.self))).withUnsafeBytes { encoded -> String? in
            var text = String(decoding: encoded, as: UTF8.self)
            // Decoding replaces what is not UTF-8.
            return text.withUTF8 { UnsafeRawBufferPointer($0).elementsEqual(encoded) } ? text : nil
        }
        guard let text else { throw Malformed() }
        return text
    }

    package mutating func date() throws(Malformed) -> Date {
        Date(timeIntervalSinceReferenceDate: TimeInterval(bitPattern: try number(UInt64.self)))
    }

    package mutating func optional<Value>(
        _ read: (inout ByteReader) throws(Malformed) -> Value
    ) throws(Malformed) -> Value? {
        switch try number(UInt8.self) {
        case 0: nil
        case 1: try read(&self)
        default: throw Malformed()
        }
    }

    package mutating func data(_ count: Int) throws(Malformed) -> Data {
        guard count >= 0, count <= remaining else { throw Malformed() }
        defer { position += count }
        return bytes[position..<(position + count)]
    }

    /// Reads a number of elements, and throws if that many cannot follow with at least `elementSize` bytes each.
    package mutating func count(elementSize: Int) throws(Malformed) -> Int {
        let count = Int(clamping: try number(UInt32.self))
        guard count <= remaining / max(1, elementSize) else { throw Malformed() }
        return count
    }
}
