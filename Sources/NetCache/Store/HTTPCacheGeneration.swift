import NetCore

/// A point in the history of one URL in a store, which an invalidation ends: see ``HTTPCacheStore/generation(of:)``.
public struct HTTPCacheGeneration: Hashable, Sendable {
    /// The text that stands for it; only the store that made it can read it.
    public let text: String

    /// A generation. Two of one URL are equal if and only if nothing was invalidated in between.
    public init(_ text: String) {
        self.text = text
    }
}

extension HTTPCacheStore {
    /// Nil: a store without generations.
    public func generation(of url: String) async throws -> HTTPCacheGeneration? { nil }

    /// Does nothing: a store without generations.
    public func advanceGeneration(of url: String) async throws {}

    /// Does nothing.
    public func recordUse(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async {}

    /// Begins to store a response, whatever the generation.
    public func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?, since generation: HTTPCacheGeneration?
    ) async throws -> (any HTTPCacheWriter)? {
        try await beginStoring(entry, for: key, length: length)
    }

    /// Replaces the head of a stored response if ``entries(for:)`` has the old one.
    public func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheGeneration?
    ) async throws -> Bool {
        guard try await entries(for: key).contains(where: { $0.isSameHead(as: old) }) else { return false }
        try await update(entry, for: key)
        return true
    }
}

extension HTTPCacheEntry {
    /// Whether both are the same response as one validation left it. A store may keep times to the millisecond only.
    func isSameHead(as other: HTTPCacheEntry) -> Bool {
        id == other.id && abs(responseTime.timeIntervalSince(other.responseTime)) < 0.001
            && abs(requestTime.timeIntervalSince(other.requestTime)) < 0.001
    }
}

/// The generations of all URLs in a store of one process, in constant memory: some URLs share one, which may cost an entry.
struct GenerationTable: Sendable {
    private var ofAll: UInt64 = 0
    private var ofURLs = [UInt64](repeating: 0, count: 1024)

    private func index(of url: String) -> Int {
        Int(UInt(bitPattern: url.hashValue) % UInt(ofURLs.count))
    }

    func generation(of url: String) -> HTTPCacheGeneration {
        HTTPCacheGeneration("\(ofAll)-\(ofURLs[index(of: url)])")
    }

    mutating func advance(_ url: String) { ofURLs[index(of: url)] &+= 1 }
    mutating func advanceAll() { ofAll &+= 1 }
}
