import Foundation
import NetCache
import NetCore
import NetTesting
import Testing

@testable import NetworkingRedis

struct RedisCacheStoreTests {
    @Test(arguments: CacheStoreConformance.checks)
    func conforms(_ check: CacheStoreConformance.Check) async throws {
        try await RedisServer.run { server in
            try await CacheStoreConformance { try RedisCacheStore(patientClient(server.address), key: secret) }.run(
                check)
        }
    }

    private let key = HTTPCacheKey(url: "https://origin.example/visible-path", owner: "visible-user")
    private let forAll = HTTPCacheKey(url: "https://origin.example/visible-path")

    @Test func nothingIsLeftOfAResponseThatWasRemovedOrReplaced() async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address)
            let store = try RedisCacheStore(redis, key: secret)
            for text in ["old", "new"] { try await store.put(entry("one"), text, for: forAll) }
            try await store.put(entry("two"), "two", for: forAll)
            // The state of the URL, the hash, and two bodies.
            #expect(try await redis.send(["DBSIZE"]) == .integer(4))
            try await store.remove(entry("two"), for: forAll)
            #expect(try await redis.send(["DBSIZE"]) == .integer(3))
            try await store.removeAll(url: forAll.url)
            #expect(try await redis.send(["DBSIZE"]) == .integer(1))
        }
    }

    @Test func theNextResponseOfAUserRemovesTheInvalidatedOnes() async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address)
            let store = try RedisCacheStore(redis, key: secret)
            for id in ["one", "two", "three"] { try await store.put(entry(id), id, for: key) }
            try await store.removeAll(url: key.url)
            #expect(try await store.entries(for: key).isEmpty)
            #expect(try await store.text(entry("one"), for: key) == nil)
            try await store.put(entry("four"), "four", for: key)
            #expect(try await redis.send(["DBSIZE"]) == .integer(3))
            #expect(try await store.entries(for: key).map(\.id) == ["four"])
        }
    }

    @Test func everythingHasATimeToLive() async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address)
            let short = try RedisCacheStore(redis, key: secret, timeToLive: 1_000)
            try await short.put(entry("one"), "x", for: key)
            let long = try RedisCacheStore(redis, key: secret, timeToLive: .infinity)
            #expect(try await long.update(entry("one"), for: key, replacing: entry("one"), since: nil))
            let keys = try await redis.keys()
            #expect(keys.count == 3)
            for name in keys {
                guard case .integer(let seconds) = try await redis.send(["TTL", .init(name)]) else {
                    Issue.record("no time to live")
                    continue
                }
                #expect(seconds > 1_000)
            }
        }
    }

    /// Redis may evict any key at any time.
    @Test func theLossOfAnyKeyIsAMiss() async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address)
            let store = try RedisCacheStore(redis, key: secret)
            for index in 0..<3 {
                try await store.put(entry("one"), "x", for: key)
                let names = try await redis.keys().sorted { $0.count < $1.count }
                try #require(names.count == 3)
                _ = try await redis.send(["DEL", .init(names[index])])
                let body = try await store.text(entry("one"), for: key)
                #expect(body == nil)
                // The head goes with the body, so that the next request does not look for it.
                #expect(try await store.entries(for: key).isEmpty)
                _ = try await redis.send(["FLUSHALL"])
            }
        }
    }

    @Test func redisSeesNothingInClearText() async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address)
            let store = try RedisCacheStore(redis, key: secret)
            try await store.put(entry("visible-id"), "visible-body", for: key)
            let new = entry("visible-id", seconds: 1)
            #expect(try await store.update(new, for: key, replacing: entry("visible-id"), since: nil))
            var all = Data()
            for name in try await redis.keys() {
                all += name + Data("\n".utf8)
                switch try await redis.send(["TYPE", .init(name)]).text {
                case "hash":
                    for part in try await redis.send(["HGETALL", .init(name)]).elements ?? [] {
                        all += part.data ?? Data()
                    }
                default: all += try await redis.send(["GET", .init(name)]).data ?? Data()
                }
            }
            #expect(all.count > 300)
            #expect(all.range(of: Data("visible".utf8)) == nil)
            #expect(all.range(of: Data("origin.example".utf8)) == nil)
            // The test would see it: this store's own prefix is there.
            #expect(all.range(of: Data("http-cache:".utf8)) != nil)
        }
    }

    @Test func anotherSecretFindsNothing() async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address)
            try await RedisCacheStore(redis, key: secret).put(entry("one"), "x", for: key)
            let other = try RedisCacheStore(redis, key: Data(repeating: 9, count: 32))
            #expect(try await other.entries(for: key).isEmpty)
            #expect(try other.identityKey() != RedisCacheStore(redis, key: secret).identityKey())
        }
    }

    /// A writer to Redis may copy, cut and change values, but gets none of them accepted in another place.
    @Test func forgedAndSwappedValuesAreMisses() async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address)
            let store = try RedisCacheStore(redis, key: secret)
            let leia = HTTPCacheKey(url: key.url, owner: "leia")
            let han = HTTPCacheKey(url: key.url, owner: "han")
            for owner in [leia, han] { try await store.put(entry("one"), owner.owner, for: owner) }
            let places = try [leia, han].map { CachePlace($0, prefix: "http-cache:", secret: try CacheSecret(secret)) }
            let fields = places.map { $0.field(of: "one") }
            let names = zip(places, fields).map { RedisCommand.Word($0.body($1)) }
            let body = try #require(try await redis.send(["GET", names[0]]).data)
            let head = try #require(try await redis.send(["HGET", .init(places[0].heads), .init(fields[0])]).data)
            for forged in [body, Data(), Data(body.dropLast()), Data("short".utf8)] {
                _ = try await redis.send(["SET", names[1], .init(forged)])
                #expect(try await store.text(entry("one"), for: han) == nil)
            }
            for forged in [
                head, Data(), Data("1 2 ".utf8), Data("1 2 x".utf8), Data(repeating: 32, count: 99),
                Data(head.dropLast()),
            ] {
                _ = try await redis.send(["HSET", .init(places[1].heads), .init(fields[1]), .init(forged)])
                #expect(try await store.entries(for: han).isEmpty)
            }
            #expect(try await store.text(entry("one"), for: leia) == "leia")
        }
    }

    @Test func twoPrefixesAreTwoStores() async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address)
            // As a pattern, the first would stand for the second too.
            let stores = try ["a*", "ab"].map { try RedisCacheStore(redis, key: secret, prefix: $0) }
            for store in stores { try await store.put(entry("one"), "x", for: key) }
            try await stores[0].removeAll()
            #expect(try await stores[0].entries(for: key).isEmpty)
            #expect(try await stores[1].entries(for: key).count == 1)
        }
    }

    @Test func refusesResponsesThatAreTooLarge() async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address)
            let head = StoredHead.encode(entry("one")).count
            let store = try RedisCacheStore(redis, key: secret, maximumEntrySize: head + 4)
            let announced = try await store.beginStoring(entry("one"), for: key, length: 5, since: nil)
            #expect(announced == nil)
            let writer = try #require(try await store.beginStoring(entry("one"), for: key, length: nil, since: nil))
            try await writer.write(Data("1234".utf8))
            await #expect(throws: (any Error).self) { try await writer.write(Data("5".utf8)) }
            await #expect(throws: (any Error).self) { try await writer.commit() }
            #expect(try await store.entries(for: key).isEmpty)
            try await store.put(entry("one"), "1234", for: key)
            #expect(try await store.entries(for: key).count == 1)
            // A head that is too large by itself.
            let small = try RedisCacheStore(redis, key: secret, maximumEntrySize: head - 1)
            let refused = try await small.beginStoring(entry("one"), for: key, length: 0, since: nil)
            #expect(refused == nil)
        }
    }

    @Test func keepsTheNewestVariants() async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address)
            let store = try RedisCacheStore(redis, key: secret, maximumVariants: 3)
            for number in 0..<6 { try await store.put(entry("\(number)", seconds: Double(number)), "x", for: key) }
            #expect(try await store.entries(for: key).map(\.id) == ["5", "4", "3"])
            #expect(try await redis.send(["DBSIZE"]) == .integer(5))
        }
    }

    @Test func refusesSettingsThatAreNotSafe() throws {
        let redis = RedisClient(.tcp(host: "127.0.0.1", port: 1))
        #expect(throws: NetworkError.self) { try RedisCacheStore(redis, key: Data(repeating: 1, count: 31)) }
        #expect(throws: NetworkError.self) { try RedisCacheStore(redis, key: secret, prefix: "{a}") }
    }
}
