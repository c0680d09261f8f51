import NetCache
import TestLab
import Testing

@Suite("NetworkCache") struct NetworkCacheTests {
    private let cache: NetworkCache
    init() { cache = NetworkCache(clock: clock) }
    private let clock = HandClock()
    private func url(_ name: String) throws -> URL { try #require(URL(string: "https://example.com/\(name)")) }

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

    @Test func removesOneExpiredOrAll() throws {
        cache.setResponse(Data([1]), for: try url("a"), expireTime: clock.now.addingTimeInterval(1))
        cache.setResponse(Data([2]), for: try url("b"), expireTime: clock.now.addingTimeInterval(5))
        cache.setResponse(Data([3]), for: try url("c"), expireTime: nil)
        clock.advance(by: 3)
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
