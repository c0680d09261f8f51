public import NetCore

/// Where an HTTP cache keeps whole responses: memory, disk, another process or another machine.
///
/// A store keeps bytes and gives them back; what may be stored or used, and when, is ``ResponseCache``'s to say. For one key
/// there may be several responses: one for each variant that `Vary` tells apart (RFC 9111, section 4.1).
///
/// A store may lose an entry at any time, and must never give back another body than the one that was committed. What it
/// throws costs a hit or an entry, never the request. But requests wait for it: one that asks over a network has to give up
/// by itself, and soon.
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

    /// Replaces the head of a stored response, whose body stays: a validation has refreshed it (RFC 9111, section 4.3.4). Does
    /// nothing if there is no entry with that ``HTTPCacheEntry/id``.
    func update(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws

    /// Removes one response. Does nothing if it is not there.
    func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws

    /// The key under which the store keeps users apart, if it outlives the process or is shared by several: see ``CacheIdentityKey``.
    /// Nil, the default, for a store in memory: responses that belong to somebody are then found by this process only.
    ///
    /// - Throws: what makes the key unreadable: then nothing is stored.
    func identityKey() throws -> CacheIdentityKey?

    /// Removes all responses to the requests for one URL, whosever they are.
    func removeAll(url: String) async throws

    /// Removes all.
    func removeAll() async throws
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

/// Names the requests that one stored response, or its variants, can answer.
public struct HTTPCacheKey: Hashable, Sendable, Codable {
    /// The URL, normalised, without its fragment.
    public let url: String
    /// The text that keeps apart the responses of one URL that are for different users, or for different bodies of a request; empty
    /// for what is for all. It is a keyed digest or a number of the process: it holds no secret.
    public let owner: String

    /// A key.
    public init(url: String, owner: String = "") {
        self.url = url
        self.owner = owner
    }
}

/// A stored response without its body.
public struct HTTPCacheEntry: Hashable, Sendable, Codable {
    /// Names this response among those of its key: letters, digits and hyphens.
    public let id: String
    /// The status code.
    public var status: Int
    /// The header fields, as they were received or as a validation has merged them.
    public var headers: HTTPHeaders
    /// The URL that answered.
    public var responseURL: URL?
    /// The fields of the request that `Vary` names, and `Range` where the response is a part, with the values that the request
    /// had; a field that it did not have is not here. Of a field that may be secret, the value is a keyed digest.
    public var requestHeaders: HTTPHeaders
    /// When the request was sent.
    public var requestTime: Date
    /// When the response was received.
    public var responseTime: Date
    /// Until when the caller of the request said that it is fresh (``CachePolicy/expireTime``), whatever the header fields say;
    /// nil where they decide.
    public var expireTime: Date?

    /// An entry.
    public init(
        id: String, status: Int, headers: HTTPHeaders, responseURL: URL?, requestHeaders: HTTPHeaders,
        requestTime: Date, responseTime: Date, expireTime: Date? = nil
    ) {
        self.id = id
        self.status = status
        self.headers = headers
        self.responseURL = responseURL
        self.requestHeaders = requestHeaders
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.expireTime = expireTime
    }
}
