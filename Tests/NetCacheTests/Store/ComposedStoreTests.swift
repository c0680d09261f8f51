import TestLab
import Testing

@testable import NetCache

@Suite("Responses in a cache of bodies by URL") struct BodyStoreTests {
    private let cache = NetworkCache(purgeInterval: 0)
    private let clock = HandClock()
    private var store: BodyStore { BodyStore(cache: cache) }
    private let url = "https://example.com/a"

    private func entry(_ id: String = BodyStore.plainID, vary: String? = nil, field: String? = nil) -> HTTPCacheEntry {
        HTTPCacheEntry(
            id: id, status: 200, headers: vary.map { ["Vary": $0] } ?? [:], responseURL: nil,
            requestHeaders: field.map { ["accept": $0] } ?? [:], requestTime: clock.now, responseTime: clock.now)
    }

    private func put(_ text: String, _ entry: HTTPCacheEntry, owner: String = "") async throws {
        try await store.put(Data(text.utf8), as: entry, for: HTTPCacheKey(url: url, owner: owner), knowsLength: false)
    }

    private func texts(owner: String = "") async throws -> [String] {
        let key = HTTPCacheKey(url: url, owner: owner)
        var texts: [String] = []
        for entry in try await store.entries(for: key) {
            let data = try await store.data(of: entry, for: key) ?? Data("none".utf8)
            texts.append(String(decoding: data, as: UTF8.self))
        }
        return texts
    }

    @Test func ownersAndVariantsAreStoredSeparately() async throws {
        try await put("ann's", entry(), owner: "ann")
        try await put("bob's", entry("1", vary: "accept", field: "a"), owner: "bob")
        try await put("bob's other", entry("2", vary: "accept", field: "b"), owner: "bob")
        #expect(try await (texts(), texts(owner: "ann")) == ([], ["ann's"]))
        #expect(try await texts(owner: "bob") == ["bob's other", "bob's"])
        let key = HTTPCacheKey(url: url, owner: "bob")
        try await store.remove(entry("2"), for: key)
        #expect(try await texts(owner: "bob") == ["bob's"])
        #expect(try await store.entries(for: key).first?.requestHeaders["accept"] == "a")
    }

    @Test func cacheThatIgnoresExpireTimeIsInvalidated() async throws {
        final class Naive: ResponseCaching {
            let stored = Locked<[URL: Data]>([:])
            func setResponse(_ data: Data, for url: URL, expireTime: Date?) { stored.withLock { $0[url] = data } }
            func getResponse(for url: URL) -> Data? { stored.withLock { $0[url] } }
            func clear() { stored.withLock { $0 = [:] } }
        }
        let store = BodyStore(cache: Naive())
        let key = HTTPCacheKey(url: url, owner: "ann")
        for _ in 0..<3 {
            try await #require(try await store.beginStoring(entry(), for: key, length: nil, since: nil)).commit()
            #expect(try await store.entries(for: key).count == 1)
            try await store.removeAll(url: url)
            #expect(try await store.entries(for: key).isEmpty)
        }
    }

    /// The cache evicts as it likes. What is lost with the epoch does not come back.
    @Test func lostEpochInvalidatesItsResponses() async throws {
        try await put("ann's", entry(), owner: "ann")
        cache.removeResponse(for: try #require(URL(string: url + "#epoch")))
        #expect(try await texts(owner: "ann") == [])
        try await put("bob's", entry(), owner: "bob")
        #expect(try await texts(owner: "ann") == [])
    }

    @Test func variantsOfOneKeyAreLimited() async throws {
        for number in 0..<100 { try await put("\(number)", entry("\(number)", vary: "accept")) }
        #expect(try await (texts().count, texts().first) == (64, "99"))
    }

    @Test func concurrentWritersLoseNoVariant() async throws {
        _ = try await atOnce(60) { try await put("\($0)", entry("\($0)", vary: "accept")) }
        #expect(Set(try await texts()) == Set((0..<60).map(String.init)))
    }
}

@Suite("URLCache as a store") struct URLCacheStoreTests {
    private let cache = URLCache(memoryCapacity: 10 << 20, diskCapacity: 0, diskPath: nil)
    private var store: URLCacheStore { URLCacheStore(cache) }

    @Test func oneResponsePerURLIsStored() async throws {
        let alice = HTTPCacheKey(url: DiskLab.key.url, owner: "alice")
        try await store.put(Data("all".utf8))
        try await store.put(Data("alice".utf8), for: alice)
        #expect(try await store.data(for: alice) == Data("alice".utf8))
        #expect(try await (store.data(), store.entries()) == (nil, []), "never another owner's")
        try await store.put(Data("two".utf8), as: DiskLab.entry("two"))
        #expect(try await (store.data(), store.data(of: DiskLab.entry("two"))) == (nil, Data("two".utf8)))
    }

    @Test func storesUpdatesAndRemoves() async throws {
        try await store.put(Data("hello".utf8))
        #expect(try await (store.entries(), store.data()) == ([DiskLab.entry()], Data("hello".utf8)))
        var entry = DiskLab.entry()
        entry.headers["ETag"] = "\"2\""
        #expect(try await store.update(entry))
        #expect(try await (store.entries(), store.data()) == ([entry], Data("hello".utf8)))
        let other = DiskLab.entry("other")
        #expect(try await !store.update(other, replacing: other))
        try await store.remove(other, for: DiskLab.key)
        #expect(try await store.data() == Data("hello".utf8))
        let removals: [() async throws -> Void] = [
            { try await store.remove(entry, for: DiskLab.key) }, { try await store.removeAll(url: DiskLab.key.url) },
            { try await store.removeAll() },
        ]
        for (number, removal) in removals.enumerated() {
            // The first removes what was updated.
            if number > 0 { try await store.put(Data("hello".utf8)) }
            try await removal()
            #expect(try await store.data() == nil, "removal \(number)")
        }
    }

    @Test func foreignCachedResponsesAreIgnored() async throws {
        let url = try #require(URL(string: DiskLab.key.url))
        let fields = ["X-Networking-Cache-Entry": "?"]
        let response = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields))
        let cached = CachedURLResponse(response: response, data: Data("theirs".utf8))
        cache.storeCachedResponse(cached, for: URLRequest(url: url))
        #expect(try await (store.entries(), store.data()) == ([], nil))
    }

    @Test func bodyOverTheLimitIsRefused() async throws {
        #expect(try await store.beginStoring(DiskLab.entry(), for: DiskLab.key, length: 1 << 40, since: nil) == nil)
        let writer = try await store.writer()
        await #expect(throws: NetworkError.responseTooLarge(limit: 16 << 20)) {
            for _ in 0..<20 { try await writer.write(Data(count: 1 << 20)) }
        }
        await #expect(throws: CancellationError.self) { try await writer.commit() }
        #expect(try await store.entries() == [])
    }
}

@Suite("Two stores as one") struct TieredCacheTests {
    private let lab: DiskLab
    private let cache: TieredCache<NetworkCache, DiskCache>
    private let memory = NetworkCache(maxBytes: 100_000)
    private var heads: [[HTTPCacheEntry]] { get async throws { try await [memory.entries(), lab.cache.entries()] } }

    init() async throws {
        lab = try await DiskLab()
        cache = TieredCache(upper: memory, lower: lab.cache)
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

    @Test func storingUpdatesAndRemovalsReachBothTiers() async throws {
        try await cache.put(Data("x".utf8))
        #expect(try await (memory.data(), lab.cache.data()) == (Data("x".utf8), Data("x".utf8)))
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
