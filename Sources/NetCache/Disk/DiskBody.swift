import NetCore

/// Writes the body of a response to a ``DiskCache``. It collects a small body in memory, and writes a larger one to a file.
final class DiskCacheWriter: HTTPCacheEntry.Writer {
    /// The largest body to store behind its head. Such an entry is one file to open and one to write.
    static let inlineLimit = 64 * 1024

    private enum State {
        case collecting(Data)
        case writing(DiskBodyFile)
        case ended

        /// Appends the bytes if they fit. Returns whether they did.
        mutating func collect(_ chunk: Data) -> Bool {
            guard case .collecting(var data) = self, data.count + chunk.count <= inlineLimit else { return false }
            // The collected bytes must have one owner, or appending copies them.
            self = .ended
            data.append(chunk)
            self = .collecting(data)
            return true
        }

        mutating func take() -> State {
            defer { self = .ended }
            return self
        }
    }

    private let cache: DiskCache
    private let record: DiskRecord
    private let name: DiskName
    private let generation: HTTPCacheEntry.Generation
    private let queue = IOQueue.lane()
    private let state = Locked(State.collecting(Data()))

    /// - Parameter generation: the generation of the URL when the request was sent. If it has changed, ``commit()`` throws.
    init(cache: DiskCache, key: DiskKey, name: DiskName, entry: HTTPCacheEntry, generation: HTTPCacheEntry.Generation) {
        self.cache = cache
        self.name = name
        record = DiskRecord(key: key, entry: entry, body: .inline(length: 0, checksum: 0))
        self.generation = generation
    }

    func write(_ chunk: Data) async throws {
        if state.withLock({ $0.collect(chunk) }) { return }
        try await queue.run { [self] in
            var file: DiskBodyFile
            switch state.withLock({ $0.take() }) {
            case .ended: throw CancellationError()
            case .collecting(let start):
                file = try DiskBodyFile(in: cache.folder, shard: name.shard, limit: cache.maxBytes)
                try file.write(start)
            case .writing(let open): file = open
            }
            try file.write(chunk)
            state.withLock { $0 = .writing(file) }
        }
    }

    func commit() async throws {
        switch state.withLock({ $0.take() }) {
        case .ended: throw CancellationError()
        case .collecting(let data):
            // Writing a small entry takes less time than switching threads.
            if data.count <= DiskFolder.firstRead {
                do {
                    return try cache.store(record, named: name, body: data, mayWait: false, since: generation)
                } catch let error as SystemError where error.code == EWOULDBLOCK {
                    // Another writer holds the lock. The wait for it must not block the caller's thread.
                }
            }
            try await queue.run { [self] in try cache.store(record, named: name, body: data, since: generation) }
        case .writing(let file):
            try await queue.run { [self] in try cache.store(record, named: name, body: file, since: generation) }
        }
    }

    func abort() async {
        guard case .writing(let file) = state.withLock({ $0.take() }) else { return }
        // Removing a large file takes long.
        await queue.run { _ = Directory.remove(file.temporary.path) }
    }
}

/// A body that is being written to a file of its own. Used on one queue.
struct DiskBodyFile {
    fileprivate let temporary: DiskTemporary
    private let token = UInt64.random(in: 0 ... .max)
    private let limit: Int64
    private var length: Int64 = 0
    private var checksums: [UInt64] = []
    private var chunk = XXHash64()
    private var chunkLength = 0

    /// - Parameter limit: the maximum number of bytes.
    init(in folder: DiskFolder, shard: String, limit: Int64) throws(SystemError) {
        self.limit = limit
        temporary = try folder.makeTemporary(in: shard)
    }

    mutating func write(_ data: Data) throws(SystemError) {
        guard Int64(data.count) <= limit - length else { throw SystemError("store", code: EFBIG) }
        try temporary.file.write(data)
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

    /// Syncs the file and gives it the name in the entry. Readers check chunk by chunk, so a file torn by a power failure would break off a response.
    mutating func finish(in folder: DiskFolder, shard: String, as file: String) throws -> DiskBody {
        if chunkLength > 0 { endChunk() }
        guard let body = DiskBody(token: token, length: length, checksums: checksums) else {
            throw SystemError("finish", code: EINVAL)
        }
        try temporary.file.sync()
        try Directory.move(temporary.path, to: folder.path(of: DiskName.body(of: file, token: token), in: shard))
        return body
    }
}

/// The chunks of a body in a file of its own, each checked. The open file stays readable to its end, even if a process removes the entry meanwhile.
struct DiskBodyStream: AsyncSequence, AsyncIteratorProtocol, Sendable {
    typealias Element = Data

    let file: DiskFile
    let body: DiskBody
    let damaged: @Sendable () -> Void
    let queue = IOQueue.lane()
    var index = 0

    func makeAsyncIterator() -> DiskBodyStream { self }

    mutating func next() async throws -> Data? {
        try Task.checkCancellation()
        guard index < body.checksums.count else { return nil }
        let position = Int64(index) * Int64(DiskBody.chunkSize)
        let count = Int(Swift.min(body.length - position, Int64(DiskBody.chunkSize)))
        let data = await queue.run { [file, checksum = body.checksums[index]] () -> Data? in
            guard let data = try? file.read(count, at: position), data.count == count else { return nil }
            return XXHash64.hash(data) == checksum ? data : nil
        }
        guard let data else {
            damaged()
            throw TransportError(
                .truncatedBody, phase: .receivingBody,
                message: "A stored response is damaged on disk from byte \(position) on. It was removed.")
        }
        index += 1
        return data
    }
}

/// A body in a file of its own: raw bytes, with a checksum for each chunk in the head of the entry.
struct DiskBody: Equatable {
    /// Distinguishes the body from earlier and later bodies of the entry.
    let token: UInt64
    let length: Int64
    let checksums: [UInt64]

    /// The bytes that one checksum covers. The last chunk may be shorter.
    static let chunkSize = 256 * 1024

    /// Nil if the number of checksums does not fit the length.
    init?(token: UInt64, length: Int64, checksums: [UInt64]) {
        let chunk = Int64(Self.chunkSize)
        guard length >= 0, Int64(checksums.count) == length / chunk + (length % chunk == 0 ? 0 : 1) else { return nil }
        self.token = token
        self.length = length
        self.checksums = checksums
    }
}
