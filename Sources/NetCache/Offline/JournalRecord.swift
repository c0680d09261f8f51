import NetCore

/// A record in a queue's file. The file is a header followed by records, each with a checksum.
///
///     header   "NCqueue1", 8 random bytes (the salt), XXH64 of those 16 bytes
///     record   "NCqr", 4 bytes length of the payload, XXH64 of salt, length and payload, payload
///     payload  1 (put), the operation as JSON without its body, the body
///              2 (remove), the operation's id
///
/// The salt distinguishes a record from bytes that look like one: a body that holds a queue's file, or blocks of a deleted file
/// that reappear after a power failure.
enum JournalRecord {
    case put(PendingOperation)
    case remove(UUID)

    static let prefixLength = 16
    static let mark = Array("NCqr".utf8)

    func encoded(salt: UInt64) throws -> Data {
        var payload = ByteWriter(capacity: 512)
        switch self {
        case .put(var operation):
            let body = operation.body
            operation.body = nil
            payload.write(UInt8(1))
            let json = try JSONEncoder().encode(operation)
            payload.write(UInt32(clamping: json.count))
            payload.append(json)
            payload.write(body) { writer, body in
                writer.write(UInt32(clamping: body.count))
                writer.append(body)
            }
        case .remove(let id):
            payload.write(UInt8(2))
            payload.write(id.uuidString)
        }
        var record = ByteWriter(capacity: Self.prefixLength + payload.bytes.count)
        record.append(Self.mark)
        record.write(UInt32(clamping: payload.bytes.count))
        record.write(Self.checksum(of: payload.bytes, salt: salt))
        record.append(payload.bytes)
        return record.data
    }

    /// Reads the record at the start of the bytes.
    ///
    /// - Returns: nil if there is no whole record.
    static func decode(_ bytes: Data, salt: UInt64) -> (record: JournalRecord, length: Int)? {
        var reader = ByteReader(bytes)
        guard let start = try? reader.data(mark.count), start.elementsEqual(mark),
            let length = try? reader.number(UInt32.self), let checksum = try? reader.number(UInt64.self),
            let payload = try? reader.data(Int(clamping: length)),
            checksum == self.checksum(of: payload, salt: salt), let record = try? decode(payload: payload)
        else { return nil }
        return (record, prefixLength + payload.count)
    }

    private static func decode(payload: Data) throws -> JournalRecord {
        var reader = ByteReader(payload)
        switch try reader.number(UInt8.self) {
        case 1:
            let json = try reader.data(Int(clamping: try reader.number(UInt32.self)))
            var operation = try JSONDecoder().decode(PendingOperation.self, from: json)
            operation.body = try reader.optional { (reader) throws(ByteReader.Malformed) in
                Data(try reader.data(Int(clamping: try reader.number(UInt32.self))))
            }
            return .put(operation)
        case 2:
            guard let id = UUID(uuidString: try reader.text()) else { throw ByteReader.Malformed() }
            return .remove(id)
        default: throw ByteReader.Malformed()
        }
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

    static let length = 24
    private static let mark = Array("NCqueue1".utf8)

    var encoded: Data {
        var writer = ByteWriter(capacity: Self.length)
        writer.append(Self.mark)
        writer.write(salt)
        writer.write(XXHash64.hash(writer.bytes))
        return writer.data
    }

    init(salt: UInt64) {
        self.salt = salt
    }

    /// Nil for a damaged header.
    init?(_ file: Data) {
        var reader = ByteReader(file)
        guard let start = try? reader.data(16), let checksum = try? reader.number(UInt64.self),
            checksum == XXHash64.hash(start)
        else { return nil }
        var salt = ByteReader(start.dropFirst(8))
        guard Self.isQueue(start), let number = try? salt.number(UInt64.self) else { return nil }
        self.salt = number
    }

    /// Whether the file is a queue, even a damaged one.
    static func isQueue(_ file: Data) -> Bool { file.starts(with: mark) }
}

/// The readable contents of a queue's file, in whatever state it is.
struct JournalContents {
    /// The ranges of the records of operations that were put and not removed.
    private(set) var extents: [UUID: Range<Int>] = [:]
    /// The end of the last whole record, where the next one goes.
    private(set) var end = JournalHeader.length
    /// The bytes behind the end: a record that was never finished, and so never promised to a caller.
    private(set) var tornBytes = 0
    /// The bytes before the end that belong to no record.
    private(set) var damagedBytes = 0

    init() {}

    /// Reads all whole records behind the header.
    init(_ file: Data, salt: UInt64) {
        let file = file.startIndex == 0 ? file : Data(file)
        var position = JournalHeader.length
        while position < file.count {
            if let (record, length) = JournalRecord.decode(file[position...], salt: salt) {
                apply(record, at: position..<(position + length))
                damagedBytes += position - end
                position += length
                end = position
            } else {
                // Bytes in front of a whole record are damage. Bytes at the end are a torn record.
                guard let next = Self.nextMark(in: file, after: position) else { break }
                position = next
            }
        }
        tornBytes = file.count - end
    }

    private mutating func apply(_ record: JournalRecord, at extent: Range<Int>) {
        switch record {
        case .put(let operation):
            extents[operation.id] = extent
        case .remove(let id):
            extents[id] = nil
        }
    }

    private static func nextMark(in file: Data, after position: Int) -> Int? {
        file.range(of: Data(JournalRecord.mark), in: (position + 1)..<file.count)?.lowerBound
    }
}
