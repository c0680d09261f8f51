public import NetCore

/// Where an HTTP cache keeps whole responses: memory, disk, another process or another machine.
///
/// A store keeps bytes and gives them back; what may be stored or used, and when, is ``ResponseCache``'s to say. For one key
/// there may be several responses: one for each variant that `Vary` tells apart (RFC 9111, section 4.1).
///
/// A store may lose an entry at any time, and must never give back another body than the one that was committed. What it
/// throws costs a hit or an entry, never the request. But requests wait for it: one that asks over a network has to give up
/// by itself, and soon.
///
/// A store that several processes share should have generations: see ``generation(of:)``. Without them, a response that was on its way
/// in one process while another one invalidated its URL may be stored. Within one process ``ResponseCache`` prevents that by itself.
public protocol HTTPCacheStore: Sendable {
    /// The responses stored under a key, the newest first; none if there are none.
    func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry]

    /// The body of a stored response; nil if the entry is gone.
    ///
    /// Counts as a use of the entry, for those stores that give up the least recently used.
    func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws -> HTTPBody?

    /// Begins to store a response. Nothing can be read of it before the writer's commit, which also puts it in place of an
    /// entry with the same ``HTTPCacheEntry/id``.
    ///
    /// - Parameters:
    ///   - entry: the response without its body.
    ///   - key: what it answers, and to whom.
    ///   - length: the body's length in bytes, if it is known.
    /// - Returns: nil if the store does not take it, for instance because it is too large.
    func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?
    ) async throws -> (any HTTPCacheWriter)?

    /// Begins to store a response to a request that was sent when the store had this generation.
    ///
    /// The writer's commit throws `CancellationError`, and stores nothing, if the URL has another generation by then. Comparing and
    /// committing are one step: no invalidation falls in between. The default ignores the generation.
    ///
    /// - Parameters:
    ///   - entry: the response without its body.
    ///   - key: what it answers, and to whom.
    ///   - length: the body's length in bytes, if it is known.
    ///   - generation: what ``generation(of:)`` returned before the request was sent; nil for the generation of this moment.
    /// - Returns: nil if the store does not take it.
    func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?, since generation: HTTPCacheGeneration?
    ) async throws -> (any HTTPCacheWriter)?

    /// Replaces the head of a stored response, whose body stays: a validation has refreshed it (RFC 9111, section 4.3.4). Does
    /// nothing if there is no entry with that ``HTTPCacheEntry/id``.
    func update(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws

    /// Replaces the head of a stored response if it is still the one that was validated, and the URL still has its generation.
    ///
    /// Comparing and replacing are one step, so that an update never brings back a response that was removed meanwhile. The default
    /// looks for the old head, and then calls ``update(_:for:)``: two steps, which is enough for a store of one process.
    ///
    /// - Parameters:
    ///   - entry: the new head.
    ///   - key: what it answers, and to whom.
    ///   - old: the head that was looked up before the server was asked.
    ///   - generation: what ``generation(of:)`` returned before the server was asked; nil for any.
    /// - Returns: whether the new head is stored.
    func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheGeneration?
    ) async throws -> Bool

    /// Removes one response. Does nothing if it is not there.
    func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws

    /// The key under which the store keeps users apart, if it outlives the process or is shared by several: see ``CacheIdentityKey``.
    /// Nil, the default, for a store in memory: responses that belong to somebody are then found by this process only.
    ///
    /// - Throws: what makes the key unreadable: then nothing is stored.
    func identityKey() throws -> CacheIdentityKey?

    /// Removes all responses to the requests for one URL, whosever they are. They must not come back, not even after a power
    /// failure: the response to an unsafe request waits for it.
    ///
    /// - Throws: if any may still be there. ``ResponseCache`` then ignores them in this process, and says so in `Cache-Status` and
    ///   the log.
    func removeAll(url: String) async throws

    /// Removes all.
    func removeAll() async throws

    /// The generation of a URL: a value that changes with each ``removeAll(url:)`` of that URL, ``removeAll()`` and
    /// ``advanceGeneration(of:)``, in whichever process. It may change more often, which costs an entry.
    ///
    /// ``ResponseCache`` takes it before it sends a request, and hands it back when it stores or updates. Nil, the default, for a store
    /// without generations.
    func generation(of url: String) async throws -> HTTPCacheGeneration?

    /// Changes the generation of a URL, so that no response to a request sent before is stored: a newer one came that may not be
    /// stored. Does nothing by default.
    func advanceGeneration(of url: String) async throws

    /// Notes that a stored response was used without its body: a 304 or the answer to a HEAD was made of it. For stores that give up
    /// the least recently used; does nothing by default.
    func recordUse(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async
}

extension HTTPCacheStore {
    /// Nil: a store in memory.
    public func identityKey() throws -> CacheIdentityKey? { nil }
}

/// Takes the body of a response that is being stored. A writer that is dropped without a commit stores nothing.
public protocol HTTPCacheWriter: Sendable {
    /// Adds bytes at the end. Called by one at a time.
    func write(_ chunk: Data) async throws

    /// Makes the response readable, all of it at once.
    func commit() async throws

    /// Forgets what was written.
    func abort() async
}

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

/// Where ``CachePolicyInterceptor`` keeps responses: the bytes of a body for each URL, and nothing else.
///
/// Implement it for a database or a file system of your own. The methods are called from any thread, on the path of a
/// request: be quick. A cache that cannot store or find something stays silent; the request goes to the network.
///
/// The URLs are keys more than addresses. Their fragment may name the owner of the response or a variant of it: see
/// ``CachePolicyInterceptor``. Compare them whole.
public protocol ResponseCaching: Sendable {
    /// Stores the bytes, in place of what was stored for that URL.
    ///
    /// - Parameters:
    ///   - data: the bytes.
    ///   - url: what they answer.
    ///   - expireTime: until when ``getResponse(for:)`` may give them; nil for no limit. With a time that has
    ///     passed, what was stored for that URL is removed, and nothing is stored.
    func setResponse(_ data: Data, for url: URL, expireTime: Date?)

    /// The bytes stored for that URL; nil if there are none, or if they have expired.
    func getResponse(for url: URL) -> Data?

    /// The key under which the cache keeps users apart, if it outlives the process or is shared by several: see ``CacheIdentityKey``. Nil,
    /// the default, for a cache in memory: responses that belong to somebody are then found by this process only.
    ///
    /// - Throws: what makes the key unreadable: then nothing is stored.
    func identityKey() throws -> CacheIdentityKey?

    /// Removes everything.
    func clear()
}

extension ResponseCaching {
    /// Nil: a cache in memory.
    public func identityKey() throws -> CacheIdentityKey? { nil }
}
