import TestLab
import Testing

@testable import NetCache

@Suite("Disk cache") struct DiskCacheTests {
    private let lab: DiskLab
    init() async throws { lab = try await DiskLab() }

    /// Around the limits of what stands in the head's file, is read at first, and is one piece.
    static let sizes = [
        0, 1, 4096, 12_000, 16 * 1024 - 400, 16 * 1024, 64 * 1024, 64 * 1024 + 1, 256 * 1024, 256 * 1024 + 1, 700_000,
    ]

    @Test(arguments: sizes) func storedBodyIsReadBack(size: Int) async throws {
        let body = DiskLab.bytes(size)
        try await lab.store(body, pieces: 5)
        let entry = try #require(try await lab.cache.entries().first)
        #expect(entry == DiskLab.entry() && Array(entry.headers) == Array(DiskLab.entry().headers))
        #expect(entry.responseURL == DiskLab.entry().responseURL)
        let stored = try #require(try await lab.cache.body(of: DiskLab.entry(), for: DiskLab.key))
        #expect(stored.length == Int64(size) && stored.isReplayable)
        let read = try await stored.collect(upTo: .max)
        #expect(read == body && read.startIndex == 0)
        #expect(try await stored.collect(upTo: .max) == body, "a second time")
        var revised = entry
        revised.headers["ETag"] = "\"2\""
        #expect(try await lab.cache.update(revised))
        #expect(try await (lab.cache.entries(), lab.body(of: revised)) == ([revised], body), "only the head changes")
    }

    @Test(arguments: [10, 200_000], [false, true])
    func uncommittedEntryIsInvisibleAndRefusedAfterAbort(size: Int, aborts: Bool) async throws {
        let writer = try await lab.cache.writer()
        try await writer.write(DiskLab.bytes(size))
        #expect(try await (lab.cache.entries(), lab.body()) == ([], nil))
        if aborts { await writer.abort() } else { try await lab.cache.removeAll() }
        await #expect(throws: CancellationError.self) { try await writer.commit() }
        #expect(try await (lab.cache.entries(), lab.files) == ([], []))
    }

    @Test func droppedWriterLeavesNoFile() async throws {
        var writer = try await lab.cache.beginStoring(DiskLab.entry(), for: DiskLab.key, length: nil, since: nil)
        try await writer?.write(DiskLab.bytes(200_000))
        #expect(lab.files.count == 1)
        writer = nil
        #expect(lab.files == [])
    }

    @Test func entriesOfAKeyAreListedNewestFirst() async throws {
        for (id, time) in [("one", 1.0), ("three", 3), ("two", 2)] {
            try await lab.store(Data(id.utf8), as: DiskLab.entry(id, at: time))
        }
        #expect(try await lab.cache.entries().map(\.id) == ["three", "two", "one"])
    }

    @Test func sameIDReplacesTheEntryAndItsBodyFile() async throws {
        for size in [200_000, 300_000, 10, 400_000] {
            try await lab.store(DiskLab.bytes(size, seed: UInt64(size)))
            #expect(try await lab.body() == DiskLab.bytes(size, seed: UInt64(size)))
            #expect(lab.files.count == (size > 64 * 1024 ? 2 : 1))
        }
    }

    /// The cache keeps an entry open between reading its head and its body.
    @Test(arguments: [10, 20_000, 200_000]) func keptLookupDoesNotOutliveItsEntry(size: Int) async throws {
        let other = DiskCache(directory: lab.directory.url, clock: lab.clock)
        let (old, new) = (DiskLab.bytes(size, seed: 1), DiskLab.bytes(size, seed: 2))
        try await lab.store(old)
        for _ in 0..<20 { #expect(try await lab.cache.entries().count == 1) }
        #expect(try await (lab.body(), lab.body(), lab.cache.entries().count) == (old, old, 1))
        try await lab.store(new)
        #expect(try await lab.body() == new, "another entry is in its place")
        #expect(try await lab.cache.entries().count == 1)
        #expect(try await lab.body(for: HTTPCacheKey(url: DiskLab.key.url, owner: "alice")) == nil)
        try await other.removeAll(url: DiskLab.key.url)
        #expect(try await lab.body() == nil, "another process has removed it")
    }

    @Test func storingWaitsForTheFolderLock() async throws {
        try await lab.store(Data("one".utf8))
        let folder = try #require(lab.files.first).deletingLastPathComponent()
        let lock = try DiskFile(folder.appendingPathComponent(DiskFolder.lockName).path, O_RDWR)
        #expect(lock.lock(.exclusive))
        async let stored: Void = lab.store(Data("two".utf8), as: DiskLab.entry("two"))
        try await Task.sleep(nanoseconds: 20_000_000)
        #expect(try await lab.cache.entries().count == 1)
        lock.unlock()
        try await stored
        #expect(try await lab.cache.entries().count == 2)
    }

    /// Folders of earlier versions stay readable.
    @Test func fileNamesAreDigests() {
        func digest(_ text: String, _ digits: Int) -> String { String(SHA256.hex(Data(text.utf8)).prefix(digits)) }
        for owner in ["", "alice"] {
            for kind in [DiskKey.Kind.response, .data] {
                let name = DiskName(DiskKey(kind: kind, url: "https://example.com/", owner: owner))
                let url = digest("https://example.com/", 24)
                let prefix = "\(url)-\(digest("\(kind.rawValue) \(owner)", 16))-"
                #expect(name.shard == url.prefix(3) && name.prefix == prefix)
                #expect(name.file(id: "1-a-1") == prefix + digest("1-a-1", 16))
                #expect(name.file(id: "").utf8.count == DiskName.length)
            }
        }
    }

    @Test func bodyBeingReadSurvivesItsRemoval() async throws {
        try await lab.store(DiskLab.bytes(700_000))
        let body = try #require(try await lab.cache.body(of: DiskLab.entry(), for: DiskLab.key))
        var iterator = body.makeAsyncIterator()
        var read = try await iterator.next() ?? Data()
        try await lab.cache.removeAll()
        #expect(lab.files == [])
        while let chunk = try await iterator.next() { read.append(chunk) }
        #expect(read == DiskLab.bytes(700_000))
    }

    @Test func filesAndFoldersArePrivateToTheUser() async throws {
        try await lab.store(DiskLab.bytes(200_000))
        lab.cache.setResponse(Data("x".utf8), for: try #require(URL(string: "a:b")), expireTime: nil)
        #expect(lab.files.count == 3)
        for file in lab.files {
            #expect(try (mode(file), mode(file.deletingLastPathComponent())) == (0o600, 0o700))
            #expect(!file.path.contains("example"))
        }
        #expect(try mode(lab.directory.url.appendingPathComponent("v1")) == 0o700)
    }

    private func mode(_ url: URL) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? NSNumber)?.intValue
    }

    /// In memory too.
    @Test func dataIsStoredByURLWithItsFragment() throws {
        let urls: [URL] = try ["a#partition=me", "a#partition=you", "a"].map {
            try #require(URL(string: "https://example.com/\($0)"))
        }
        for cache in [NetworkCache(clock: lab.clock), lab.cache] as [any ResponseCaching] {
            for size in [0, 10, 100_000] {
                cache.setResponse(DiskLab.bytes(size), for: urls[0], expireTime: nil)
                #expect(urls.map { cache.getResponse(for: $0) } == [DiskLab.bytes(size), nil, nil])
            }
            cache.clear()
            #expect(cache.getResponse(for: urls[0]) == nil)
        }
    }

    /// In memory too.
    @Test func dataExpiresAfterItsExpireTimeAndIfTheClockIsSetBack() throws {
        let url = try #require(URL(string: "https://example.com/a"))
        let memory = NetworkCache(clock: lab.clock)
        for cache in [memory, lab.cache] as [any ResponseCaching] {
            cache.setResponse(Data([1]), for: url, expireTime: lab.clock.now.addingTimeInterval(10))
            lab.clock.advance(by: 10)
            #expect(cache.getResponse(for: url) == Data([1]), "it is fresh at its expiry")
            lab.clock.advance(by: 0.01)
            #expect((cache.getResponse(for: url), memory.entryCount, lab.files) == (nil, 0, []))
            for time in [nil, Date.distantPast] { cache.setResponse(Data([2]), for: url, expireTime: time) }
            #expect((cache.getResponse(for: url), memory.byteCount) == (nil, 0), "a time in the past removes it")
            for (time, isLeft) in [(lab.clock.now.addingTimeInterval(10), false), (nil, true)] {
                cache.setResponse(Data([1]), for: url, expireTime: time)
                #expect(cache.getResponse(for: url) == Data([1]))
                lab.clock.advance(by: -100)
                #expect(cache.getResponse(for: url) == (isLeft ? Data([1]) : nil), "without a limit it does not matter")
            }
            cache.clear()
        }
    }

    @Test func dataAndResponsesOfOneURLAreSeparate() async throws {
        try await lab.store(Data("response".utf8))
        let url = try #require(URL(string: DiskLab.key.url))
        #expect(lab.cache.getResponse(for: url) == nil)
        lab.cache.setResponse(Data("data".utf8), for: url, expireTime: nil)
        #expect(try await (lab.cache.entries().count, lab.body()) == (1, Data("response".utf8)))
    }

    @Test func oldestFirstSortsEntriesByTimeAndBodiesLast() async throws {
        let other = HTTPCacheKey(url: DiskLab.key.url, owner: "alice")
        for number in 0..<6 { try await lab.store(Data([1]), as: DiskLab.entry("\(number)", at: TimeInterval(number))) }
        try await lab.store(DiskLab.bytes(100_000), as: DiskLab.entry("large", at: 6))
        try await lab.store(Data([1]), as: DiskLab.entry("other", at: 3), for: other)
        let name = DiskName(DiskKey(DiskLab.key))
        let names = lab.files.map(\.lastPathComponent).filter { $0.hasPrefix(name.urlPart) }
        #expect(names.count == 9)
        for _ in 0..<10 {
            let order = lab.cache.folder.oldestFirst(names.shuffled(), in: name.shard)
            let entries = ["0", "1", "2", "3", "4", "5", "large"].map { name.file(id: $0) }
            #expect(order.filter { entries.contains($0) } == entries)
            #expect(order.last?.hasSuffix(DiskName.bodySuffix) == true && Set(order) == Set(names))
        }
    }

    /// Reading the names of a folder that changes may leave one out.
    @Test func listingIsCertainIfTheFolderDidNotJustChange() async throws {
        let name = DiskName(DiskKey(DiskLab.key))
        #expect(lab.cache.folder.files(withPrefix: name.prefix, in: name.shard).areCertain)
        try await lab.store(Data([1]))
        #expect(!lab.cache.folder.files(withPrefix: name.prefix, in: name.shard).areCertain)
        let shard = lab.cache.folder.path + "/" + name.shard
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -1)], ofItemAtPath: shard)
        let files = lab.cache.folder.files(withPrefix: name.prefix, in: name.shard)
        #expect(files.areCertain && files.names == [name.file(id: "one")])
    }

    /// A response whose head alone was used stays open for its body, until it is removed or replaced.
    @Test func removalClosesTheKeptLookup() async throws {
        let (lookups, entry, key) = (lab.cache.folder.lookups, DiskLab.entry(), DiskKey(DiskLab.key))
        let removals: [() async throws -> Void] = [
            { try await lab.cache.removeAll() }, { try await lab.cache.removeAll(url: DiskLab.key.url) },
            { try await lab.cache.remove(entry, for: DiskLab.key) }, { try await lab.store(Data("new".utf8)) },
        ]
        for (number, remove) in removals.enumerated() {
            try await lab.store(Data("secret".utf8))
            #expect(try await lab.cache.entries() == [entry])
            try await remove()
            #expect(lookups.take(entry.id, key: key) == nil, "removal \(number)")
            try await lab.store(Data("other".utf8))
            _ = try await lab.cache.entries()
            #expect(lookups.take(entry.id, key: key) != nil)
        }
    }
}
