import NetCore

/// Takes the body of a response for a ``DiskCache``: a small one into memory, a larger one into a file, from the moment at
/// which it is one.
final class DiskCacheWriter: HTTPCacheWriter {
    /// Bodies up to this stand behind their head: one file to open, one to write.
    static let inlineLimit = 64 * 1024

    fileprivate enum State {
        case collecting(Data)
        case writing(DiskBodyFile)
        case ended
    }

    private let cache: DiskCacheCore
    private let record: DiskRecord
    /// Nil if it could not be read: then nothing is stored.
    private let generation: HTTPCacheGeneration?
    private let queue = IOQueue.lane()
    private let state = Locked(State.collecting(Data()))

    init(cache: DiskCacheCore, key: DiskKey, entry: HTTPCacheEntry, generation: HTTPCacheGeneration?) {
        self.cache = cache
        record = DiskRecord(key: key, entry: entry, body: .inline(length: 0, checksum: 0))
        self.generation = generation
    }

    deinit {
        state.withLock { if case .writing(let file) = $0 { file.remove() } }
    }

    func write(_ chunk: Data) async throws {
        if state.withLock({ $0.collect(chunk) }) { return }
        try await queue.run { [self] in try writeToFile(chunk) }
    }

    private func writeToFile(_ chunk: Data) throws {
        var file: DiskBodyFile
        switch state.withLock({ $0.take() }) {
        case .ended: throw CancellationError()
        case .collecting(let start):
            file = try DiskBodyFile(
                in: cache.folder, shard: DiskName(record.key).shard, limit: cache.limits.maxBytes)
            do {
                try file.write(start)
            } catch {
                file.remove()
                throw error
            }
        case .writing(let open): file = open
        }
        do {
            try file.write(chunk)
        } catch {
            file.remove()
            throw error
        }
        state.withLock { $0 = .writing(file) }
    }

    func commit() async throws {
        try await queue.run { [self] in
            switch state.withLock({ $0.take() }) {
            case .ended: throw CancellationError()
            case .collecting(let data):
                try cache.store(record, body: data, if: .since(generation))
            case .writing(var file):
                do {
                    try cache.store(record, body: &file, if: .since(generation))
                } catch {
                    file.remove()
                    throw error
                }
            }
        }
    }

    func abort() async {
        guard case .writing(let file) = state.withLock({ $0.take() }) else { return }
        await queue.run { file.remove() }
    }
}

extension DiskCacheWriter.State {
    /// Whether the bytes fit with what is collected.
    fileprivate mutating func collect(_ chunk: Data) -> Bool {
        guard case .collecting(var data) = self, data.count + chunk.count <= DiskCacheWriter.inlineLimit else {
            return false
        }
        // Without a second owner, so that the bytes are not copied.
        self = .ended
        data.append(chunk)
        self = .collecting(data)
        return true
    }

    fileprivate mutating func take() -> DiskCacheWriter.State {
        defer { self = .ended }
        return self
    }
}
