import Foundation
import NetClient
import NetCore
import NetTesting
import Testing

@testable import NetworkingRedis

struct RedisRateLimiterTests {
    private func request(_ url: String) throws -> URLRequest { URLRequest(url: try #require(URL(string: url))) }

    private func limit(_ error: (any Error)?) -> LimitExceeded? {
        (error as? NetworkFailure)?.underlyingError as? LimitExceeded
    }

    /// An hour for a token: no test takes as long, so the waits are known almost exactly.
    @Test func theFleetSharesOneBucketForEachOrigin() async throws {
        try await RedisServer.run { server in
            let limiters = (0..<4).map { _ in
                RedisRateLimiter(patientClient(server.address), requests: 1, per: 3_600, burst: 5, maximumWait: 0)
            }
            let (one, two) = (try request("https://a.example/x"), try request("http://a.example/x"))
            for request in [one, two] {
                let results = await withTaskGroup(of: Result<Int, any Error>.self) { group in
                    for index in 0..<20 {
                        group.addTask {
                            do {
                                return .success(try await limiters[index % 4].intercept(request, next: ending()).status)
                            } catch {
                                return .failure(error)
                            }
                        }
                    }
                    return await group.reduce(into: [Result<Int, any Error>]()) { $0.append($1) }
                }
                let refused = results.compactMap { result -> LimitExceeded? in
                    if case .failure(let error) = result { limit(error) } else { nil }
                }
                #expect(results.count - refused.count == 5)
                #expect(
                    refused
                        == Array(
                            repeating: LimitExceeded(limit: .rate, reason: .tooManyWaiting, host: "a.example"),
                            count: 15))
            }
        }
    }

    @Test func waitsForTokensInOrderOfArrival() async throws {
        try await RedisServer.run { server in
            let clock = TestClock(autoAdvance: true)
            let context = RequestContext(clock: clock)
            let limiters = (0..<2).map { _ in
                RedisRateLimiter(patientClient(server.address), requests: 1, per: 600, burst: 2, maximumWait: 3_000)
            }
            let request = try request("https://a.example/")
            for index in 0..<5 { _ = try await limiters[index % 2].intercept(request, next: ending(context: context)) }
            // The first two had tokens. Redis' time hardly passed between the others.
            #expect(clock.sleeps.count == 3)
            for (sleep, expected) in zip(clock.sleeps, [600.0, 1_200, 1_800]) {
                #expect(sleep <= expected && sleep > expected - 300)
            }
        }
    }

    @Test func aRefusalTakesNoToken() async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address)
            let clock = TestClock(autoAdvance: true)
            let limiter = RedisRateLimiter(redis, requests: 1, per: 600, burst: 1, maximumWait: 1_500)
            let request = try request("https://a.example/")
            _ = try await limiter.intercept(request, next: ending())
            for _ in 0..<5 {
                var context = RequestContext(clock: clock)
                context.deadline = clock.uptime + 10
                let error = await #expect(throws: NetworkFailure.self) {
                    try await limiter.intercept(request, next: ending(context: context))
                }
                #expect(error?.cause == .timeout)
                #expect(limit(error)?.reason == .deadline)
            }
            _ = try await limiter.intercept(request, next: ending(context: RequestContext(clock: clock)))
            #expect(clock.sleeps.count == 1)
            #expect((clock.sleeps.first ?? 0) > 300)
        }
    }

    @Test func aKeyOfTheCallerMakesItsOwnLimits() async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address)
            let limiter = RedisRateLimiter(redis, requests: 1, per: 3_600, maximumWait: 0) { request in
                request.url?.path == "/free" ? nil : request.url?.path
            }
            for path in ["/a", "/b", "/free", "/free"] {
                _ = try await limiter.intercept(try request("https://a.example\(path)"), next: ending())
            }
            await #expect(throws: NetworkFailure.self) {
                try await limiter.intercept(try request("https://a.example/a"), next: ending())
            }
        }
    }

    /// A foreign value, or a time in the future after the server's clock was wrong, does not block.
    @Test(arguments: ["junk", "9e99", "-1", "nan", "99999999999999999", ""])
    func foreignValuesDoNotBlock(_ value: String) async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address)
            let limiter = RedisRateLimiter(redis, requests: 1, per: 600, burst: 2, maximumWait: 0)
            let name: RedisCommand.Word = "rate-limit:{https://a.example:443}"
            _ = try await redis.send(["SET", name, .init(value)])
            let request = try request("https://a.example/")
            for _ in 0..<2 { _ = try await limiter.intercept(request, next: ending()) }
            await #expect(throws: NetworkFailure.self) { try await limiter.intercept(request, next: ending()) }
            guard case .integer(let left) = try await redis.send(["PTTL", name]) else {
                Issue.record("no time to live")
                return
            }
            #expect(left > 900_000 && left <= 1_200_001)
        }
    }

    @Test func failsOpenOrClosed() async throws {
        try await RedisServer.inFolder { folder in
            let redis = patientClient(RedisServer.address(in: folder), clock: TestClock())
            let request = try request("https://a.example/")
            let open = RedisRateLimiter(redis, requests: 1, per: 3_600)
            for _ in 0..<3 { #expect(try await open.intercept(request, next: ending()).status == 200) }
            let closed = RedisRateLimiter(redis, requests: 1, per: 3_600, failsOpen: false)
            await #expect(throws: RedisError.unavailable) { try await closed.intercept(request, next: ending()) }
        }
    }

    /// As a client has it: the error of the limit is in the failure, and nothing was sent.
    @Test func worksInAClient() async throws {
        try await RedisServer.run { server in
            let transport = StubTransport { request, _, _ in
                TransportResponse(status: 200, url: request.url, body: .empty)
            }
            let limiter = RedisRateLimiter(patientClient(server.address), requests: 1, per: 3_600, maximumWait: 0)
            let client = NetworkClient(interceptors: [limiter], transport: transport)
            let request = try request("https://a.example/")
            _ = try await client.send(request)
            let error = await #expect(throws: NetworkFailure.self) { try await client.send(request) }
            #expect(limit(error)?.limit == .rate)
            #expect(transport.exchanges.count == 1)
            await client.shutdown()
        }
    }
}
