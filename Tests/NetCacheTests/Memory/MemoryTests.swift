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
        // A caller reads the first byte as `data[0]`.
        #expect(await (cache.get("items")?.startIndex, cache.item(for: "items")?.data.startIndex) == (0, 0))
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
}

@Suite("LRUStorage") struct LRUStorageTests {
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64]) func matchesAReferenceModel(seed: UInt64) throws {
        var random = SeededGenerator(state: seed &* 0x9E37_79B9_7F4A_7C15)
        var storage = LRUStorage<String, Int>(maxBytes: 100, maxEntries: 7)
        var model = PlainList(maxBytes: 100, maxEntries: 7)
        for step in 0..<3000 {
            let key = "k\(random.next(below: 12))"
            switch random.next(below: 20) {
            case 0..<9:
                let bytes = random.next(below: 60) * random.next(below: 3)
                let before = Set(model.entries.map(\.key))
                let removed = storage.set(bytes, bytes: bytes, for: key)
                model.set(bytes, for: key)
                let gone = before.subtracting(model.entries.map(\.key)).subtracting([key])
                try #require(Set(removed) == gone, "step \(step)")
            case 9..<16: try #require(storage.use(key) == model.use(key), "step \(step)")
            case 16..<19:
                storage.remove(key)
                model.entries.removeAll { $0.key == key }
            default:
                let length = random.next(below: 60)
                storage.removeAll { _, bytes in bytes > length }
                model.entries.removeAll { $0.bytes > length }
            }
            try #require(storage.count == model.entries.count, "step \(step)")
            try #require(storage.byteCount == model.byteCount, "step \(step)")
        }
    }

    @Test func trimmingLeavesTheMostRecentlyUsed() {
        var storage = LRUStorage<Int, Int>(maxBytes: 1000, maxEntries: 100)
        for key in 1...10 { storage.set(key, bytes: 10, for: key) }
        _ = storage.use(1)
        #expect((storage.trim(toBytes: 45, entries: 100), storage.byteCount) == ([2, 3, 4, 5, 6, 7], 40))
        #expect((storage.trim(toBytes: 1000, entries: 1), storage.use(1)) == ([8, 9, 10], 1))
        #expect((storage.trim(toBytes: -1, entries: -1), storage.count) == ([1], 0))
    }

    @Test func slotsAreReused() {
        var storage = LRUStorage<String, Int>(maxBytes: 1000, maxEntries: 3)
        for round in 0..<10_000 { storage.set(round, bytes: 1, for: "\(round)") }
        #expect((storage.count, storage.use("9997") != nil, storage.use("9996")) == (3, true, nil))
        let slots = Mirror(reflecting: storage).children.first { $0.label == "slots" }?.value as? [Any]
        #expect((slots?.count ?? .max) <= 3)
    }
}

private struct PlainList {
    let maxBytes, maxEntries: Int
    var entries: [(key: String, bytes: Int)] = []
    var byteCount: Int { entries.reduce(0) { $0 + $1.bytes } }

    mutating func use(_ key: String) -> Int? {
        guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
        entries.append(entries.remove(at: index))
        return entries.last?.bytes
    }

    mutating func set(_ bytes: Int, for key: String) {
        entries.removeAll { $0.key == key }
        guard bytes <= maxBytes else { return }
        entries.append((key, bytes))
        while byteCount > maxBytes || entries.count > maxEntries { entries.removeFirst() }
    }
}
