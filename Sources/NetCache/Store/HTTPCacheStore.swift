public import NetCore

/// Stores whole responses for an HTTP cache: in memory, on disk, in another process or on another machine.
///
/// The store keeps bytes. ``ResponseCache`` decides what may be stored or used, and when. One key may have several responses, one
/// for each variant that `Vary` tells apart (RFC 9111, section 4.1).
///
/// A store may lose an entry at any time. It must never return a body other than the one that was committed. An error it throws costs a hit or an
/// entry, never the request. Requests wait for the store, so one that asks over a network needs a short timeout of its own.
///
/// A store that several processes share should have generations: see ``generation(of:)``. Without them, a response on its way in one process may be
/// stored after another process invalidated its URL. Within one process ``ResponseCache`` prevents that itself.
public protocol HTTPCacheStore: ProtocolDefaults.HTTPCacheStoreMembers {
    /// Returns the responses stored under a key, the newest first.
    func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry]

    /// Returns all responses stored under a key, the newest first. The default calls ``entries(for:)``.
    ///
    /// A store over other stores may leave some out of ``entries(for:)``. The cache removes what a new response replaces by this list.
    func allEntries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry]

    /// Returns the body of a stored response, or nil if the entry is gone. Counts as a use of it in stores that evict the least recently used.
    func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws -> HTTPBody?

    /// Starts to store a response. The response becomes readable at the writer's commit, and replaces an entry with the same ``HTTPCacheEntry/id``.
    ///
    /// In a store with generations, the commit throws `CancellationError` and stores nothing if the URL has another generation by
    /// then. Comparing and committing must be one atomic step.
    ///
    /// - Parameters:
    ///   - entry: the response without its body.
    ///   - key: the URL and the owner of the response.
    ///   - length: the body's length in bytes, or nil if it is unknown.
    ///   - generation: the result of ``generation(of:)`` before the request was sent; nil for the current generation.
    /// - Returns: nil if the store refuses the response, for instance because it is too large.
    func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?, since generation: HTTPCacheEntry.Generation?
    ) async throws -> (any HTTPCacheEntry.Writer)?

    /// Replaces the head of a stored response after a validation, and keeps the body (RFC 9111, section 4.3.4). Does nothing if
    /// the stored head is no longer the one that was validated, or the URL has another generation.
    ///
    /// Comparing and replacing must be one atomic step. Otherwise an update could bring back a response that was removed meanwhile.
    ///
    /// - Parameters:
    ///   - entry: the new head.
    ///   - key: the URL and the owner of the response.
    ///   - old: the head that was read before the validation. It is the stored one if the ``HTTPCacheEntry/id`` and both times are equal.
    ///   - generation: the result of ``generation(of:)`` before the validation; nil for any generation.
    /// - Returns: whether the store replaced the head.
    func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheEntry.Generation?
    ) async throws -> Bool

    /// Removes one response. Does nothing if the store does not have it.
    func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws

    /// Returns the key that separates users in a store that outlives the process or serves several processes: see ``CacheIdentityKey``.
    ///
    /// The default is nil, for a store in memory. Responses with an owner are then found by this process only.
    ///
    /// - Throws: an error if the key cannot be read. Nothing is stored then.
    func identityKey() throws -> CacheIdentityKey?

    /// Removes all responses to requests for one URL, of all owners. They must not come back, not even after a power failure. The
    /// response to an unsafe request waits for this method.
    ///
    /// - Throws: an error if a response may still be stored. ``ResponseCache`` ignores it in this process, and says so in `Cache-Status` and the log.
    func removeAll(url: String) async throws

    /// Removes all responses.
    func removeAll() async throws

    /// Returns the generation of a URL: a value that changes with each ``removeAll(url:)`` of the URL, each ``removeAll()`` and
    /// each ``advanceGeneration(of:)``, in any process. It may change more often, which costs an entry.
    ///
    /// ``ResponseCache`` reads it before it sends a request, and passes it back when it stores or updates. The default is nil: no generations.
    func generation(of url: String) async throws -> HTTPCacheEntry.Generation?

    /// Changes the generation of a URL, so that no response to an earlier request is stored: a newer response may not be stored. The
    /// default does nothing.
    func advanceGeneration(of url: String) async throws

    /// Records that a response was used without its body, for a 304 or HEAD. For stores that evict the least recently used. The default does nothing.
    func recordUse(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async
}

extension HTTPCacheEntry {
    /// Receives the body of a response that is being stored. A writer that is released without a commit stores nothing.
    public protocol Writer: Sendable {
        /// Appends bytes. Calls do not overlap.
        func write(_ chunk: Data) async throws

        /// Makes the whole response readable at once.
        func commit() async throws

        /// Discards the bytes.
        func abort() async
    }

    /// A point in the history of one URL in a store, which ends with an invalidation: see ``HTTPCacheStore/generation(of:)``.
    public struct Generation: Hashable, Sendable {
        /// The text of the generation. Only the store that made it can interpret it.
        public let text: String

        /// Creates a generation. Two generations of one URL are equal if and only if nothing was invalidated between them.
        public init(_ text: String) { self.text = text }
    }
}

extension HTTPCacheStore {
    public func allEntries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] { try await entries(for: key) }
    public func advanceGeneration(of url: String) async throws {}
}

/// The generations of all URLs in a store of one process, in constant memory. A URL has two counters. It shares one of them with some other URLs,
/// and both with hardly any: that costs an entry.
struct GenerationTable: Sendable {
    private var ofAll: UInt64 = 0
    private static let size: UInt = 1024
    private var ofURLs = [UInt32](repeating: 0, count: 2 * Int(size))

    private func indices(of url: String) -> (Int, Int) {
        let hash = UInt(bitPattern: url.hashValue)
        return (Int(hash % Self.size), Int(Self.size + hash / Self.size % Self.size))
    }

    func generation(of url: String) -> HTTPCacheEntry.Generation {
        let (first, second) = indices(of: url)
        return HTTPCacheEntry.Generation("\(ofAll)-\(ofURLs[first])-\(ofURLs[second])")
    }

    /// Whether nothing was invalidated since; true for nil. An invalidation of the URL itself changes both counters.
    func isCurrent(_ generation: HTTPCacheEntry.Generation?, for url: String) -> Bool {
        guard let text = generation?.text else { return true }
        let (first, second) = indices(of: url)
        return text.hasPrefix("\(ofAll)-")
            && (text.hasPrefix("\(ofAll)-\(ofURLs[first])-") || text.hasSuffix("-\(ofURLs[second])"))
    }

    mutating func advance(_ url: String) {
        let (first, second) = indices(of: url)
        ofURLs[first] &+= 1
        ofURLs[second] &+= 1
    }

    mutating func advanceAll() { ofAll &+= 1 }
}

/// Stores response bodies by URL for ``CachePolicyInterceptor``.
///
/// Implement it for a database or a file system of your own. Requests wait for the methods, which may be called from any thread,
/// so they must be quick. A failing cache stays silent: the request goes to the network.
///
/// Treat the URLs as keys, and compare them whole. Their fragment may name an owner or a variant of the response: see ``CachePolicyInterceptor``.
public protocol ResponseCaching: ProtocolDefaults.CacheIdentityMembers {
    /// Stores bytes in place of the bytes stored for that URL.
    ///
    /// - Parameters:
    ///   - data: the body.
    ///   - url: the key.
    ///   - expireTime: the time until which ``getResponse(for:)`` may return the bytes; nil for no limit. If it has passed, the
    ///     bytes stored for that URL are removed, and nothing is stored.
    func setResponse(_ data: Data, for url: URL, expireTime: Date?)

    /// Returns the bytes stored for that URL, or nil if there are none or they have expired.
    func getResponse(for url: URL) -> Data?

    /// Returns the key that separates users in a cache that outlives the process or serves several processes: see ``CacheIdentityKey``.
    ///
    /// The default is nil, for a cache in memory. Responses with an owner are then found by this process only.
    ///
    /// - Throws: an error if the key cannot be read. Nothing is stored then.
    func identityKey() throws -> CacheIdentityKey?

    /// Removes everything.
    func clear()
}
