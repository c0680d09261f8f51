import TestLab
import Testing

@testable import NetCache

struct DiskLab {
    let directory: TemporaryDirectory
    let clock = HandClock()
    let cache: DiskCache

    init(maxBytes: Int64 = 100 << 20, maxEntries: Int = 10_000, maxAge: TimeInterval? = nil) async throws {
        directory = try TemporaryDirectory()
        cache = DiskCache(
            directory: directory.url, maxBytes: maxBytes, maxEntries: maxEntries, maxAge: maxAge, clock: clock)
        await cache.trim()
    }

    static let key = HTTPCacheKey(url: "https://example.com/a?b=c", owner: "")

    static func entry(_ id: String = "one", at time: TimeInterval = 100) -> HTTPCacheEntry {
        var headers: HTTPHeaders = ["Content-Type": "text/plain", "Set-Cookie": "a=b"]
        headers.append(name: "Set-Cookie", value: "c=d")
        return HTTPCacheEntry(
            id: id, status: 200, headers: headers, responseURL: URL(string: "https://example.com/a?b=c"),
            requestHeaders: ["Accept": "text/plain"], requestTime: Date(timeIntervalSince1970: time),
            responseTime: Date(timeIntervalSince1970: time + 1))
    }

    /// Pseudorandom bytes that depend on the seed.
    static func bytes(_ count: Int, seed: UInt64 = 1) -> Data {
        var random = SeededGenerator(state: seed)
        return random.bytes(count)
    }

    func store(
        _ body: Data, as entry: HTTPCacheEntry = DiskLab.entry(), for key: HTTPCacheKey = DiskLab.key, pieces: Int = 1
    ) async throws { try await cache.put(body, as: entry, for: key, knowsLength: false, pieces: pieces) }

    func body(
        of entry: HTTPCacheEntry = DiskLab.entry(), for key: HTTPCacheKey = DiskLab.key
    ) async throws -> Data? { try await cache.data(of: entry, for: key) }

    /// Changes one byte of a file, and returns the file's new bytes.
    @discardableResult static func damage(_ file: URL, at position: Int) throws -> Data {
        var bytes = try Data(contentsOf: file)
        bytes[position] ^= 1
        try bytes.write(to: file)
        return bytes
    }

    /// All files but those of locks.
    var files: [URL] {
        let all = FileManager.default.enumerator(at: directory.url, includingPropertiesForKeys: nil)?.allObjects
        return (all as? [URL] ?? []).filter {
            (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
                && !["trim.lock", DiskFolder.lockName].contains($0.lastPathComponent)
        }
    }
}

extension HTTPCacheStore {
    /// Begins to store an entry, and fails if the store refuses it.
    func writer(
        of entry: HTTPCacheEntry = DiskLab.entry(), for key: HTTPCacheKey = DiskLab.key, length: Int64? = nil,
        since generation: HTTPCacheEntry.Generation? = nil
    ) async throws -> any HTTPCacheEntry.Writer {
        try #require(try await beginStoring(entry, for: key, length: length, since: generation))
    }

    func entries() async throws -> [HTTPCacheEntry] { try await entries(for: DiskLab.key) }

    func update(_ entry: HTTPCacheEntry, replacing old: HTTPCacheEntry = DiskLab.entry()) async throws -> Bool {
        try await update(entry, for: DiskLab.key, replacing: old, since: nil)
    }

    func put(
        _ body: Data, as entry: HTTPCacheEntry = DiskLab.entry(), for key: HTTPCacheKey = DiskLab.key,
        knowsLength: Bool = true, pieces: Int = 1
    ) async throws {
        let writer = try await writer(of: entry, for: key, length: knowsLength ? Int64(body.count) : nil)
        let size = max(1, body.count / pieces)
        for start in stride(from: 0, to: body.count, by: size) {
            try await writer.write(Data(body.dropFirst(start).prefix(size)))
        }
        try await writer.commit()
    }

    func data(
        of entry: HTTPCacheEntry = DiskLab.entry(), for key: HTTPCacheKey = DiskLab.key
    ) async throws -> Data? { try await body(of: entry, for: key)?.collect(upTo: .max) }
}
