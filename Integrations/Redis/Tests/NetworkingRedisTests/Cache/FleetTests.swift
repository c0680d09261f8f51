import Foundation
import NetCache
import NetClient
import NetCore
import NetTesting
import Testing

@testable import NetworkingRedis

/// Servers of a fleet, each with a client, a cache and a connection of its own, before one Redis and one origin.
struct FleetTests {
    private func server(
        at address: RedisAddress, clock: any NetworkClock = TestClock(), timeout: TimeInterval = patience
    ) throws
        -> NetworkClient
    {
        let redis = patientClient(address, timeout: timeout, pause: 2, clock: clock)
        return NetworkClient(cache: ResponseCache(store: try RedisCacheStore(redis, key: secret)))
    }

    private func get(_ url: URL, from client: NetworkClient, token: String? = nil) async throws -> (
        body: String, cache: String
    ) {
        var request = URLRequest(url: url)
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        let (data, response) = try await client.data(for: request)
        return (data.text, response.headers["Cache-Status"] ?? "")
    }

    @Test func aResponseThatOneServerFetchedIsAHitForTheOther() async throws {
        let origin = try MockServer()
        origin.on("/news", MockResponse.text("the news").header("Cache-Control", "max-age=600"))
        try await RedisServer.run { redis in
            let (one, two) = (try server(at: redis.address), try server(at: redis.address))
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
            let (one, two) = (try server(at: redis.address), try server(at: redis.address))
            for token in [nil, "leia"] { _ = try await get(origin.url("/item"), from: one, token: token) }
            var change = URLRequest(url: origin.url("/item"))
            change.httpMethod = "PUT"
            _ = try await two.data(for: change)
            for token in [nil, "leia"] {
                let after = try await get(origin.url("/item"), from: one, token: token)
                #expect(after.body == "version 1")
            }
            #expect(origin.requests.count == 5)
            await one.shutdown()
            await two.shutdown()
        }
        await origin.stop()
    }

    @Test func aResponseForOneUserReachesNoOther() async throws {
        let origin = try MockServer()
        origin.on(.get, "/account") { request in
            .text("account of \(request.headers["Authorization"] ?? "no user")").header("Cache-Control", "max-age=600")
        }
        try await RedisServer.run { redis in
            let (one, two) = (try server(at: redis.address), try server(at: redis.address))
            for (client, token) in [(one, "leia"), (two, "han"), (one, "han"), (two, "leia")] {
                let answer = try await get(origin.url("/account"), from: client, token: token)
                #expect(answer.body == "account of Bearer \(token)")
            }
            // Each user's second request was a hit, on the other server.
            #expect(origin.requests.count == 2)
            await one.shutdown()
            await two.shutdown()
        }
        await origin.stop()
    }

    @Test func requestsContinueWithoutRedisAndAreCachedAgainWhenItReturns() async throws {
        let origin = try MockServer()
        origin.on("/news", MockResponse.text("the news").header("Cache-Control", "max-age=600"))
        let clock = TestClock()
        try await RedisServer.inFolder { folder in
            var redis = try await RedisServer(in: folder)
            let client = try server(at: redis.address, clock: clock)
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

    @Test func aRedisThatHangsHoldsNoRequestUp() async throws {
        let origin = try MockServer()
        origin.on("/news", MockResponse.text("the news").header("Cache-Control", "max-age=600"))
        try await RedisServer.run { redis in
            let other = patientClient(redis.address)
            _ = try await other.send(["CLIENT", "PAUSE", "3600000", "ALL"])
            let client = try server(at: redis.address, timeout: 0.05)
            for _ in 0..<3 {
                let answer = try await get(origin.url("/news"), from: client)
                #expect(answer.body == "the news")
            }
            #expect(origin.requests.count == 3)
            await client.shutdown()
        }
        await origin.stop()
    }

    /// What 20 servers saw.
    private struct Tally: Sendable {
        var requests = 0
        var hits = 0
        var failures: [String] = []
        var wrong: [String] = []

        mutating func add(_ other: Tally) {
            requests += other.requests
            hits += other.hits
            failures += other.failures
            wrong += other.wrong
        }
    }

    /// 20 clients ask for five seconds, for three users, while Redis is killed and started again twice. Every request succeeds, with the body of
    /// its own user, and the cache works again afterwards.
    @Test(.timeLimit(.minutes(3))) func redisIsKilledTwiceUnderLoad() async throws {
        let origin = try MockServer(keepingRequestsUpTo: 10)
        origin.on(.get, "/item/*") { request in
            .text(Self.body(of: request.path, for: request.headers["Authorization"] ?? "")).header(
                "Cache-Control", "max-age=600")
        }
        try await RedisServer.inFolder { folder in
            let started = try await RedisServer(in: folder)
            let clients = try (0..<20).map { _ in
                NetworkClient(
                    cache: ResponseCache(store: try RedisCacheStore(RedisClient(started.address), key: secret)))
            }
            async let kills: RedisServer = {
                var redis = started
                for _ in 0..<2 {
                    try await Task.sleep(nanoseconds: 1_300_000_000)
                    await redis.stop()
                    try await Task.sleep(nanoseconds: 200_000_000)
                    redis = try await RedisServer(in: folder)
                }
                return redis
            }()
            let end = ProcessInfo.processInfo.systemUptime + 5
            let total = await withTaskGroup(of: Tally.self) { group in
                for client in clients {
                    group.addTask {
                        var tally = Tally()
                        while ProcessInfo.processInfo.systemUptime < end { await ask(client, origin, &tally) }
                        return tally
                    }
                }
                return await group.reduce(into: Tally()) { $0.add($1) }
            }
            let redis = try await kills
            #expect(total.failures == [])
            #expect(total.wrong == [])
            #expect(total.hits > 0)
            print(
                "killed twice: \(total.requests) requests, \(total.hits) hits, \(total.failures.count) failed, \(total.wrong.count) wrong"
            )
            // Each client finds Redis again.
            for client in clients {
                var tally = Tally()
                while tally.hits == 0 { await ask(client, origin, &tally) }
                #expect(tally.failures == [] && tally.wrong == [])
            }
            await redis.stop()
            for client in clients { await client.shutdown() }
        }
        await origin.stop()
    }

    private static func body(of path: String, for user: String) -> String {
        String(repeating: "\(path) of \(user)\n", count: 200)
    }

    private func ask(_ client: NetworkClient, _ origin: MockServer, _ tally: inout Tally) async {
        let path = "/item/\(Int.random(in: 0..<10))"
        let user = ["leia", "han", "luke"][Int.random(in: 0..<3)]
        tally.requests += 1
        do {
            let (body, cache) = try await get(origin.url(path), from: client, token: user)
            if body != Self.body(of: path, for: "Bearer \(user)") {
                tally.wrong.append("\(path) \(user): \(body.prefix(80))")
            }
            if cache.contains("hit") { tally.hits += 1 }
        } catch {
            tally.failures.append("\(error)")
        }
    }
}
