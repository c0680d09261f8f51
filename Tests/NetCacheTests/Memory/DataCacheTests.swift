import TestLab
import Testing

@testable import NetCache

@Suite("Data cache") struct DataCacheTests {
    @Test func dataIsFreshFromItsTimeUntilMaxAge() async throws {
        let clock = HandClock()
        let cache = DataCache(maxAge: 300, clock: clock)
        #expect(await cache.get("items") == nil)
        await cache.set(Data("1".utf8), for: "items")
        for (seconds, isFresh) in [(299.0, true), (1, false)] {
            clock.advance(by: seconds)
            #expect(await cache.get("items") == (isFresh ? Data("1".utf8) : nil))
        }
        let item = try #require(await cache.item(for: "items"))
        #expect((item.data, item.storedAt, item.isFresh) == (Data("1".utf8), clock.now - 300, false))
        await cache.set(Data("2".utf8), for: "items")
        #expect(await cache.get("items") == Data("2".utf8))
        clock.advance(by: -1)
        #expect(await cache.get("items") == nil, "it is from the future")
    }

    @Test(arguments: [0, -1, TimeInterval.nan]) func maxAgeOfZeroOrNaNIsNeverFresh(age: TimeInterval) async {
        let cache = DataCache(maxAge: age, clock: HandClock())
        await cache.set(Data(), for: "a")
        #expect(await cache.get("a") == nil)
        #expect(await cache.item(for: "a") != nil)
    }

    @Test func invalidateAndClearAllRemoveData() async {
        let cache = DataCache(clock: HandClock())
        for key in ["a", "b", "ä", "", "a b#c?d"] { await cache.set(Data(key.utf8), for: key) }
        for key in ["a", "b", "ä", "", "a b#c?d"] { #expect(await cache.get(key) == Data(key.utf8)) }
        await cache.invalidate("a")
        #expect(await cache.item(for: "a") == nil)
        #expect(await cache.get("b") != nil)
        await cache.clearAll()
        #expect(await cache.item(for: "b") == nil)
    }

    @Test func dataOnDiskOutlivesTheCache() async throws {
        let lab = try await DiskLab()
        await DataCache(maxAge: 300, store: lab.cache, clock: lab.clock).set(Data("1".utf8), for: "items")
        let later = DataCache(
            maxAge: 300, store: DiskCache(directory: lab.directory.url, clock: lab.clock), clock: lab.clock)
        #expect(await later.get("items") == Data("1".utf8))
        lab.clock.advance(by: 301)
        #expect(await (later.get("items"), later.item(for: "items")?.data) == (nil, Data("1".utf8)))
    }

    /// A caller reads the first byte as `data[0]`.
    @Test func indicesOfAnItemBeginAtZero() async {
        let cache = DataCache()
        await cache.set(Data([7, 8]), for: "a")
        #expect(await (cache.get("a")?.startIndex, cache.item(for: "a")?.data.startIndex) == (0, 0))
    }
}
