import TestLab
import Testing

@testable import NetCache

@Suite("Two stores as one") struct TieredCacheTests {
    private let lab: DiskLab
    private let cache: TieredCache<NetworkCache, DiskCache>

    init() async throws {
        lab = try await DiskLab()
        cache = TieredCache(upper: memory, lower: lab.cache)
    }

    private let memory = NetworkCache(maxBytes: 100_000)

    private func store(
        _ body: Data, as entry: HTTPCacheEntry = DiskLab.entry(), in cache: some HTTPCacheStore
    ) async throws {
        let writer = try #require(try await cache.beginStoring(entry, for: DiskLab.key, length: Int64(body.count)))
        try await writer.write(body)
        try await writer.commit()
    }

    private func body(of entry: HTTPCacheEntry = DiskLab.entry(), in cache: some HTTPCacheStore) async throws -> Data? {
        try await cache.body(of: entry, for: DiskLab.key)?.collect(upTo: .max)
    }

    @Test func storingWritesToBothTiers() async throws {
        try await store(Data("x".utf8), in: cache)
        #expect(try await body(in: memory) == Data("x".utf8))
        #expect(try await body(in: lab.cache) == Data("x".utf8))
        #expect(try await cache.entries(for: DiskLab.key) == [DiskLab.entry()])
    }

    @Test func bodyTooLargeForMemoryIsOnDisk() async throws {
        try await store(DiskLab.bytes(200_000), in: cache)
        #expect(try await body(in: memory) == nil)
        #expect(try await body(in: cache) == DiskLab.bytes(200_000))
    }

    @Test func readFromDiskIsPromotedToMemory() async throws {
        try await store(Data("x".utf8), in: lab.cache)
        #expect(try await cache.entries(for: DiskLab.key) == [DiskLab.entry()])
        #expect(try await body(in: memory) == nil)
        #expect(try await body(in: cache) == Data("x".utf8))
        #expect(try await body(in: memory) == Data("x".utf8))
    }

    @Test func variantEvictedFromMemoryIsFoundOnDisk() async throws {
        var english = DiskLab.entry("en", at: 1)
        english.headers["Vary"] = "Accept-Language"
        var german = DiskLab.entry("de", at: 2)
        german.headers["Vary"] = "Accept-Language"
        try await store(Data("english".utf8), as: english, in: cache)
        try await store(Data("deutsch".utf8), as: german, in: cache)
        await memory.remove(english, for: DiskLab.key)
        #expect(try await cache.entries(for: DiskLab.key).map(\.id) == ["de", "en"])
        #expect(try await body(of: english, in: cache) == Data("english".utf8))
    }

    @Test func updatesAndRemovalsReachBothTiers() async throws {
        try await store(Data("x".utf8), in: cache)
        var entry = DiskLab.entry()
        entry.headers["ETag"] = "\"2\""
        try await cache.update(entry, for: DiskLab.key)
        #expect(try await (memory.entries(for: DiskLab.key), lab.cache.entries(for: DiskLab.key)) == ([entry], [entry]))
        try await cache.remove(entry, for: DiskLab.key)
        #expect(try await (memory.entries(for: DiskLab.key), lab.cache.entries(for: DiskLab.key)) == ([], []))
        for removal in [{ try await cache.removeAll(url: DiskLab.key.url) }, { try await cache.removeAll() }] {
            try await store(Data("x".utf8), in: cache)
            try await removal()
            #expect(try await (memory.entries(for: DiskLab.key), lab.cache.entries(for: DiskLab.key)) == ([], []))
        }
    }

    @Test func failingDiskStillStoresInMemory() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("file")
        try Data().write(to: file)
        let cache = TieredCache(upper: memory, lower: DiskCache(directory: file))
        try await store(Data("x".utf8), in: cache)
        #expect(try await body(in: cache) == Data("x".utf8))
        #expect(try await cache.entries(for: DiskLab.key).count == 1)
        await #expect(throws: (any Error).self, "nobody has it") { try await store(DiskLab.bytes(200_000), in: cache) }
    }

    @Test func abortReachesBothTiers() async throws {
        let writer = try #require(try await cache.beginStoring(DiskLab.entry(), for: DiskLab.key, length: nil))
        try await writer.write(DiskLab.bytes(80_000))
        await writer.abort()
        #expect(lab.files == [])
        await #expect(throws: CancellationError.self) { try await writer.commit() }
        #expect(try await cache.entries(for: DiskLab.key) == [])
    }
}
