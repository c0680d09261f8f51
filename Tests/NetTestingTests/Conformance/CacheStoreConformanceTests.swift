import NetCache
import NetTesting
import TestLab
import Testing

/// Our own stores pass, and a store with a defect does not.
struct CacheStoreConformanceTests {
    enum Own: CaseIterable { case memory, disk, tiers }

    @Test(arguments: Own.allCases, CacheStoreConformance.checks)
    func ownStorePassesEachCheck(_ own: Own, _ check: CacheStoreConformance.Check) async throws {
        let directory = try TemporaryDirectory()
        try await CacheStoreConformance {
            switch own {
            case .memory: return NetworkCache()
            case .disk: return DiskCache(directory: directory.url)
            case .tiers: return TieredCache(upper: NetworkCache(), lower: DiskCache(directory: directory.url))
            }
        }.run(check)
    }

    @Test(arguments: DefectiveStore.Defect.allCases)
    func defectiveStoreFailsItsCheck(_ defect: DefectiveStore.Defect) async {
        let lines = await CacheStoreConformance { DefectiveStore(defect) }.report()
        #expect(lines.count == CacheStoreConformance.checks.count)
        let failed = lines.filter { $0.hasPrefix("FAILED") }
        #expect(!failed.isEmpty, "\(defect)")
        #expect(failed.count < lines.count, "\(defect): \(lines.joined(separator: "\n"))")
    }
}

/// A good store, but for one thing.
struct DefectiveStore: HTTPCacheStore {
    enum Defect: CaseIterable {
        case mixesOwners, oldestFirst, ignoresCase, forgetsUpdates, invents, keepsRemoved, removesOneOwner,
            removesLittle, cutsBodies, dropsDuplicates, showsEarly, keepsAborted
    }

    private let defect: Defect
    private let store: any HTTPCacheStore = NetworkCache()

    init(_ defect: Defect) { self.defect = defect }

    private func key(_ key: HTTPCacheKey) -> HTTPCacheKey {
        switch defect {
        case .mixesOwners: HTTPCacheKey(url: key.url)
        case .ignoresCase: HTTPCacheKey(url: key.url.lowercased(), owner: key.owner)
        default: key
        }
    }

    func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] {
        let entries = try await store.entries(for: self.key(key))
        return defect == .oldestFirst ? entries.reversed() : entries
    }

    func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws -> HTTPBody? {
        let body = try await store.body(of: entry, for: self.key(key))
        guard defect == .cutsBodies, let data = try await body?.collect(upTo: .max) else { return body }
        return HTTPBody(Data(data.prefix(2_000_000)))
    }

    func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?, since generation: HTTPCacheEntry.Generation?
    ) async throws -> (any HTTPCacheEntry.Writer)? {
        var entry = entry
        if defect == .dropsDuplicates { entry.headers = HTTPHeaders(entry.headers.dictionary) }
        let key = self.key(key)
        guard let writer = try await store.beginStoring(entry, for: key, length: length, since: nil) else { return nil }
        if defect == .showsEarly { try await store.beginStoring(entry, for: key, length: nil, since: nil)?.commit() }
        return defect == .keepsAborted ? Stubborn(writer: writer) : writer
    }

    func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheEntry.Generation?
    ) async throws -> Bool {
        switch defect {
        case .forgetsUpdates: return true
        case .invents:
            try await store.beginStoring(entry, for: key, length: 0, since: nil)?.commit()
            return true
        default: return try await store.update(entry, for: self.key(key), replacing: old, since: nil)
        }
    }

    func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
        if defect != .keepsRemoved { try await store.remove(entry, for: self.key(key)) }
    }

    func removeAll(url: String) async throws {
        guard defect == .removesOneOwner else { return try await store.removeAll(url: url) }
        let key = HTTPCacheKey(url: url)
        for entry in try await store.entries(for: key) { try await store.remove(entry, for: key) }
    }

    func removeAll() async throws { if defect != .removesLittle { try await store.removeAll() } }

    private struct Stubborn: HTTPCacheEntry.Writer {
        let writer: any HTTPCacheEntry.Writer
        func write(_ chunk: Data) async throws { try await writer.write(chunk) }
        func commit() async throws { try await writer.commit() }
        func abort() async { try? await writer.commit() }
    }
}
