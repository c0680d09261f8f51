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
        try await store.put(Data(text.utf8), as: entry, for: HTTPCacheKey(url: url, owner: owner), length: nil)
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

    @Test func responseWithoutOwnerIsStoredUnderItsURL() async throws {
        try await put("x", entry())
        #expect(cache.getResponse(for: try #require(URL(string: url))) == Data("x".utf8))
        #expect(try await (cache.entryCount, texts()) == (1, ["x"]))
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
