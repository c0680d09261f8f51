import Foundation
import NetClient
import NetCore

/// What each of the limits costs a request that meets none: the time of the bare pipeline is the first row's, to be subtracted.
func limitRows() throws -> [Row] {
    let alone: [(String, [any HTTPInterceptor], [any HTTPInterceptor])] = [
        ("limits: nothing", [], []),
        ("limits: circuit breaker", [CircuitBreaker()], []),
        ("limits: rate limiter", [RateLimiter(requests: 1 << 40, per: 1)], []),
        ("limits: concurrency limiter", [ConcurrencyLimiter(maxConcurrentPerHost: 64)], []),
        ("limits: hedging", [HedgingInterceptor(delay: 30)], []),
        ("limits: coalescing", [], [RequestCoalescer()]),
        (
            "limits: all but hedging",
            [CircuitBreaker(), RateLimiter(requests: 1 << 40, per: 1), ConcurrencyLimiter(maxConcurrentPerHost: 64)],
            [RequestCoalescer()]
        ),
    ]
    return try alone.map { name, interceptors, callInterceptors in
        let transport = ReadyTransport()
        let client = NetworkClient(
            interceptors: [Nothing()] + interceptors, transport: transport,
            callInterceptors: [Nothing()] + callInterceptors)
        guard let url = URL(string: "https://api.example.com/v1/users/1?fields=name,id") else {
            throw URLError(.badURL)
        }
        var request = URLRequest(url: url)
        request.allHTTPHeaderFields = ["Accept": "application/json", "User-Agent": "bench/1.0"]
        return Row(name: name, operations: 50_000) { [request] count in
            for _ in 0..<count { _ = try await client.response(for: request) }
        }
    }
}

/// Answers at once.
private struct ReadyTransport: HTTPTransport {
    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        TransportResponse(status: 200, url: request.url)
    }
}

/// Stands where the others do, so that all rows have both of the lists that an interceptor brings with it.
private struct Nothing: HTTPInterceptor {
    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse { try await next(request) }
}
