import Foundation
import NetCache
import NetClient
import NetTesting
import Testing

@testable import RedisPlugins

/// Two servers, each with a client, a cache and a connection of its own, before one Redis and one origin.
struct FleetTests {
    private func server(at address: RedisAddress, clock: TestClock = TestClock()) -> NetworkClient {
        var rules = CacheRules()
        rules.kind = .shared
        let redis = RedisClient(address, timeout: RedisClientTests.patience, pause: 2, clock: clock)
        return NetworkClient(cache: ResponseCache(store: RedisCacheStore(redis), rules: rules))
    }

    private func get(_ url: URL, from client: NetworkClient, token: String? = nil) async throws -> (
        body: String, cache: String
    ) {
        var request = URLRequest(url: url)
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        let (data, response) = try await client.data(for: request)
        return (String(decoding: data, as: UTF8.self), response.headers["Cache-Status"] ?? "")
    }

    @Test func whatOneServerHasFetchedTheOtherHas() async throws {
        let origin = try MockServer()
        origin.on("/news", MockResponse.text("the news").header("Cache-Control", "public, max-age=600"))
        try await RedisServer.run { redis in
            let (one, two) = (server(at: redis.address), server(at: redis.address))
            let first = try await get(origin.url("/news"), from: one)
            #expect(first.cache.contains("fwd=uri-miss"))
            let second = try await get(origin.url("/news"), from: two)
            #expect(second.body == "the news")
            #expect(second.cache.contains("hit"))
            #expect(origin.requests.count == 1)
            await one.shutdown()
            await two.shutdown()
        }
        await origin.stop()
    }

    @Test func aChangeByOneServerReachesTheOther() async throws {
        let origin = try MockServer()
        origin.on(.get, "/item") { [weak origin] _ in
            let changes = origin?.requests.filter { $0.method == .put }.count ?? 0
            return .text("version \(changes)").header("Cache-Control", "max-age=600")
        }
        origin.on(.put, "/item", .noContent)
        try await RedisServer.run { redis in
            let (one, two) = (server(at: redis.address), server(at: redis.address))
            _ = try await get(origin.url("/item"), from: one)
            var change = URLRequest(url: origin.url("/item"))
            change.httpMethod = "PUT"
            _ = try await two.data(for: change)
            let after = try await get(origin.url("/item"), from: one)
            #expect(after.body == "version 1")
            #expect(origin.requests.count == 3)
            await one.shutdown()
            await two.shutdown()
        }
        await origin.stop()
    }

    @Test func whatWasForOneUserReachesNoOther() async throws {
        let origin = try MockServer()
        origin.on(.get, "/account") { request in
            .text("account of \(request.headers["Authorization"] ?? "nobody")").header("Cache-Control", "max-age=600")
        }
        try await RedisServer.run { redis in
            let (one, two) = (server(at: redis.address), server(at: redis.address))
            for (client, token) in [(one, "leia"), (two, "han"), (one, "han"), (two, "leia")] {
                let answer = try await get(origin.url("/account"), from: client, token: token)
                #expect(answer.body == "account of Bearer \(token)")
            }
            await one.shutdown()
            await two.shutdown()
        }
        await origin.stop()
    }

    @Test func requestsGoOnWithoutRedisAndAreCachedAgainWhenItIsBack() async throws {
        let origin = try MockServer()
        origin.on("/news", MockResponse.text("the news").header("Cache-Control", "public, max-age=600"))
        let clock = TestClock()
        try await RedisServer.inFolder { folder in
            var redis = try await RedisServer(in: folder)
            let client = server(at: redis.address, clock: clock)
            _ = try await get(origin.url("/news"), from: client)
            let before = try await get(origin.url("/news"), from: client)
            #expect(before.cache.contains("hit"))

            await redis.stop()
            for _ in 0..<3 {
                let answer = try await get(origin.url("/news"), from: client)
                #expect(answer.body == "the news")
                #expect(!answer.cache.contains("hit"))
            }
            #expect(origin.requests.count == 4)

            redis = try await RedisServer(in: folder)
            await clock.advance(by: 2)
            _ = try await get(origin.url("/news"), from: client)
            let after = try await get(origin.url("/news"), from: client)
            #expect(after.cache.contains("hit"))
            #expect(origin.requests.count == 5)
            await redis.stop()
            await client.shutdown()
        }
        await origin.stop()
    }

    @Test func aRedisThatHangsHoldsUpNoRequestForEver() async throws {
        let origin = try MockServer()
        origin.on("/news", MockResponse.text("the news").header("Cache-Control", "public, max-age=600"))
        try await RedisServer.run { redis in
            let other = RedisClient(redis.address, timeout: RedisClientTests.patience)
            _ = try await other.send(["CLIENT", "PAUSE", "3600000", "ALL"])
            let store = RedisCacheStore(RedisClient(redis.address, timeout: 0.05, clock: TestClock()))
            let client = NetworkClient(cache: ResponseCache(store: store))
            for _ in 0..<3 {
                let answer = try await get(origin.url("/news"), from: client)
                #expect(answer.body == "the news")
            }
            #expect(origin.requests.count == 3)
            await client.shutdown()
        }
        await origin.stop()
    }
}
