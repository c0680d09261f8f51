import TestLab

@testable import NetCache

/// A disk cache in a folder of its own, and what is in the folder.
struct DiskLab {
    let directory: TemporaryDirectory
    let clock = HandClock()
    let cache: DiskCache

    init(maxBytes: Int64 = 100 << 20, maxEntries: Int = 10_000, maxAge: TimeInterval? = nil) async throws {
        directory = try TemporaryDirectory()
        cache = DiskCache(
            directory: directory.url, maxBytes: maxBytes, maxEntries: maxEntries, maxAge: maxAge, clock: clock)
        // The walk that starts by itself.
        await cache.trim()
    }

    static let key = HTTPCacheKey(url: "https://example.com/a?b=c", owner: "")

    static func entry(_ id: String = "one", at time: TimeInterval = 100) -> HTTPCacheEntry {
        HTTPCacheEntry(
            id: id, status: 200,
            headers: HTTPHeaders(received: [
                HTTPHeader(name: "Content-Type", value: "text/plain"), HTTPHeader(name: "Set-Cookie", value: "a=b"),
                HTTPHeader(name: "Set-Cookie", value: "c=d"),
            ]),
            responseURL: URL(string: "https://example.com/a?b=c"), requestHeaders: ["Accept": "text/plain"],
            requestTime: Date(timeIntervalSince1970: time), responseTime: Date(timeIntervalSince1970: time + 1))
    }

    /// Bytes that tell where they belong.
    static func bytes(_ count: Int, seed: UInt64 = 1) -> Data {
        var random = SeededGenerator(state: seed)
        return Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    func store(
        _ body: Data, as entry: HTTPCacheEntry = DiskLab.entry(), for key: HTTPCacheKey = DiskLab.key, pieces: Int = 1
    ) async throws {
        guard let writer = try await cache.beginStoring(entry, for: key, length: nil) else {
            throw LabError("The cache does not take it.")
        }
        var rest = body
        for _ in 0..<pieces where !rest.isEmpty {
            let piece = rest.prefix(max(1, body.count / pieces))
            try await writer.write(Data(piece))
            rest = rest.dropFirst(piece.count)
        }
        if !rest.isEmpty { try await writer.write(Data(rest)) }
        try await writer.commit()
    }

    func body(
        of entry: HTTPCacheEntry = DiskLab.entry(), for key: HTTPCacheKey = DiskLab.key, in other: DiskCache? = nil
    ) async throws -> Data? { try await (other ?? cache).body(of: entry, for: key)?.collect(upTo: .max) }

    /// Changes one byte of a file, and returns the file's new bytes.
    @discardableResult static func damage(_ file: URL, at position: Int) throws -> Data {
        var bytes = try Data(contentsOf: file)
        bytes[position] ^= 1
        try bytes.write(to: file)
        return bytes
    }

    /// The files, without those that lock.
    var files: [URL] {
        let all =
            FileManager.default.enumerator(
                at: directory.url, includingPropertiesForKeys: [.isRegularFileKey])?.allObjects as? [URL]
        return (all ?? []).filter {
            (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
                && !["trim.lock", DiskFolder.lockName].contains($0.lastPathComponent)
        }
    }
}
