import NetCore

/// A body on its way into a file of its own. Used on one queue.
struct DiskBodyFile {
    private let file: DiskFile
    private let path: String
    private let token = UInt64.random(in: 0 ... .max)
    private let limit: Int64
    private var length: Int64 = 0
    private var checksums: [UInt64] = []
    private var chunk = XXHash64()
    private var chunkLength = 0

    /// - Parameter limit: the most bytes that it may have.
    init(in folder: DiskFolder, shard: String, limit: Int64) throws(SystemError) {
        self.limit = limit
        (file, path) = try folder.makeTemporary(in: shard)
    }

    mutating func write(_ data: Data) throws(SystemError) {
        guard Int64(data.count) <= limit - length else { throw SystemError("store", code: EFBIG) }
        try file.write(data)
        length += Int64(data.count)
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = rest.prefix(DiskBody.chunkSize - chunkLength)
                chunk.update(UnsafeRawBufferPointer(rebasing: part))
                chunkLength += part.count
                if chunkLength == DiskBody.chunkSize { endChunk() }
                rest = rest.dropFirst(part.count)
            }
        }
    }

    private mutating func endChunk() {
        checksums.append(chunk.value)
        chunk = XXHash64()
        chunkLength = 0
    }

    /// Makes the file ready to be named by an entry.
    ///
    /// It is synced: its pieces are checked only when they are handed out, so one that a power failure has torn would
    /// break off a response half-way. A small body, which is checked whole before a byte of it is given, needs no such care.
    mutating func finish(in folder: DiskFolder, shard: String, as file: String) throws -> DiskBody {
        if chunkLength > 0 { endChunk() }
        guard let body = DiskBody(token: token, length: length, checksums: checksums) else {
            throw SystemError("finish", code: EINVAL)
        }
        try self.file.sync()
        try Directory.move(path, to: folder.path(of: DiskName.body(of: file, token: token), in: shard))
        return body
    }

    func remove() {
        Directory.remove(path)
    }
}
