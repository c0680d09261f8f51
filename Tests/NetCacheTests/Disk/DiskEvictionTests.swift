import TestLab
import Testing

@testable import NetCache

@Suite("Disk cache: limits") struct DiskEvictionTests {
    private func key(_ number: Int) -> HTTPCacheKey { HTTPCacheKey(url: "https://example.com/\(number)") }

    /// The numbers whose entries are stored.
    private func left(in lab: DiskLab, of numbers: Range<Int>) async throws -> [Int] {
        var left: [Int] = []
        for number in numbers where try await lab.body(for: key(number)) != nil { left.append(number) }
        return left
    }

    private func fill(
        _ lab: DiskLab, _ numbers: Range<Int>, every step: TimeInterval = 1,
        with body: (Int) -> Data = { Data("\($0)".utf8) }
    ) async throws {
        for number in numbers {
            try await lab.store(body(number), for: key(number))
            lab.clock.advance(by: step)
        }
    }

    @Test func leastRecentlyUsedEntriesAreEvictedFirst() async throws {
        let lab = try await DiskLab(maxEntries: 10)
        try await fill(lab, 0..<10, every: 100)
        #expect(try await lab.body(for: key(0)) == Data("0".utf8))
        lab.clock.advance(by: 100)
        try await lab.store(Data("10".utf8), for: key(10))
        #expect(await lab.cache.trim().entryCount == 9)
        #expect(try await left(in: lab, of: 0..<11) == [0, 3, 4, 5, 6, 7, 8, 9, 10])
    }

    @Test func readsWithinAMinuteCountForEviction() async throws {
        let lab = try await DiskLab(maxEntries: 10)
        try await fill(lab, 0..<10)
        // Twice: the second one is not written to the file.
        for _ in 0..<2 {
            for number in [3, 0, 1] {
                #expect(try await lab.body(for: key(number)) != nil)
                lab.clock.advance(by: 1)
            }
        }
        await lab.cache.recordUse(of: DiskLab.entry(), for: key(2))
        lab.clock.advance(by: 1)
        try await fill(lab, 10..<15)
        await lab.cache.trim()
        let left = try await left(in: lab, of: 0..<15)
        // How many of the others are left depends on when the cache trimmed itself.
        #expect(left.filter { !(4...9).contains($0) } == [0, 1, 2, 3, 10, 11, 12, 13, 14] && left.count <= 10)
    }

    @Test func timeOfUseIsWrittenOnceAMinute() async throws {
        let lab = try await DiskLab()
        try await lab.store(Data("x".utf8))
        func used() throws -> Date? {
            try lab.files.first?.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
        }
        lab.clock.advance(by: 10)
        _ = try await lab.body()
        let first = try used()
        #expect(first == lab.clock.now)
        lab.clock.advance(by: 50)
        for _ in 0..<10 { _ = try await lab.body() }
        #expect(try used() == first)
        lab.clock.advance(by: 11)
        _ = try await lab.body()
        #expect(try used() == lab.clock.now)
    }

    @Test func hitInMemoryCountsAsUseOnDisk() async throws {
        let lab = try await DiskLab(maxEntries: 10)
        let tier = TieredCache(upper: NetworkCache(), lower: lab.cache)
        for number in 0..<10 {
            try await tier.put(Data([1]), for: key(number))
            lab.clock.advance(by: 100)
        }
        #expect(try await tier.body(of: DiskLab.entry(), for: key(0)) != nil)
        lab.clock.advance(by: 1)
        try await lab.store(Data("10".utf8), for: key(10))
        await lab.cache.trim()
        #expect(try await left(in: lab, of: 0..<2) == [0])
    }

    @Test func futureTimeOfUseCountsAsNow() async throws {
        let lab = try await DiskLab(maxAge: 1000)
        lab.clock.advance(by: 500_000)
        try await lab.store(Data("x".utf8))
        lab.clock.advance(by: -500_000)
        #expect(await lab.cache.trim().evictedCount == 0)
        lab.clock.advance(by: 1001)
        #expect(await lab.cache.trim().evictedCount == 1)
    }

    @Test func byteLimitIncludesBodyFiles() async throws {
        let lab = try await DiskLab(maxBytes: 1_000_000)
        try await fill(lab, 0..<12) { _ in DiskLab.bytes(100_000) }
        let summary = await lab.cache.trim()
        #expect(summary.byteCount <= 1_000_000 && summary.byteCount > 700_000)
        let sizes = try lab.files.map { try $0.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 }
        #expect(Int64(sizes.reduce(0, +)) == summary.byteCount)
        #expect(try await (lab.body(for: key(0)), lab.body(for: key(11))) == (nil, DiskLab.bytes(100_000)))
    }

    @Test func fullCacheTrimsItself() async throws {
        let lab = try await DiskLab(maxEntries: 20)
        try await fill(lab, 0..<200)
        _ = try await waitUntil("it has trimmed itself") { lab.files.count <= 24 ? true : nil }
    }

    @Test func unusedEntriesAreEvictedAfterMaxAge() async throws {
        let lab = try await DiskLab(maxAge: 1000)
        try await lab.store(Data("old".utf8), for: key(0))
        try await lab.store(DiskLab.bytes(100_000), for: key(1))
        lab.clock.advance(by: 900)
        _ = try await lab.body(for: key(1))
        #expect(await lab.cache.trim().evictedCount == 0)
        lab.clock.advance(by: 101)
        #expect(try await (lab.cache.trim().evictedCount, lab.body(for: key(0))) == (1, nil))
        #expect(try await lab.body(for: key(1)) != nil)
    }

    @Test func bodyLargerThanTheLimitIsNotStored() async throws {
        let lab = try await DiskLab(maxBytes: 100_000)
        #expect(try await lab.cache.beginStoring(DiskLab.entry(), for: DiskLab.key, length: 100_001, since: nil) == nil)
        // Of unknown length: seen when it is too much.
        await #expect(throws: (any Error).self) { try await lab.store(DiskLab.bytes(300_000), pieces: 30) }
        #expect(lab.files == [])
        let url = try #require(URL(string: "https://example.com/"))
        lab.cache.setResponse(Data([1]), for: url, expireTime: nil)
        lab.cache.setResponse(DiskLab.bytes(100_001), for: url, expireTime: nil)
        #expect(lab.cache.getResponse(for: url) == nil)
    }

    @Test(arguments: [0, -1]) func limitOfZeroStoresNothing(limit: Int) async throws {
        let lab = try await DiskLab(maxBytes: Int64(limit), maxEntries: limit)
        #expect(try await lab.cache.beginStoring(DiskLab.entry(), for: DiskLab.key, length: 1, since: nil) == nil)
        lab.cache.setResponse(Data([1]), for: try #require(URL(string: "a:b")), expireTime: nil)
        #expect(lab.files == [])
    }

    @Test func trimRemovesCrashLeftoversAndKeepsOpenWrites() async throws {
        let lab = try await DiskLab()
        try await lab.store(Data("whole".utf8))
        let shard = try #require(lab.files.first).deletingLastPathComponent()
        try DiskLab.bytes(100).write(to: shard.appendingPathComponent("1-0123456789abcdef.tmp"))
        let name = try #require(lab.files.first { $0.pathExtension == "" }).lastPathComponent
        try DiskLab.bytes(100).write(to: shard.appendingPathComponent("\(name).0123456789abcdef.body"))
        let writer = try await lab.cache.writer(of: DiskLab.entry("two"))
        try await writer.write(DiskLab.bytes(100_000))
        #expect(await (lab.files.count, lab.cache.trim().leftoverCount, lab.files.count) == (4, 2, 2))
        try await writer.commit()
        #expect(try await lab.body(of: DiskLab.entry("two")) == DiskLab.bytes(100_000))
        #expect(try await lab.body() == Data("whole".utf8))
    }
}
