public import NetCore

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
