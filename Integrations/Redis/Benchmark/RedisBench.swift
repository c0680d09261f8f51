import Foundation
import NetCache
import NetClient
import NetCore
import NetTesting
import NetworkingRedis

/// Measures a hit of a cache on Redis, one request after the other, and prints a table.
///
///     redis-server --port 6390 --save '' &
///     swift run -c release redis-bench 6390
@main
struct RedisBench {
    static let rounds = 5
    static let count = 2_000

    static func main() async throws {
        let redis = RedisClient(
            .tcp(host: "127.0.0.1", port: CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 6379))
        let key = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
        let store = try RedisCacheStore(redis, key: key, prefix: "bench:")
        let server = try MockServer()
        let client = NetworkClient(cache: ResponseCache(store: store))
        print("µs for one operation: the median and the best of \(rounds) rounds of \(count)")
        await measure("PING") { _ = try await redis.send(["PING"]) }
        for size in [1 << 10, 16 << 10, 128 << 10] {
            let path = "/\(size)"
            server.on(path, MockResponse.data(Data(repeating: 7, count: size)).header("Cache-Control", "max-age=3600"))
            let request = URLRequest(url: server.url(path))
            _ = try await client.data(for: request)
            let before = server.requests.count
            await measure("a hit of \(size >> 10) KiB") {
                let (data, response) = try await client.data(for: request)
                guard data.count == size, response.headers["Cache-Status"]?.contains("hit") == true else {
                    throw NetworkError.unsupported("It was not a hit: \(response.headers["Cache-Status"] ?? "")")
                }
            }
            guard server.requests.count == before else { throw NetworkError.unsupported("The server was asked.") }
        }
        let limiter = RedisRateLimiter(redis, requests: 1_000_000, burst: 1_000_000, prefix: "bench:rate:")
        let breaker = RedisCircuitBreaker(redis, prefix: "bench:circuit:")
        for (name, interceptor) in [("the rate limit", limiter), ("the circuit", breaker)]
            as [(String, any HTTPInterceptor)]
        {
            let request = URLRequest(url: server.url("/"))
            await measure(name) {
                _ = try await interceptor.intercept(
                    request,
                    next: Next { request, _, _ in TransportResponse(status: 200, url: request.url, body: .empty) })
            }
        }
        try await store.removeAll()
        await client.shutdown()
        await server.stop()
    }

    static func measure(_ name: String, _ work: @Sendable () async throws -> Void) async {
        do {
            for _ in 0..<count / 4 { try await work() }
            var times: [Double] = []
            for _ in 0..<rounds {
                let start = ProcessInfo.processInfo.systemUptime
                for _ in 0..<count { try await work() }
                times.append((ProcessInfo.processInfo.systemUptime - start) / Double(count) * 1e6)
            }
            times.sort()
            print(name.padding(toLength: 20, withPad: " ", startingAt: 0), Int(times[rounds / 2]), Int(times[0]))
        } catch {
            print("\(name): \(error)")
        }
    }
}
