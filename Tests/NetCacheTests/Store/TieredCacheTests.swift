import TestLab
import Testing

@testable import NetCache

@Suite("Two stores as one") struct TieredCacheTests {
    private let lab: DiskLab
    private let cache: TieredCache<NetworkCache, DiskCache>
    private let memory = NetworkCache(maxBytes: 100_000)
    private var heads: [[HTTPCacheEntry]] { get async throws { try await [memory.entries(), lab.cache.entries()] } }

    init() async throws {
        lab = try await DiskLab()
        cache = TieredCache(upper: memory, lower: lab.cache)
    }

    @Test func storingWritesToBothTiers() async throws {
        try await cache.put(Data("x".utf8))
        #expect(try await (memory.data(), lab.cache.data()) == (Data("x".utf8), Data("x".utf8)))
        #expect(try await cache.entries() == [DiskLab.entry()])
    }

    @Test func bodyTooLargeForMemoryIsOnDisk() async throws {
        try await cache.put(DiskLab.bytes(200_000))
        #expect(try await (memory.data(), cache.data()) == (nil, DiskLab.bytes(200_000)))
    }

    @Test func readFromDiskIsPromotedToMemory() async throws {
        try await lab.cache.put(Data("x".utf8))
        #expect(try await cache.entries() == [DiskLab.entry()])
        let both = try await (memory.data(), cache.data(), memory.data())
        #expect(both == (nil, Data("x".utf8), Data("x".utf8)))
    }

    @Test func variantEvictedFromMemoryIsFoundOnDisk() async throws {
        var (english, german) = (DiskLab.entry("en", at: 1), DiskLab.entry("de", at: 2))
        (english.headers["Vary"], german.headers["Vary"]) = ("Accept-Language", "Accept-Language")
        try await cache.put(Data("english".utf8), as: english)
        try await cache.put(Data("deutsch".utf8), as: german)
        await memory.remove(english, for: DiskLab.key)
        #expect(try await (cache.entries().map(\.id), cache.data(of: english)) == (["de", "en"], Data("english".utf8)))
    }

    @Test func updatesAndRemovalsReachBothTiers() async throws {
        try await cache.put(Data("x".utf8))
        var entry = DiskLab.entry()
        entry.headers["ETag"] = "\"2\""
        #expect(try await cache.update(entry))
        #expect(try await heads == [[entry], [entry]])
        try await cache.remove(entry, for: DiskLab.key)
        #expect(try await heads == [[], []])
        for removal in [{ try await cache.removeAll(url: DiskLab.key.url) }, { try await cache.removeAll() }] {
            try await cache.put(Data("x".utf8))
            try await removal()
            #expect(try await heads == [[], []])
        }
    }

    @Test func failingDiskStillStoresInMemory() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("file")
        try Data().write(to: file)
        let cache = TieredCache(upper: memory, lower: DiskCache(directory: file))
        try await cache.put(Data("x".utf8))
        #expect(try await (cache.data(), cache.entries().count) == (Data("x".utf8), 1))
        await #expect(throws: (any Error).self, "neither tier has it") { try await cache.put(DiskLab.bytes(200_000)) }
    }

    @Test func abortReachesBothTiers() async throws {
        let writer = try await cache.writer()
        try await writer.write(DiskLab.bytes(80_000))
        await writer.abort()
        #expect(lab.files == [])
        await #expect(throws: CancellationError.self) { try await writer.commit() }
        #expect(try await cache.entries() == [])
    }
}
