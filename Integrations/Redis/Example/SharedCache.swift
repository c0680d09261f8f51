import Foundation
import NetCache
import NetClient
import NetCore
import NetworkingRedis

/// One server of a fleet: fetches a URL through a cache, a rate limit and a circuit breaker that all servers share.
///
///     CACHE_KEY=$(openssl rand -base64 32) swift run redis-example https://example.com/
///
/// Run it again with the same key: the second process gets the response from Redis.
@main
struct SharedCache {
    static func main() async throws {
        guard let key = ProcessInfo.processInfo.environment["CACHE_KEY"].flatMap({ Data(base64Encoded: $0) }),
            let url = CommandLine.arguments.dropFirst().first.flatMap({ URL(string: $0) })
        else {
            print("usage: CACHE_KEY=$(openssl rand -base64 32) redis-example URL")
            exit(64)
        }
        let redis = RedisClient(.tcp(host: "127.0.0.1"))
        let client = NetworkClient(
            interceptors: [
                RedisCircuitBreaker(redis, failureThreshold: 20, resetTimeout: 30),
                RedisRateLimiter(redis, requests: 100, per: 60, burst: 10),
            ],
            cache: ResponseCache(store: try RedisCacheStore(redis, key: key)))
        let (data, response) = try await client.data(for: URLRequest(url: url))
        print(response.status, data.count, "bytes,", response.headers["Cache-Status"] ?? "no cache")
        await client.shutdown()
    }
}
