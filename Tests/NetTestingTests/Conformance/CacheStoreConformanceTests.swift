import NetCache
import NetTesting
import TestLab
import Testing

/// Our own stores pass, and a store with a flaw does not.
struct CacheStoreConformanceTests {
    @Test(arguments: CacheStoreConformance.checks)
    func memory(_ check: CacheStoreConformance.Check) async throws {
        try await CacheStoreConformance { NetworkCache() }.run(check)
    }

    @Test(arguments: CacheStoreConformance.checks)
    func disk(_ check: CacheStoreConformance.Check) async throws {
        let directory = try TemporaryDirectory()
        try await CacheStoreConformance { DiskCache(directory: directory.url) }.run(check)
    }

    @Test(arguments: CacheStoreConformance.checks)
    func tiers(_ check: CacheStoreConformance.Check) async throws {
        let directory = try TemporaryDirectory()
        try await CacheStoreConformance {
            TieredCache(upper: NetworkCache(), lower: DiskCache(directory: directory.url))
        }.run(check)
    }

    @Test(arguments: FlawedStore.Flaw.allCases)
    func aFlawIsFound(_ flaw: FlawedStore.Flaw) async {
        let lines = await CacheStoreConformance { FlawedStore(flaw) }.report()
        #expect(lines.count == CacheStoreConformance.checks.count)
        let failed = lines.filter { $0.hasPrefix("FAILED") }
        #expect(!failed.isEmpty, "\(flaw)")
        #expect(failed.count < lines.count, "\(flaw): \(lines.joined(separator: "\n"))")
    }
}

/// A good store, but for one thing.
struct FlawedStore: HTTPCacheStore {
    enum Flaw: CaseIterable {
        case mixesOwners, oldestFirst, ignoresCase, forgetsUpdates, invents, keepsRemoved, removesOneOwner,
            removesLittle, cutsBodies, dropsDuplicates, showsEarly, keepsAborted
    }

    private let flaw: Flaw
    private let store: any HTTPCacheStore = NetworkCache()

    init(_ flaw: Flaw) { self.flaw = flaw }

    private func key(_ key: HTTPCacheKey) -> HTTPCacheKey {
        switch flaw {
        case .mixesOwners: HTTPCacheKey(url: key.url)
        case .ignoresCase: HTTPCacheKey(url: key.url.lowercased(), owner: key.owner)
        default: key
        }
    }

    func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] {
        let entries = try await store.entries(for: self.key(key))
        return flaw == .oldestFirst ? entries.reversed() : entries
    }

    func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws -> HTTPBody? {
        let body = try await store.body(of: entry, for: self.key(key))
        guard flaw == .cutsBodies, let data = try await body?.collect(upTo: .max) else { return body }
        return HTTPBody(Data(data.prefix(2_000_000)))
    }

    func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?
    ) async throws -> (any HTTPCacheWriter)? {
        var entry = entry
        if flaw == .dropsDuplicates { entry.headers = HTTPHeaders(entry.headers.dictionary) }
        let key = self.key(key)
        guard let writer = try await store.beginStoring(entry, for: key, length: length) else { return nil }
        if flaw == .showsEarly {
            let early = try await store.beginStoring(entry, for: key, length: nil)
            try await early?.commit()
        }
        return flaw == .keepsAborted ? Stubborn(writer: writer) : writer
    }

    func update(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
        switch flaw {
        case .forgetsUpdates: break
        case .invents: try await store.beginStoring(entry, for: key, length: 0)?.commit()
        default: try await store.update(entry, for: self.key(key))
        }
    }

    func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
        if flaw != .keepsRemoved { try await store.remove(entry, for: self.key(key)) }
    }

    func removeAll(url: String) async throws {
        guard flaw == .removesOneOwner else { return try await store.removeAll(url: url) }
        let key = HTTPCacheKey(url: url)
        for entry in try await store.entries(for: key) { try await store.remove(entry, for: key) }
    }

    func removeAll() async throws { if flaw != .removesLittle { try await store.removeAll() } }

    private struct Stubborn: HTTPCacheWriter {
        let writer: any HTTPCacheWriter
        func write(_ chunk: Data) async throws { try await writer.write(chunk) }
        func commit() async throws { try await writer.commit() }
        func abort() async { try? await writer.commit() }
    }
}
