import TestLab
import Testing

@testable import NetCache

@Suite("URLCache as a store") struct URLCacheStoreTests {
    private let cache = URLCache(memoryCapacity: 10 << 20, diskCapacity: 0, diskPath: nil)

    private func store(
        _ text: String, as entry: HTTPCacheEntry = DiskLab.entry(), for key: HTTPCacheKey = DiskLab.key
    ) async throws {
        let writer = try #require(
            try await URLCacheStore(cache).beginStoring(entry, for: key, length: Int64(text.utf8.count)))
        try await writer.write(Data(text.utf8))
        try await writer.commit()
    }

    private func body(
        of entry: HTTPCacheEntry = DiskLab.entry(), for key: HTTPCacheKey = DiskLab.key
    ) async throws -> String? {
        try await URLCacheStore(cache).body(of: entry, for: key)?.collect(upTo: .max)
            .reduce(into: "") { $0 += String(UnicodeScalar($1)) }
    }

    @Test func storedResponseIsReadBack() async throws {
        try await store("hello")
        #expect(try await URLCacheStore(cache).entries(for: DiskLab.key) == [DiskLab.entry()])
        #expect(try await body() == "hello")
    }

    @Test func oneResponsePerURLIsStored() async throws {
        let alice = HTTPCacheKey(url: DiskLab.key.url, owner: "alice")
        try await store("all")
        try await store("alice", for: alice)
        #expect(try await body(for: alice) == "alice")
        #expect(try await body() == nil, "never somebody else's")
        #expect(try await URLCacheStore(cache).entries(for: DiskLab.key) == [])
        try await store("two", as: DiskLab.entry("two"))
        #expect(try await (body(), body(of: DiskLab.entry("two"))) == (nil, "two"))
    }

    @Test func updatesAndRemoves() async throws {
        let store = URLCacheStore(cache)
        try await self.store("hello")
        var entry = DiskLab.entry()
        entry.headers["ETag"] = "\"2\""
        try await store.update(entry, for: DiskLab.key)
        #expect(try await (store.entries(for: DiskLab.key), body()) == ([entry], "hello"))
        try await store.update(DiskLab.entry("other"), for: DiskLab.key)
        try await store.remove(DiskLab.entry("other"), for: DiskLab.key)
        #expect(try await body() == "hello")
        try await store.remove(entry, for: DiskLab.key)
        #expect(try await body() == nil)
        try await self.store("hello")
        try await store.removeAll(url: DiskLab.key.url)
        #expect(try await body() == nil)
        try await self.store("hello")
        try await store.removeAll()
        #expect(try await body() == nil)
    }

    @Test func foreignCachedResponsesAreIgnored() async throws {
        let url = try #require(URL(string: DiskLab.key.url))
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil, headerFields: ["X-Networking-Cache-Entry": "?"]))
        cache.storeCachedResponse(
            CachedURLResponse(response: response, data: Data("theirs".utf8)), for: URLRequest(url: url))
        #expect(try await (URLCacheStore(cache).entries(for: DiskLab.key), body()) == ([], nil))
    }

    @Test func bodyOverTheLimitIsRefused() async throws {
        let store = URLCacheStore(cache)
        #expect(try await store.beginStoring(DiskLab.entry(), for: DiskLab.key, length: 1 << 40) == nil)
        let writer = try #require(try await store.beginStoring(DiskLab.entry(), for: DiskLab.key, length: nil))
        await #expect(throws: NetworkError.responseTooLarge(limit: 16 << 20)) {
            for _ in 0..<20 { try await writer.write(Data(count: 1 << 20)) }
        }
        await #expect(throws: CancellationError.self) { try await writer.commit() }
        #expect(try await store.entries(for: DiskLab.key) == [])
    }
}
