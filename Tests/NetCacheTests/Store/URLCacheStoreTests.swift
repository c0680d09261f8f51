import TestLab
import Testing

@testable import NetCache

@Suite("URLCache as a store") struct URLCacheStoreTests {
    private let cache = URLCache(memoryCapacity: 10 << 20, diskCapacity: 0, diskPath: nil)
    private var store: URLCacheStore { URLCacheStore(cache) }

    @Test func storedResponseIsReadBack() async throws {
        try await store.put(Data("hello".utf8))
        #expect(try await (store.entries(), store.data()) == ([DiskLab.entry()], Data("hello".utf8)))
    }

    @Test func oneResponsePerURLIsStored() async throws {
        let alice = HTTPCacheKey(url: DiskLab.key.url, owner: "alice")
        try await store.put(Data("all".utf8))
        try await store.put(Data("alice".utf8), for: alice)
        #expect(try await store.data(for: alice) == Data("alice".utf8))
        #expect(try await (store.data(), store.entries()) == (nil, []), "never another owner's")
        try await store.put(Data("two".utf8), as: DiskLab.entry("two"))
        #expect(try await (store.data(), store.data(of: DiskLab.entry("two"))) == (nil, Data("two".utf8)))
    }

    @Test func updatesAndRemoves() async throws {
        try await store.put(Data("hello".utf8))
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
