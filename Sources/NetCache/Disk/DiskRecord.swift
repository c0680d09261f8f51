import NetCore

/// The beginning of each file of a ``DiskCache``: the key, the head, and the place of the body.
///
///     4 bytes   "NCe1"
///     4 bytes   length of the head
///     8 bytes   length of the body
///     8 bytes   XXH64 of those 16 bytes and the head
///     the head
///     the body, if it is not in a file of its own
///
/// ``ByteWriter`` writes the fields of the head. A version that changes them needs another mark, and treats the files of this one as misses.
struct DiskRecord: Equatable {
    var key: DiskKey
    var entry: HTTPCacheEntry
    var body: Body

    enum Body: Equatable {
        /// Behind the head, with this checksum.
        case inline(length: Int, checksum: UInt64)
        case file(DiskBody)

        var length: Int64 {
            switch self {
            case .inline(let length, _): Int64(length)
            case .file(let body): body.length
            }
        }
    }

    static let prefixLength = 24
    /// The maximum length of a head, in bytes, for writing and for reading.
    static let maximumHeadLength = 16 << 20
    private static let mark = UInt32(littleEndian: 0x3165_434E)

    /// Returns the bytes before the body.
    func encoded() throws(SystemError) -> Data {
        let head = encodedHead()
        guard head.count <= Self.maximumHeadLength else { throw SystemError("encode", code: EMSGSIZE) }
        var writer = ByteWriter(capacity: Self.prefixLength + head.count)
        writer.write(Self.mark)
        writer.write(UInt32(head.count))
        writer.write(UInt64(body.length))
        writer.write(Self.checksum(of: writer.bytes, head))
        writer.append(head)
        return writer.data
    }

    private func encodedHead() -> [UInt8] {
        var writer = ByteWriter(capacity: 1024)
        writer.write(key.kind.rawValue)
        writer.write(key.url)
        writer.write(key.owner)
        writer.write(entry.expireTime) { $0.write($1) }
        writer.write(entry.id)
        writer.write(Int64(entry.status))
        writer.write(entry.headers)
        writer.write(entry.responseURL?.absoluteString) { $0.write($1) }
        writer.write(entry.requestHeaders)
        writer.write(entry.requestTime)
        writer.write(entry.responseTime)
        switch body {
        case .inline(_, let checksum):
            writer.write(UInt8(0))
            writer.write(checksum)
        case .file(let body):
            writer.write(UInt8(1))
            writer.write(body.token)
            writer.write(UInt32(body.checksums.count))
            for checksum in body.checksums { writer.write(checksum) }
        }
        return writer.bytes
    }

    private static func checksum(of prefix: some ContiguousBytes, _ head: some ContiguousBytes) -> UInt64 {
        var hash = XXHash64()
        hash.update(prefix)
        hash.update(head)
        return hash.value
    }
}

// MARK: Reading

extension DiskRecord {
    /// Returns the length of a file's head, or nil if the file is not an entry.
    static func headLength(of file: Data) -> Int? {
        var reader = ByteReader(file)
        guard (try? reader.number(UInt32.self)) == mark, let length = try? reader.number(UInt32.self),
            length <= maximumHeadLength
        else { return nil }
        return Int(length)
    }

    /// Reads the beginning of a file, which has to hold the whole head. Throws if any byte has changed.
    init(_ file: Data) throws(ByteReader.Malformed) {
        var reader = ByteReader(file)
        guard let length = Self.headLength(of: file) else { throw ByteReader.Malformed() }
        let prefix = try reader.data(16)
        let checksum = try reader.number(UInt64.self)
        let head = try reader.data(length)
        var numbers = ByteReader(prefix.dropFirst(8))
        let announced = try numbers.number(UInt64.self)
        reader = ByteReader(head)
        guard checksum == Self.checksum(of: prefix, head), let bodyLength = Int64(exactly: announced),
            let kind = DiskKey.Kind(rawValue: try reader.number())
        else { throw ByteReader.Malformed() }
        key = DiskKey(kind: kind, url: try reader.text(), owner: try reader.text())
        let expireTime = try reader.optional { (reader) throws(ByteReader.Malformed) in try reader.date() }
        let id = try reader.text()
        let status = Int(clamping: try reader.number(Int64.self))
        let headers = try reader.headers()
        let url = try reader.optional { (reader) throws(ByteReader.Malformed) in try reader.text() }
        entry = HTTPCacheEntry(
            id: id, status: status, headers: headers, responseURL: url.flatMap { URL(string: $0) },
            requestHeaders: try reader.headers(), requestTime: try reader.date(), responseTime: try reader.date(),
            expireTime: expireTime)
        switch try reader.number(UInt8.self) {
        case 0:
            guard let length = Int(exactly: bodyLength) else { throw ByteReader.Malformed() }
            body = .inline(length: length, checksum: try reader.number())
        case 1:
            let token = try reader.number(UInt64.self)
            let count = try reader.count(elementSize: 8)
            var checksums: [UInt64] = []
            checksums.reserveCapacity(count)
            for _ in 0..<count { checksums.append(try reader.number()) }
            guard let body = DiskBody(token: token, length: bodyLength, checksums: checksums) else {
                throw ByteReader.Malformed()
            }
            self.body = .file(body)
        default: throw ByteReader.Malformed()
        }
        guard reader.remaining == 0 else { throw ByteReader.Malformed() }
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ headers: HTTPHeaders) {
        write(UInt32(clamping: headers.count))
        for header in headers {
            write(header.name)
            write(header.value)
        }
    }
}

extension ByteReader {
    fileprivate mutating func headers() throws(Malformed) -> HTTPHeaders {
        let count = try count(elementSize: 8)
        var fields: [HTTPHeader] = []
        fields.reserveCapacity(count)
        for _ in 0..<count { fields.append(HTTPHeader(name: try text(), value: try text())) }
        return HTTPHeaders(received: fields)
    }
}

/// The key of the files of a ``DiskCache``. Their names are digests, so that a list does not show what was read. The head has the whole key.
struct DiskKey: Hashable {
    enum Kind: UInt8 {
        /// A response with its head: ``HTTPCacheStore``.
        case response = 0
        /// Bytes alone: ``ResponseCaching``.
        case data = 1
    }

    let kind: Kind
    let url: String
    let owner: String
}

extension DiskKey {
    init(_ key: HTTPCacheKey) { self.init(kind: .response, url: key.url, owner: key.owner) }
}

/// The names of the files of one key.
struct DiskName: Hashable {
    /// The shard: three hexadecimal digits, one of 4096 folders.
    let shard: String
    /// The prefix of the names of all files of a URL.
    let urlPart: String
    /// The prefix of the names of all entries with the key.
    let prefix: String

    /// The length of an entry's name: 24 digits, a hyphen, 16 digits, a hyphen, 16 digits.
    static let length = 58
    /// The length of ``prefix``: all but the digits of the entry's ID.
    static let prefixLength = length - 16
    static let bodySuffix = ".body"
    static let temporarySuffix = ".tmp"

    /// Creates the names of a URL's responses for all users.
    init(url: String) { self.init(DiskKey(kind: .response, url: url, owner: "")) }

    init(_ key: DiskKey) {
        urlPart = SHA256.digest(key.url).prefix(12).hexadecimal
        shard = String(decoding: urlPart.utf8.prefix(3), as: UTF8.self)
        prefix = urlPart + (key.owner.isEmpty && key.kind == .response ? Self.unowned : Self.ownerPart(of: key))
    }

    /// The owner's part of the names of responses for all users.
    private static let unowned = ownerPart(of: DiskKey(kind: .response, url: "", owner: ""))

    private static func ownerPart(of key: DiskKey) -> String {
        "-" + SHA256.digest("\(key.kind.rawValue) \(key.owner)").prefix(8).hexadecimal + "-"
    }

    func file(id: String) -> String { prefix + SHA256.digest(id).prefix(8).hexadecimal }
    static func body(of file: String, token: UInt64) -> String { "\(file).\(hex(token))\(bodySuffix)" }
    static func hex(_ number: UInt64) -> String { withUnsafeBytes(of: number.bigEndian) { $0.hexadecimal } }
}
