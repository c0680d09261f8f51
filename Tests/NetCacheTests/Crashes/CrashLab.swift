import TestLab

@testable import NetCache

/// Four processes that write into one cache and into a queue each, to be killed.
struct CrashLab {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }
    static func program() throws -> String { try Executable.beside("crash-writer") }
    var cacheFolder: URL { directory.file("cache") }
    func queueFile(_ writer: Int) -> URL { directory.file("queue-\(writer)") }
    func logFile(_ writer: Int) -> URL { directory.file("log-\(writer)") }

    func start(writer: Int, round: Int) throws -> BackgroundProcess {
        let paths = [cacheFolder.path, queueFile(writer).path, logFile(writer).path]
        let numbers = ["\(round * 4 + writer + 1)", "\(round * 1_000_000)"]
        return try BackgroundProcess(Self.program(), ["run"] + paths + numbers)
    }

    /// The processes that were killed while they wrote an entry: they left a file that has their number in its name.
    func interruptedWriters() -> Set<Int32> {
        let all = FileManager.default.enumerator(at: cacheFolder, includingPropertiesForKeys: nil)?.allObjects as? [URL]
        let names = (all ?? []).map(\.lastPathComponent).filter { $0.hasSuffix(DiskName.temporarySuffix) }
        return Set(names.compactMap { Int32($0.prefix { $0 != "-" }) })
    }

    /// What was promised: the number and the key of each operation of which the process has said that it is stored.
    static func promises(in output: String) -> [String: String] {
        var promises: [String: String] = [:]
        for line in output.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let words = line.split(separator: " ").map(String.init)
            if words.count == 3, words[0] == "added" { promises[words[1]] = words[2] }
        }
        return promises
    }

    /// What the server saw: the keys under which each operation came.
    func deliveries(_ writer: Int) throws -> [String: [String]] {
        guard FileManager.default.fileExists(atPath: logFile(writer).path) else { return [:] }
        let text = String(decoding: try Data(contentsOf: logFile(writer)), as: UTF8.self)
        var deliveries: [String: [String]] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 3 else { continue }
            deliveries[words[0], default: []].append(words[1])
        }
        return deliveries
    }

    /// Reads all that the cache has, and holds it against what its head says of it. Removes what crashed writers have left.
    func checkCache() async throws -> (found: Int, torn: Int) {
        let cache = DiskCache(directory: cacheFolder, maxBytes: 8 << 20)
        var (found, torn) = (0, 0)
        for number in 0..<40 {
            let key = HTTPCacheKey(url: "https://example.com/\(number)")
            for entry in try await cache.entries(for: key) {
                guard let body = try await cache.body(of: entry, for: key) else { continue }
                found += 1
                if try await !Self.isWhole(body.collect(upTo: .max), entry) { torn += 1 }
            }
        }
        // Through this cache, whose first walk is over then. A walk of another one would only count meanwhile.
        await cache.trim()
        return (found, torn)
    }

    private static func isWhole(_ body: Data, _ entry: HTTPCacheEntry) -> Bool {
        guard let seed = entry.headers["X-Seed"].flatMap({ UInt64($0) }),
            let words = entry.headers["X-Words"].flatMap({ Int($0) }), body.count == words * 8
        else { return false }
        return body.withUnsafeBytes { bytes in
            var word = seed
            for index in 0..<words {
                if bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) != word { return false }
                word &+= 0x9E37_79B9_7F4A_7C15
            }
            return true
        }
    }
}
