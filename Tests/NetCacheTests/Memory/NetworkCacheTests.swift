import NetTesting
import TestLab
import Testing

@testable import NetCache

@Suite("NetworkCache") struct NetworkCacheTests {
    private let clock = TestClock()
    private let key = HTTPCacheKey(url: "https://example.com/a", owner: "me")
    private func url(_ name: String) throws -> URL { try #require(URL(string: "https://example.com/\(name)")) }

    private func entry(_ id: String, _ headers: HTTPHeaders = [:]) -> HTTPCacheEntry {
        HTTPCacheEntry(
            id: id, status: 200, headers: headers, responseURL: nil, requestHeaders: [:], requestTime: clock.now,
            responseTime: clock.now)
    }

    private func put(_ entry: HTTPCacheEntry, _ text: String, in cache: NetworkCache) async throws {
        try await cache.put(Data(text.utf8), as: entry, for: key, knowsLength: false, pieces: text.utf8.count)
    }

    private func text(_ id: String, in cache: NetworkCache) async throws -> String? {
        try await cache.data(of: entry(id), for: key).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func updatedAndReplacedEntriesAreListedFirstAndCountedOnce() async throws {
        let cache = NetworkCache(clock: clock)
        for id in ["1", "2"] { try await put(entry(id), "one", in: cache) }
        #expect(await (cache.entries(for: key).map(\.id), cache.byteCount) == (["2", "1"], 6))
        #expect(await cache.update(entry("1", ["A": "1"]), for: key, replacing: entry("1"), since: nil))
        #expect(await cache.entries(for: key).map(\.id) == ["1", "2"])
        try await put(entry("2"), "TWO", in: cache)
        #expect(try await (text("2", in: cache), cache.entryCount, cache.byteCount) == ("TWO", 2, 6))
        await cache.removeAll()
        #expect((cache.entryCount, cache.byteCount) == (0, 0))
    }

    @Test func bodyTooLargeIsRefusedAsSoonAsItIsKnown() async throws {
        let cache = NetworkCache(maxBytes: 4, clock: clock)
        #expect(await cache.beginStoring(entry("1"), for: key, length: 5, since: nil) == nil)
        #expect(await cache.beginStoring(entry("1"), for: key, length: .max, since: nil) == nil)
        let writer = try await cache.writer(of: entry("1"), for: key)
        try await writer.write(Data("abcd".utf8))
        await #expect(throws: NetworkError.responseTooLarge(limit: 4)) { try await writer.write(Data("e".utf8)) }
        await #expect(throws: CancellationError.self) { try await writer.commit() }
        #expect(cache.entryCount == 0)
        #expect(await NetworkCache(maxEntries: 0).beginStoring(entry("1"), for: key, length: 0, since: nil) == nil)
    }

    @Test func evictionRemovesHeadsWithTheirBodies() async throws {
        let cache = NetworkCache(maxBytes: 10, clock: clock)
        try await put(entry("1"), "12345", in: cache)
        try await put(entry("2"), "12345", in: cache)
        _ = try await text("1", in: cache)
        try await put(entry("3"), "12345", in: cache)
        #expect(await cache.entries(for: key).map(\.id) == ["3", "1"])
        cache.setResponse(Data(count: 10), for: try url("x"), expireTime: nil)
        #expect(await cache.entries(for: key).isEmpty, "both kinds are within one limit")
        #expect(cache.entryCount == 1)
    }

    @Test func purgeRemovesOnlyUselessEntries() async throws {
        let cache = NetworkCache(clock: clock, purgeInterval: 0)
        try await put(entry("fresh", ["Cache-Control": "max-age=100"]), "x", in: cache)
        try await put(entry("validated", ["ETag": "1"]), "x", in: cache)
        try await put(entry("graced", ["Cache-Control": "max-age=1, stale-if-error=7200"]), "x", in: cache)
        try await put(entry("spent", ["Cache-Control": "max-age=1"]), "x", in: cache)
        await clock.advance(by: 3600)
        cache.purgeExpired()
        #expect(cache.entryCount == 4, "within an hour they may still be of use")
        await clock.advance(by: 10)
        cache.purgeExpired()
        #expect(Set(await cache.entries(for: key).map(\.id)) == ["fresh", "validated", "graced"])
        await clock.advance(by: 7200)
        cache.purgeExpired()
        #expect(await (cache.entries(for: key).map(\.id), cache.entryCount) == (["validated"], 1))
    }

    @Test(arguments: [7200, TimeInterval.nan, .infinity])
    func staleIfErrorRuleDelaysThePurge(staleIfError: TimeInterval) async throws {
        let cache = NetworkCache(clock: clock, purgeInterval: 0)
        _ = ResponseCache(store: cache, rules: CacheRules { $0.staleIfError = staleIfError })
        _ = ResponseCache(store: cache)
        try await put(entry("spent", ["Cache-Control": "max-age=1"]), "x", in: cache)
        await clock.advance(by: 7200)
        cache.purgeExpired()
        #expect(cache.entryCount == (staleIfError.isNaN ? 0 : 1))
        await clock.advance(by: 10)
        cache.purgeExpired()
        #expect(cache.entryCount == (staleIfError == .infinity ? 1 : 0))
    }

    @Test func purgeTimerRunsWhileThereAreEntries() async throws {
        let cache = NetworkCache(clock: clock, purgeInterval: 30)
        let url = try url("x")
        #expect(clock.sleeperCount == 0)
        cache.setResponse(Data([1]), for: url, expireTime: clock.now.addingTimeInterval(40))
        cache.setResponse(Data([1]), for: url, expireTime: clock.now.addingTimeInterval(40))
        try await clock.waitForSleepers()
        #expect(clock.sleeperCount == 1)
        await clock.advance(by: 30)
        try await clock.waitForSleepers()
        #expect(cache.entryCount == 1)
        await clock.advance(by: 30)
        try await waitUntil("the entry is purged") { cache.entryCount == 0 ? () : nil }
        try await waitUntil("nothing is left to wait for") { clock.sleeperCount == 0 ? () : nil }
        #expect(clock.sleeps == [30, 30])
        cache.setResponse(Data([1]), for: url, expireTime: nil)
        try await clock.waitForSleepers()
    }

    @Test func releasedCacheCancelsItsPurgeTimer() async throws {
        var cache: NetworkCache? = NetworkCache(clock: clock)
        weak let weakCache = cache
        cache?.setResponse(Data([1]), for: try url("x"), expireTime: nil)
        try await clock.waitForSleepers()
        cache = nil
        #expect(weakCache == nil)
        try await waitUntil("nothing is left to wait for") { clock.sleeperCount == 0 ? () : nil }
    }

    @Test(arguments: [0, -1, .infinity, .nan] as [TimeInterval])
    func purgingCanBeTurnedOff(interval: TimeInterval) async throws {
        let cache = NetworkCache(clock: clock, purgeInterval: interval)
        cache.setResponse(Data([1]), for: try url("x"), expireTime: nil)
        for _ in 0..<100 { await Task.yield() }
        #expect(clock.sleeps.isEmpty)
    }

    @Test func memoryPressureEvictsEntries() async throws {
        let cache = NetworkCache(clock: clock)
        for id in 1...10 { try await put(entry("\(id)"), "x", in: cache) }
        _ = try await text("1", in: cache)
        cache.relieve(.warning)
        #expect(Set(await cache.entries(for: key).map(\.id)) == ["1", "7", "8", "9", "10"])
        cache.relieve(.critical)
        #expect(cache.entryCount == 0)
        #expect(await cache.entries(for: key).isEmpty)
    }

    @Test(arguments: [
        ("some avg10=0.00 avg60=50.00\nfull avg10=0.00 avg60=50.00\n", nil as MemoryPressure?),
        ("some avg10=20.00\nfull avg10=1.00", .warning), ("some avg10=90.00\nfull avg10=20.50", .critical),
        ("", nil), ("some\nfull avg10=x", nil), ("avg10=99", nil),
    ]) func memoryPressureIsReadFromStallInformation(text: String, pressure: MemoryPressure?) {
        #expect(MemoryPressure(stallInformation: text) == pressure)
    }

    @Test func leastRecentlyUsedIsEvictedFirst() throws {
        let cache = NetworkCache(maxEntries: 2, clock: clock)
        cache.setResponse(Data([1]), for: try url("a"), expireTime: nil)
        cache.setResponse(Data([2]), for: try url("b"), expireTime: nil)
        _ = cache.getResponse(for: try url("a"))
        cache.setResponse(Data([3]), for: try url("c"), expireTime: nil)
        #expect(try ["a", "b", "c"].map { cache.getResponse(for: try url($0)) } == [Data([1]), nil, Data([3])])
    }

    @Test func maxBytesIsEnforced() throws {
        let cache = NetworkCache(maxBytes: 10, clock: clock)
        cache.setResponse(Data(count: 6), for: try url("a"), expireTime: nil)
        cache.setResponse(Data(count: 6), for: try url("b"), expireTime: nil)
        #expect((cache.getResponse(for: try url("a")), cache.byteCount) == (nil, 6))
        cache.setResponse(Data(count: 11), for: try url("b"), expireTime: nil)
        #expect(cache.entryCount == 0, "too large to store, and the old one is out of date")
        cache.setResponse(Data(count: 10), for: try url("c"), expireTime: nil)
        #expect(cache.byteCount == 10)
    }

    @Test(arguments: [(0, 10), (-1, 10), (10, 0), (10, -1)])
    func limitOfZeroStoresNothing(bytes: Int, entries: Int) throws {
        let cache = NetworkCache(maxBytes: bytes, maxEntries: entries, clock: clock)
        cache.setResponse(Data([1]), for: try url("a"), expireTime: nil)
        #expect(cache.entryCount == 0)
    }

    @Test func removesOneExpiredOrAll() async throws {
        let cache = NetworkCache(clock: clock)
        cache.setResponse(Data([1]), for: try url("a"), expireTime: clock.now.addingTimeInterval(1))
        cache.setResponse(Data([2]), for: try url("b"), expireTime: clock.now.addingTimeInterval(5))
        cache.setResponse(Data([3]), for: try url("c"), expireTime: nil)
        await clock.advance(by: 3)
        cache.purgeExpired()
        #expect(cache.entryCount == 2)
        for name in ["c", "never stored"] { cache.removeResponse(for: try url(name)) }
        #expect(try (cache.entryCount, cache.getResponse(for: url("b"))) == (1, Data([2])))
        cache.clear()
        #expect((cache.entryCount, cache.byteCount) == (0, 0))
        cache.setResponse(Data([4]), for: try url("d"), expireTime: nil)
        #expect(cache.getResponse(for: try url("d")) == Data([4]))
    }

    @Test func storesACopyOfTheData() throws {
        let cache = NetworkCache()
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: 4, alignment: 1)
        defer { buffer.deallocate() }
        buffer.storeBytes(of: 0x0101_0101, as: UInt32.self)
        cache.setResponse(Data(bytesNoCopy: buffer, count: 4, deallocator: .none), for: try url("a"), expireTime: nil)
        buffer.storeBytes(of: 0x0202_0202, as: UInt32.self)
        #expect(cache.getResponse(for: try url("a")) == Data([1, 1, 1, 1]))
    }

    @Test func concurrentUseStaysWithinTheLimits() async throws {
        let cache = NetworkCache(maxBytes: 1000, maxEntries: 20, clock: clock)
        let urls = try (0..<40).map { try url("\($0)") }
        _ = try await atOnce(8) { task in
            for round in 0..<500 {
                let number = (task * 7 + round) % urls.count
                let data = Data(repeating: UInt8(number), count: number + 1)
                cache.setResponse(data, for: urls[number], expireTime: nil)
                if let read = cache.getResponse(for: urls[number]) { #expect(read == data) }
                if round % 100 == 0 { cache.purgeExpired() }
            }
        }
        #expect(cache.entryCount <= 20 && cache.byteCount <= 1000)
    }
}
