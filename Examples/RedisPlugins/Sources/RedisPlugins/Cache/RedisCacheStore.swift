internal import NIOCore
public import NetCache
public import NetCore

/// Keeps the responses of an HTTP cache in Redis, so that a fleet of servers shares them: what one has fetched, the others need not.
///
/// ```swift
/// var rules = CacheRules()
/// rules.kind = .shared
/// let store = RedisCacheStore(RedisClient(.tcp(host: "cache.internal")))
/// let client = NetworkClient(cache: ResponseCache(store: store, rules: rules))
/// ```
///
/// In Redis there is a hash for each URL, with a field for each response: its head. Each body is a string under a name that is never
/// used twice, so no head can ever be given with another response's body. Each change is one script, which Redis runs as a whole.
/// Everything has a time to live, so nothing is left that nobody asks for; give Redis a `maxmemory` and the policy `allkeys-lru`
/// besides, and it gives up what is least used. The store holds out against losing any of its keys at any time.
///
/// Bodies are read and written in one piece: it is for responses of some kilobytes, not for films. All users of a URL are in one hash, so
/// it is for caches of the kind ``NetCache/CacheRules/Kind-swift.enum/shared``, where these are few. What is stored is in clear text.
public struct RedisCacheStore: HTTPCacheStore {
    private let redis: RedisClient
    private let prefix: String
    private let maximumBodySize: Int
    private let timeToLive: RESPCommand.Word

    /// A store. Two with the same server and prefix hold the same.
    ///
    /// - Parameters:
    ///   - redis: reaches the server.
    ///   - prefix: what the names of all keys begin with.
    ///   - maximumBodySize: the most bytes of one body; a larger one is not stored. 4 MiB unless given.
    ///   - timeToLive: for how many seconds something stays that is not refreshed; a day unless given. It has nothing to do with how long
    ///     a response is fresh: a stale one can be validated.
    public init(
        _ redis: RedisClient, prefix: String = "http-cache:", maximumBodySize: Int = 4 << 20, timeToLive: Int = 86_400
    ) {
        self.redis = redis
        self.prefix = prefix
        self.maximumBodySize = max(0, maximumBodySize)
        // Redis refuses what is no positive number of milliseconds in 64 bits.
        self.timeToLive = "\(min(max(timeToLive, 1), 1 << 31))"
    }

    /// The responses stored under a key, the newest first.
    public func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] {
        let fields = try await redis.send(["HGETALL", heads(key.url)]).elements ?? []
        let decoder = JSONDecoder()
        return stride(from: 0, to: fields.count - 1, by: 2)
            .filter { fields[$0].text?.hasPrefix(Self.owner(key)) ?? false }
            .compactMap { fields[$0 + 1].buffer.flatMap { StoredHead($0, decoder) }?.entry }
            .sorted { $0.responseTime > $1.responseTime }
    }

    /// The body of a stored response; nil if it is gone.
    public func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws -> HTTPBody? {
        try await run(RedisScript.body, on: key.url, field(entry, key)).buffer.map {
            HTTPBody(Data($0.readableBytesView))
        }
    }

    /// Begins to store a response; nil for one that is too large.
    public func beginStoring(
        _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?
    ) async throws -> (any HTTPCacheWriter)? {
        guard length ?? 0 <= maximumBodySize else { return nil }
        return RedisCacheWriter(limit: maximumBodySize) { body in try await store(entry, body, for: key) }
    }

    /// Replaces the head of a stored response, and gives it another time to live.
    public func update(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
        let json = RESPCommand.Word(ByteBuffer(bytes: try JSONEncoder().encode(entry)))
        _ = try await run(RedisScript.update, on: key.url, field(entry, key), json, timeToLive)
    }

    /// Removes one response.
    public func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
        _ = try await run(RedisScript.remove, on: key.url, field(entry, key))
    }

    /// Removes all responses for one URL, whosever they are, for the whole fleet.
    public func removeAll(url: String) async throws {
        _ = try await run(RedisScript.removeAll, on: url)
    }

    /// Removes all that is stored under the prefix, for the whole fleet. It walks through all keys of the server, a few at a time.
    public func removeAll() async throws {
        let pattern = prefix.reduce(into: "") { $0 += ("*?[]\\^".contains($1) ? "\\" : "") + String($1) } + "*"
        var cursor = "0"
        repeat {
            let page = try await redis.send(["SCAN", .init(cursor), "MATCH", .init(pattern), "COUNT", "500"]).elements
            cursor = page?.first?.text ?? "0"
            for key in page?.last?.elements ?? [] {
                if let name = key.buffer { _ = try await redis.send(["UNLINK", .init(name)]) }
            }
        } while cursor != "0"
    }

    private func store(_ entry: HTTPCacheEntry, _ body: ByteBuffer, for key: HTTPCacheKey) async throws {
        let head = StoredHead(token: UUID().uuidString, entry: entry)
        // The body first: a head without one is a miss, but a body without a head would be none to anybody until its time is over.
        _ = try await redis.send(["SET", .init(bodies + head.token), .init(body), "EX", timeToLive])
        _ = try await run(RedisScript.commit, on: key.url, field(entry, key), .init(try head.encoded()), timeToLive)
    }

    // MARK: Names

    private var bodies: String { prefix + "body:" }

    private func heads(_ url: String) -> RESPCommand.Word { .init(prefix + "url:" + url) }

    /// With the owner's length before it, so that none is the beginning of another.
    private static func owner(_ key: HTTPCacheKey) -> String { "\(key.owner.utf8.count):\(key.owner):" }

    private func field(_ entry: HTTPCacheEntry, _ key: HTTPCacheKey) -> RESPCommand.Word {
        .init(Self.owner(key) + entry.id)
    }

    private func run(
        _ script: String, on url: String, _ arguments: RESPCommand.Word...
    ) async throws -> RESPValue {
        try await redis.send(RESPCommand(["EVAL", .init(script), "1", heads(url), .init(bodies)] + arguments))
    }
}

/// The head of a response as it stands in Redis: the name of its body, which the scripts read too, and behind it the entry.
private struct StoredHead {
    let token: String
    let entry: HTTPCacheEntry

    init(token: String, entry: HTTPCacheEntry) {
        self.token = token
        self.entry = entry
    }

    /// Nil for what is no head: somebody else has written to Redis.
    init?(_ buffer: ByteBuffer, _ decoder: JSONDecoder) {
        var buffer = buffer
        guard let token = buffer.readString(length: RedisScript.tokenLength),
            let entry = try? decoder.decode(HTTPCacheEntry.self, from: Data(buffer.readableBytesView))
        else { return nil }
        self.init(token: token, entry: entry)
    }

    func encoded() throws -> ByteBuffer {
        ByteBuffer(bytes: Data(token.utf8) + (try JSONEncoder().encode(entry)))
    }
}
