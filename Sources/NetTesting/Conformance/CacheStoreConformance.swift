public import NetCache
import NetCore

/// The conformance suite of ``HTTPCacheStore``, for ours and for yours.
///
/// ```swift
/// @Test(arguments: CacheStoreConformance.checks)
/// func conforms(_ check: CacheStoreConformance.Check) async throws {
///     try await CacheStoreConformance { NetworkCache() }.run(check)      // throws a ConformanceFailure
/// }
/// ```
///
/// A store may lose an entry at any time, but here it must have room for a few megabytes. The suite cannot test what survives when the
/// process is killed.
public struct CacheStoreConformance: Sendable {
    /// A requirement on a store.
    public struct Check: Sendable, CustomStringConvertible {
        /// The requirement in a few words.
        public let name: String
        let run: @Sendable (CacheStoreFixture) async throws -> Void

        init(_ name: String, _ run: @escaping @Sendable (CacheStoreFixture) async throws -> Void) {
            self.name = name
            self.run = run
        }

        public var description: String { name }
    }

    /// All checks.
    public static let checks: [Check] = contentChecks + writerChecks + removalChecks + sharingChecks + generationChecks

    private let makeStore: @Sendable () async throws -> any HTTPCacheStore

    /// - Parameter makeStore: makes an empty store with room for 16 MB and 200 entries. It is called once for each check.
    public init(makeStore: @escaping @Sendable () async throws -> any HTTPCacheStore) { self.makeStore = makeStore }

    /// Runs one check.
    ///
    /// - Throws: ``ConformanceFailure`` if the store does not meet the requirement.
    public func run(_ check: Check) async throws {
        try await ConformanceFailure.naming(check) {
            try await check.run(CacheStoreFixture(store: try await makeStore()))
        }
    }

    /// Runs all checks, one after the other. Returns a line for each: `passed` or `FAILED`.
    public func report() async -> [String] {
        await ConformanceFailure.report(Self.checks) { check in
            try await run(check)
            return .passed
        }
    }
}

/// The store and the expectations of a check.
struct CacheStoreFixture: Sendable {
    let store: any HTTPCacheStore

    let key = HTTPCacheKey(url: "https://a.example/x")

    /// Returns an entry. Its times are whole milliseconds, the precision that a store must keep.
    func entry(_ id: String, variant: String = "", seconds: Double = 0) -> HTTPCacheEntry {
        let time = Date(timeIntervalSince1970: 1_700_000_000 + seconds)
        return HTTPCacheEntry(
            id: id, status: 200,
            headers: ["Content-Type": "text/plain", "ETag": "\"\(id)\"", "Vary": "Accept-Language"],
            responseURL: URL(string: "https://a.example/x"), requestHeaders: ["Accept-Language": variant],
            requestTime: time, responseTime: time.addingTimeInterval(0.25))
    }

    func put(_ entry: HTTPCacheEntry, _ chunks: [Data], for key: HTTPCacheKey? = nil, length: Int64? = nil) async throws
    {
        let writer = try await begin(entry, for: key, length: length)
        for chunk in chunks { try await writer.write(chunk) }
        try await writer.commit()
    }

    func put(_ entry: HTTPCacheEntry, _ text: String, for key: HTTPCacheKey? = nil) async throws {
        try await put(entry, [Data(text.utf8)], for: key, length: Int64(text.utf8.count))
    }

    func begin(_ entry: HTTPCacheEntry, for key: HTTPCacheKey? = nil, length: Int64? = nil) async throws
        -> any HTTPCacheEntry.Writer
    {
        guard let writer = try await store.beginStoring(entry, for: key ?? self.key, length: length, since: nil) else {
            throw ConformanceFailure(
                "it does not take entry \(entry.id) of \(length.map(String.init) ?? "unknown") bytes")
        }
        return writer
    }

    func update(_ entry: HTTPCacheEntry, replacing old: HTTPCacheEntry) async throws {
        let isUpdated = try await store.update(entry, for: key, replacing: old, since: nil)
        try expect(isUpdated, equals: true, "whether the update of \(entry.id) replaced the head")
    }

    func ids(_ key: HTTPCacheKey? = nil) async throws -> [String] {
        try await store.entries(for: key ?? self.key).map(\.id)
    }

    /// Returns the body, or nil if it is gone.
    func body(_ entry: HTTPCacheEntry, for key: HTTPCacheKey? = nil) async throws -> Data? {
        try await store.body(of: entry, for: key ?? self.key)?.collect(upTo: .max)
    }

    func expectBody(_ expected: Data, of entry: HTTPCacheEntry, for key: HTTPCacheKey? = nil) async throws {
        let found = try await body(entry, for: key)
        guard found != expected else { return }
        let got = found.map { "\($0.count) others" } ?? "none"
        throw ConformanceFailure("the body of \(entry.id): expected \(expected.count) bytes, got \(got)")
    }

    func expect<Value: Equatable>(_ found: Value, equals expected: Value, _ what: String) throws {
        if found != expected { throw ConformanceFailure("\(what): expected \(expected), got \(found)") }
    }
}
