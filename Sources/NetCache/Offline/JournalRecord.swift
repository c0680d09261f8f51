import NetCore

/// A record in a queue's file. The file is a header followed by records, each with a checksum.
///
///     header   "NCqueue2", 8 random bytes (the salt), XXH64 of those 16 bytes, 8 bytes that identify the last writer
///     record   "NCq", "+" or, once it is removed, "-", 4 bytes length of the payload, XXH64 of salt, length and payload, payload
///     payload  the operation as JSON without its body, the body
///
/// Removing an operation changes one byte of its record, which needs no space on a full disk. The salt distinguishes a record from bytes
/// that look like one: a body that holds a queue's file, or blocks of a deleted file that reappear after a power failure.
struct JournalRecord {
    let operation: PendingOperation
    let isRemoved: Bool
    let length: Int

    static let mark = Array("NCq".utf8)
    private static let added = UInt8(ascii: "+")
    static let removed = UInt8(ascii: "-")

    static func encode(_ operation: PendingOperation, salt: UInt64) throws -> Data {
        var operation = operation
        let body = operation.body
        operation.content.body = nil
        var payload = ByteWriter(capacity: 512)
        let json = try JSONEncoder().encode(operation)
        payload.write(UInt32(clamping: json.count))
        payload.append(json)
        payload.write(body) { writer, body in
            writer.write(UInt32(clamping: body.count))
            writer.append(body)
        }
        var record = ByteWriter(capacity: 16 + payload.bytes.count)
        record.append(mark)
        record.write(added)
        record.write(UInt32(clamping: payload.bytes.count))
        record.write(checksum(of: payload.bytes, salt: salt))
        record.append(payload.bytes)
        return record.data
    }

    /// Reads the record at the start of the bytes, and counts the bytes that it hashed. Nil unless the bytes begin with a whole record.
    init?(_ bytes: Data, salt: UInt64, hashed: inout Int) {
        var reader = ByteReader(bytes)
        guard let start = try? reader.data(Self.mark.count), start.elementsEqual(Self.mark),
            let state = try? reader.number(UInt8.self), state == Self.added || state == Self.removed,
            let length = try? reader.number(UInt32.self), let checksum = try? reader.number(UInt64.self),
            let payload = try? reader.data(Int(clamping: length))
        else { return nil }
        hashed += payload.count
        guard checksum == Self.checksum(of: payload, salt: salt), let operation = try? Self.decode(payload)
        else { return nil }
        self.operation = operation
        isRemoved = state == Self.removed
        self.length = bytes.count - reader.remaining
    }

    init?(_ bytes: Data, salt: UInt64) {
        var hashed = 0
        self.init(bytes, salt: salt, hashed: &hashed)
    }

    private static func decode(_ payload: Data) throws -> PendingOperation {
        var reader = ByteReader(payload)
        let json = try reader.data(Int(clamping: try reader.number(UInt32.self)))
        var operation = try JSONDecoder().decode(PendingOperation.self, from: json)
        operation.content.body = try reader.optional { (reader) throws(ByteReader.Malformed) in
            Data(try reader.data(Int(clamping: try reader.number(UInt32.self))))
        }
        return operation
    }

    private static func checksum(of payload: some Collection<UInt8> & ContiguousBytes, salt: UInt64) -> UInt64 {
        var prefix = ByteWriter(capacity: 12)
        prefix.write(salt)
        prefix.write(UInt32(clamping: payload.count))
        var hash = XXHash64()
        hash.update(prefix.bytes)
        hash.update(payload)
        return hash.value
    }
}

/// The first bytes of a queue's file.
struct JournalHeader {
    let salt: UInt64
    /// The ``JournalFile`` that wrote last.
    let writer: UInt64

    static let length = 32
    private static let mark = Array("NCqueue2".utf8)

    var encoded: Data {
        var bytes = ByteWriter(capacity: Self.length)
        bytes.append(Self.mark)
        bytes.write(salt)
        bytes.write(XXHash64.hash(bytes.bytes))
        bytes.write(writer)
        return bytes.data
    }

    /// Whether the file is a queue, even a damaged one.
    static func isQueue(_ file: Data) -> Bool { file.starts(with: mark) }
}

extension JournalHeader {
    /// Nil for a damaged header.
    init?(_ file: Data) {
        var reader = ByteReader(file)
        guard let start = try? reader.data(16), let checksum = try? reader.number(UInt64.self),
            checksum == XXHash64.hash(start), let writer = try? reader.number(UInt64.self)
        else { return nil }
        var salt = ByteReader(start.dropFirst(8))
        guard Self.isQueue(start), let number = try? salt.number(UInt64.self) else { return nil }
        self.init(salt: number, writer: writer)
    }
}

/// The readable contents of a queue's file, in whatever state it is.
struct JournalContents {
    /// The ranges of the records of operations that were not removed.
    private(set) var extents: [UUID: Range<Int>] = [:]
    /// The end of the last whole record, where the next one goes.
    private(set) var end = JournalHeader.length
    /// The bytes behind the end: a record that was never finished, and so never promised to a caller.
    private(set) var tornBytes = 0
    /// The bytes before the end that belong to no record.
    private(set) var damagedBytes = 0

    /// Reads all whole records behind the header.
    init(_ file: Data, salt: UInt64) {
        let file = file.startIndex == 0 ? file : Data(file)
        var position = JournalHeader.length
        // Whole records are hashed once. A body can be full of marks with lengths, and its damaged record would be hashed for each.
        var hashed = 0
        while position < file.count, hashed <= 4 * file.count {
            if let record = JournalRecord(file[position...], salt: salt, hashed: &hashed) {
                damagedBytes += position - end
                end = position + record.length
                extents[record.operation.id] = record.isRemoved ? nil : position..<end
                position = end
            } else {
                // Bytes in front of a whole record are damage. Bytes at the end are a torn record.
                let next = file.range(of: Data(JournalRecord.mark), in: (position + 1)..<file.count)
                guard let next else { break }
                position = next.lowerBound
            }
        }
        tornBytes = max(0, file.count - end)
    }

    /// The bytes before the end that are not in use.
    var wastedBytes: Int { extents.values.reduce(end - JournalHeader.length) { $0 - $1.count } }
}
