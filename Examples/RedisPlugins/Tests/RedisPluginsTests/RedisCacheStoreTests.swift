import Foundation
import NetCache
import NetTesting
import Testing

@testable import RedisPlugins

struct RedisCacheStoreTests {
    @Test(arguments: CacheStoreConformance.checks)
    func conforms(_ check: CacheStoreConformance.Check) async throws {
        try await RedisServer.run { server in
            try await CacheStoreConformance {
                RedisCacheStore(RedisClient(server.address, timeout: RedisClientTests.patience))
            }.run(check)
        }
    }

    private let key = HTTPCacheKey(url: "https://origin.example/x")

    private func entry(_ id: String) -> HTTPCacheEntry {
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        return HTTPCacheEntry(
            id: id, status: 200, headers: [:], responseURL: nil, requestHeaders: [:], requestTime: time,
            responseTime: time)
    }

    private func put(_ entry: HTTPCacheEntry, _ text: String, in store: RedisCacheStore) async throws {
        let writer = try #require(try await store.beginStoring(entry, for: key, length: nil))
        try await writer.write(Data(text.utf8))
        try await writer.commit()
    }

    @Test func nothingIsLeftOfWhatWasRemovedOrReplaced() async throws {
        try await RedisServer.run { server in
            let redis = RedisClient(server.address, timeout: RedisClientTests.patience)
            let store = RedisCacheStore(redis)
            for text in ["old", "new"] { try await put(entry("one"), text, in: store) }
            try await put(entry("two"), "two", in: store)
            // The hash, and two bodies.
            #expect(try await redis.send(["DBSIZE"]) == .integer(3))
            try await store.remove(entry("two"), for: key)
            #expect(try await redis.send(["DBSIZE"]) == .integer(2))
            try await store.removeAll(url: key.url)
            #expect(try await redis.send(["DBSIZE"]) == .integer(0))
        }
    }

    @Test func everythingHasATimeToLive() async throws {
        try await RedisServer.run { server in
            let redis = RedisClient(server.address, timeout: RedisClientTests.patience)
            let short = RedisCacheStore(redis, timeToLive: 1_000)
            try await put(entry("one"), "x", in: short)
            let long = RedisCacheStore(redis, timeToLive: .max)
            try await long.update(entry("one"), for: key)
            let keys = try #require(try await redis.send(["KEYS", "*"]).elements)
            #expect(keys.count == 2)
            for name in keys.compactMap(\.buffer) {
                guard case .integer(let seconds) = try await redis.send(["TTL", .init(name)]) else {
                    Issue.record("no time to live")
                    continue
                }
                #expect(seconds > 1_000)
            }
        }
    }

    @Test func aBodyThatRedisHasGivenUpIsAMiss() async throws {
        try await RedisServer.run { server in
            let redis = RedisClient(server.address, timeout: RedisClientTests.patience)
            let store = RedisCacheStore(redis)
            try await put(entry("one"), "x", in: store)
            for name in try await redis.send(["KEYS", "http-cache:body:*"]).elements ?? [] {
                _ = try await redis.send(["DEL", .init(try #require(name.buffer))])
            }
            #expect(try await store.entries(for: key).count == 1)
            let body = try await store.body(of: entry("one"), for: key)
            #expect(body == nil)
        }
    }

    @Test func theWordsOfAnotherProgramAreNoEntry() async throws {
        try await RedisServer.run { server in
            let redis = RedisClient(server.address, timeout: RedisClientTests.patience)
            let store = RedisCacheStore(redis)
            try await put(entry("one"), "x", in: store)
            for junk in ["", "short", String(repeating: "x", count: 100)] {
                _ = try await redis.send(["HSET", "http-cache:url:\(key.url)", "0::\(junk.count)", .init(junk)])
            }
            #expect(try await store.entries(for: key).map(\.id) == ["one"])
        }
    }

    @Test func twoPrefixesAreTwoStores() async throws {
        try await RedisServer.run { server in
            let redis = RedisClient(server.address, timeout: RedisClientTests.patience)
            // As a pattern, the first would stand for the second too.
            let stores = ["a*", "ab"].map { RedisCacheStore(redis, prefix: $0) }
            for store in stores { try await put(entry("one"), "x", in: store) }
            try await stores[0].removeAll()
            #expect(try await stores[0].entries(for: key).isEmpty)
            #expect(try await stores[1].entries(for: key).count == 1)
        }
    }

    @Test func takesNoBodyThatIsTooLarge() async throws {
        try await RedisServer.run { server in
            let redis = RedisClient(server.address, timeout: RedisClientTests.patience)
            let store = RedisCacheStore(redis, maximumBodySize: 4)
            let announced = try await store.beginStoring(entry("one"), for: key, length: 5)
            #expect(announced == nil)
            let writer = try #require(try await store.beginStoring(entry("one"), for: key, length: nil))
            try await writer.write(Data("1234".utf8))
            await #expect(throws: (any Error).self) { try await writer.write(Data("5".utf8)) }
            await #expect(throws: (any Error).self) { try await writer.commit() }
            #expect(try await redis.send(["DBSIZE"]) == .integer(0))
        }
    }
}
