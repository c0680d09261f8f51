import TestLab
import Testing

@testable import NetCache

@Suite("Generations") struct GenerationTests {
    private static let url = DiskLab.key.url

    private let lab: DiskLab
    private let tierLab: DiskLab
    init() async throws { (lab, tierLab) = try await (DiskLab(), DiskLab()) }
    private var other: DiskCache { DiskCache(directory: lab.directory.url, clock: lab.clock) }

    /// A disk cache that another process uses too, the stores in memory, and both together.
    private var stores: [(store: any HTTPCacheStore, other: any HTTPCacheStore)] {
        let memory = NetworkCache(clock: lab.clock)
        let tier = TieredCache(upper: NetworkCache(), lower: tierLab.cache)
        let urlCache = URLCacheStore(URLCache(memoryCapacity: 4 << 20, diskCapacity: 0, diskPath: nil))
        return [(lab.cache, other), (memory, memory), (tier, tier), (tier, tierLab.cache), (urlCache, urlCache)]
    }

    private func write(_ text: String, to writer: any HTTPCacheEntry.Writer) async throws {
        try await writer.write(Data(text.utf8))
        try await writer.commit()
    }

    /// A URL shares a counter with every thousandth.
    @Test func invalidationOfAnotherURLOutdatesHardlyAnything() {
        let table = GenerationTable()
        let generation = table.generation(of: Self.url)
        let outdated = (0..<20_000).count { number in
            var table = table
            table.advance("https://example.com/\(number)")
            return !table.isCurrent(generation, for: Self.url)
        }
        #expect(outdated <= 5)
        var advanced = table
        advanced.advance(Self.url)
        #expect(table.isCurrent(generation, for: Self.url) && !advanced.isCurrent(generation, for: Self.url))
    }

    @Test func responseRequestedBeforeInvalidationIsNotStored() async throws {
        for (store, other) in stores {
            let ends: [@Sendable () async throws -> Void] = [
                { try await other.removeAll(url: Self.url) }, { try await other.removeAll() },
                { try await other.advanceGeneration(of: Self.url) },
            ]
            for (number, end) in ends.enumerated() {
                let generation = try #require(try await store.generation(of: Self.url))
                #expect(try await store.generation(of: Self.url) == generation)
                let asked = try await store.writer(length: 3, since: generation)
                try await end()
                let late = try await store.writer(of: DiskLab.entry("two"), length: 3, since: generation)
                for writer in [asked, late] {
                    await #expect(throws: CancellationError.self, "\(store) \(number)") {
                        try await write("old", to: writer)
                    }
                }
                #expect(try await store.entries() == [], "\(store) \(number)")
                #expect(try await store.generation(of: Self.url) != generation)
                try await write("new", to: store.writer(length: 3, since: store.generation(of: Self.url)))
                #expect(try await store.entries().count == 1)
                try await store.removeAll()
            }
        }
    }

    @Test func updateDoesNotRestoreAnInvalidatedEntry() async throws {
        for (store, other) in stores {
            var fresh = DiskLab.entry()
            fresh.responseTime += 60
            fresh.headers["X"] = "fresh"
            let generation = try await store.generation(of: Self.url)
            try await write("x", to: store.writer(length: 1, since: generation))
            #expect(try await store.update(fresh, for: DiskLab.key, replacing: DiskLab.entry(), since: generation))
            #expect(try await store.entries() == [fresh])
            var later = fresh
            later.responseTime += 60
            #expect(
                try await !store.update(later, for: DiskLab.key, replacing: DiskLab.entry(), since: generation),
                "another validation was first: \(store)")
            #expect(try await store.entries() == [fresh])
            try await other.removeAll(url: Self.url)
            #expect(try await !store.update(later, for: DiskLab.key, replacing: fresh, since: generation))
            if !(store is TieredCache<NetworkCache, DiskCache>) || other is TieredCache<NetworkCache, DiskCache> {
                #expect(try await !store.update(later, replacing: fresh))
            }
            #expect(try await store.entries() == [], "\(store)")
        }
    }

    @Test(arguments: [10, 200_000]) func updateDuringRemovalLeavesNoEntry(size: Int) async throws {
        let other = other
        for round in 0..<Volume.pick(quick: 10, full: 100) {
            let entry = DiskLab.entry("\(round)")
            try await lab.store(DiskLab.bytes(size), as: entry)
            let generation = try await lab.cache.generation(of: Self.url)
            var fresh = entry
            fresh.responseTime += 60
            async let update = lab.cache.update(fresh, for: DiskLab.key, replacing: entry, since: generation)
            async let removal: Void = other.removeAll(url: Self.url)
            _ = try await (update, removal)
            #expect(try await lab.cache.entries() == [])
        }
        #expect(lab.files == [])
    }

    @Test func entryInvalidatedDuringPromotionIsNotStored() async throws {
        let (lower, memory) = (LossyStore(), NetworkCache())
        try await lower.put(Data("old".utf8))
        let tier = TieredCache(upper: memory, lower: lower)
        lower.afterReading.withLock { $0 = { try await tier.removeAll(url: Self.url) } }
        _ = try await tier.body(of: DiskLab.entry(), for: DiskLab.key)
        #expect(try await (tier.entries(), memory.entryCount) == ([], 0))
    }

    @Test func removalSyncsTheFolder() async throws {
        let directory = try TemporaryDirectory()
        let synced = Locked<[String: [String]]>([:])
        let folder = DiskFolder(directory.url, clock: HandClock()) { path in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            synced.withLock { $0[path] = names.filter { $0.count >= DiskName.length } }
        }
        let cache = DiskCache(folder: folder, maxBytes: 1 << 20, maxEntries: 10)
        let shard = "\(folder.path)/\(DiskName(url: Self.url).shard)"
        for all in [false, true] {
            synced.withLock { $0 = [:] }
            try await cache.put(Data([1]))
            #expect(synced.withLock { $0 } == [:], "storing does not wait for the medium")
            if all { try await cache.removeAll() } else { try await cache.removeAll(url: Self.url) }
            #expect(synced.withLock { $0 } == [shard: []], "after the removal")
        }
        synced.withLock { $0 = [:] }
        try await cache.removeAll(url: Self.url)
        #expect(synced.withLock { $0 } == [:], "nothing was there")
    }

    @Test func userInformationOfURLsIsNotStored() async throws {
        let cache = ResponseCache(store: lab.cache)
        let url = try #require(URL(string: "https://ann:sesame42@example.com/a"))
        let next = Next { request, _, _ in
            TransportResponse(
                status: 200, headers: ["Cache-Control": "max-age=60"], url: request.url, body: HTTPBody("hello"))
        }
        _ = try await cache.intercept(URLRequest(url: url), next: next)
        let hit = try await cache.intercept(URLRequest(url: url), next: next)
        #expect(hit.headers["Cache-Status"]?.contains("hit") == true)
        #expect(hit.url?.absoluteString == "https://example.com/a")
        lab.cache.setResponse(Data("ann's".utf8), for: url, expireTime: nil)
        #expect(lab.cache.getResponse(for: url) == Data("ann's".utf8))
        let other = try #require(URL(string: "https://bob:sesame42@example.com/a"))
        let none = try #require(URL(string: "https://example.com/a"))
        #expect((lab.cache.getResponse(for: other), lab.cache.getResponse(for: none)) == (nil, nil))
        #expect(lab.files.count == 3, "two entries and a key")
        for file in lab.files { #expect(try Data(contentsOf: file).range(of: Data("sesame42".utf8)) == nil) }
        lab.cache.removeResponse(for: url)
        #expect(lab.cache.getResponse(for: url) == nil)
    }
}
