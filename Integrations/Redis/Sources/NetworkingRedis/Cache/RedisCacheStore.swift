public import NetCache
public import NetCore

/// Stores the responses of an HTTP cache in Redis, so that a fleet of servers shares them.
///
/// ```swift
/// let redis = RedisClient(.tcp(host: "cache.internal"))
/// let store = try RedisCacheStore(redis, key: secret)       // 32 random bytes, the same on all servers
/// let client = NetworkClient(cache: ResponseCache(store: store))
/// ```
///
/// - **Users stay apart.** URLs, users, variants and their IDs are in Redis only as HMAC-SHA-256 under keys derived from the secret. Heads and
///   bodies are encrypted and bound to their place by AES-256-GCM. A reader of Redis learns sizes, times and how often something is used. A
///   writer can delete responses, but not forge or swap them.
/// - **Redis may fail.** Then the cache misses, and requests go to their servers. Each change is one script, so a Redis that is killed at any
///   moment leaves no half response. After an error, nothing is stored that an unseen invalidation might concern.
/// - **Invalidation** by one server counts for all, also for responses that are on their way at that moment (``generation(of:)``). It is as
///   durable as Redis: a Redis that restores an old snapshot, or a replica that is promoted before it saw an invalidation, brings removed
///   responses back. Run the cache's Redis without snapshots and append-only file.
/// - **Space.** Everything has a time to live. Give Redis a `maxmemory` and the policy `allkeys-lru`, so that it removes the least recently used.
///   The store copes with the loss of any of its keys. Bodies are read and written whole, so it suits responses of up to some megabytes.
/// - **Redis Cluster.** All keys of a URL are in one slot.
public struct RedisCacheStore: HTTPCacheStore {
    private let redis: RedisClient
    private let secret: CacheSecret
    private let prefix: String
    private let maximumEntrySize: Int
    private let maximumVariants: String
    private let timeToLive: RedisCommand.Word

    /// The largest value of `maximumEntrySize`: 32 MiB.
    private static let entrySizeLimit = 32 << 20

    /// Creates a store. Stores with the same server, key and prefix share their responses.
    ///
    /// - Parameters:
    ///   - redis: the client.
    ///   - key: the secret of the fleet, at least 32 random bytes. With another key, nothing that is stored can be found or read.
    ///   - prefix: the start of all names in Redis.
    ///   - maximumEntrySize: the most bytes of a response, head and body. A larger one is not stored. The default is 4 MiB, the maximum 32 MiB.
    ///   - maximumVariants: the most responses of one user for one URL. Beyond that, the oldest one is removed.
    ///   - timeToLive: how long a response stays that is neither stored again nor validated, in seconds; a day by default. It is independent of
    ///     the response's freshness, since a stale response can be validated.
    /// - Throws: ``NetCore/NetworkError/unsupported(_:)`` for a key that is too short, or a prefix with a brace.
    public init(
        _ redis: RedisClient, key: Data, prefix: String = "http-cache:", maximumEntrySize: Int = 4 << 20,
        maximumVariants: Int = 64,
        timeToLive: TimeInterval = 86_400
    ) throws(NetworkError) {
        guard !prefix.contains(where: { "{}".contains($0) }) else {
            throw .unsupported(
                "The prefix of a RedisCacheStore must not contain braces, which select the slot of a Redis Cluster.")
        }
        self.redis = redis
        secret = try CacheSecret(key)
        self.prefix = prefix
        self.maximumEntrySize = min(max(0, maximumEntrySize), Self.entrySizeLimit)
        self.maximumVariants = "\(max(1, maximumVariants))"
        // Redis refuses zero, and what is not milliseconds in 64 bits.
        self.timeToLive = "\(timeToLive >= 1 ? Int(min(timeToLive, 1e9)) : 1)"
    }

    /// Returns the key for the identities of users, derived from the secret.
    public func identityKey() throws -> CacheIdentityKey? { secret.identities }

    public func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] {
        let place = locate(key)
        let fields = try await redis.run(CacheScripts.entries, keys: [place.state, place.heads]).elements ?? []
        return stride(from: 0, to: fields.count - 1, by: 2)
            .compactMap { entry(fields[$0 + 1].data, field: fields[$0].text ?? "", in: place) }
            .sorted { $0.responseTime > $1.responseTime }
    }

    public func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws -> HTTPBody? {
        let place = locate(key)
        let field = place.field(of: entry.id)
        let keys = [place.state, place.heads, place.body(field)]
        return try await redis.run(CacheScripts.body, keys: keys, [.init(field)]).data
            .flatMap { place.open($0, .body, field) }.map { HTTPBody($0) }
    }

    public func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?, since generation: HTTPCacheEntry.Generation?
    ) async throws -> (any HTTPCacheEntry.Writer)? {
        let head = StoredHead.encode(entry)
        let limit = maximumEntrySize - head.count
        guard limit >= 0, length ?? 0 <= limit else { return nil }
        let state: String
        if let generation { state = generation.text } else { state = try await self.state(of: locate(key)) }
        return RedisCacheWriter(limit: limit) { body in
            let place = locate(key)
            let field = place.field(of: entry.id)
            let reply = try await redis.run(
                CacheScripts.commit, keys: [place.state, place.heads, place.body(field)],
                [
                    .init(state), .init(field), try sealedHead(head, of: entry, field, in: place),
                    .init(try place.seal(body, .body, field)), timeToLive, .init(maximumVariants),
                ])
            guard reply == .integer(1) else { throw CancellationError() }
        }
    }

    public func update(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry,
        since generation: HTTPCacheEntry.Generation?
    ) async throws -> Bool {
        let times = [old.responseTime, old.requestTime].map { RedisCommand.Word(StoredHead.microseconds($0)) }
        let place = locate(key)
        let field = place.field(of: entry.id)
        let head = try sealedHead(StoredHead.encode(entry), of: entry, field, in: place)
        let reply = try await redis.run(
            CacheScripts.update, keys: [place.state, place.heads, place.body(field)],
            [.init(field), head, timeToLive] + times + [.init(generation?.text ?? "")])
        return reply == .integer(1)
    }

    public func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
        let place = locate(key)
        let field = place.field(of: entry.id)
        _ = try await redis.run(
            CacheScripts.remove, keys: [place.state, place.heads, place.body(field)], [.init(field)])
    }

    /// Removes all responses for one URL, of all users, for the whole fleet, at once. The space of those with a user is free when the user's
    /// next response is stored, or when their time to live ends.
    public func removeAll(url: String) async throws {
        try await change(CacheScripts.removeAll, url)
    }

    public func generation(of url: String) async throws -> HTTPCacheEntry.Generation? {
        HTTPCacheEntry.Generation(try await state(of: locate(HTTPCacheKey(url: url))))
    }

    public func advanceGeneration(of url: String) async throws {
        try await change(CacheScripts.advance, url)
    }

    /// Removes everything under the prefix, for the whole fleet. It walks through all keys of the server, or of each master of a cluster: do not
    /// call it often.
    public func removeAll() async throws {
        let pattern = prefix.reduce(into: "") { $0 += ("*?[]\\^".contains($1) ? "\\" : "") + String($1) } + "*"
        for master in try await redis.masters() {
            var cursor = "0"
            repeat {
                let scan = RedisCommand(["SCAN", .init(cursor), "MATCH", .init(pattern), "COUNT", "500"])
                let page = try await redis.send(scan, to: master).elements
                cursor = page?.first?.text ?? "0"
                let names = page?.last?.elements?.compactMap(\.data) ?? []
                for group in Dictionary(grouping: names, by: ClusterSlot.of).values {
                    let words = group.map { RedisCommand.Word($0) }
                    _ = try await redis.send(RedisCommand(["UNLINK"] + words, key: words.first))
                }
            } while cursor != "0"
        }
    }

    // MARK: Values

    private func locate(_ key: HTTPCacheKey) -> CachePlace { CachePlace(key, prefix: prefix, secret: secret) }

    /// A state that was never used before.
    private static func newState() -> String {
        "\(UUID())\(UUID())".filter { $0 != "-" }
    }

    private func state(of place: CachePlace) async throws -> String {
        let reply = try await redis.run(
            CacheScripts.generation, keys: [place.state], [.init(Self.newState()), timeToLive])
        guard let state = reply.text else { throw RedisError.refused("The state of a URL is not a string.") }
        return state
    }

    private func change(_ script: RedisScript, _ url: String) async throws {
        let place = locate(HTTPCacheKey(url: url))
        _ = try await redis.run(script, keys: [place.state, place.heads], [.init(Self.newState()), timeToLive])
    }

    /// A head with its times in front, which the scripts compare.
    private func sealedHead(
        _ head: Data, of entry: HTTPCacheEntry, _ field: String, in place: CachePlace
    ) throws -> RedisCommand.Word {
        let times = [entry.responseTime, entry.requestTime].map { StoredHead.microseconds($0) + " " }.joined()
        return .init(Data(times.utf8) + (try place.seal(head, .head, field)))
    }

    /// Nil for a value that this store did not write at that place.
    private func entry(_ value: Data?, field: String, in place: CachePlace) -> HTTPCacheEntry? {
        guard let value, let first = value.firstIndex(of: UInt8(ascii: " ")),
            let second = value[(first + 1)...].firstIndex(of: UInt8(ascii: " ")),
            let head = place.open(Data(value[(second + 1)...]), .head, field), let entry = StoredHead.decode(head),
            place.field(of: entry.id) == field
        else { return nil }
        return entry
    }
}
