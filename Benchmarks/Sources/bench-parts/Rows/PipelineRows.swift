import BenchKit
import NetClient

/// What the pipeline costs a request, beyond the transport: a transport that answers at once, by itself and behind clients.
func pipelineRows() async throws -> [Row] {
    guard let url = URL(string: "https://a.example/users/1") else { return [] }
    let request = URLRequest(url: url)
    let transport = Instant()
    let context = RequestContext()
    func row(_ name: String, goal: String = "", _ client: NetworkClient, check: @escaping () throws -> Void = {}) -> Row
    {
        Row(name: name, goal: goal, operations: 20_000) { count in
            for _ in 0..<count { _ = try await client.response(for: request) }
            try check()
        }
    }
    let seen = Seen()
    let breaker = CircuitBreaker()
    let rate = RateLimiter(requests: 1_000_000, per: 86_400)
    let places = ConcurrencyLimiter(maxConcurrentPerHost: 100)
    let usual = Resilience(
        coalescer: RequestCoalescer(), retryBudget: RetryPolicy.Budget(), circuitBreaker: breaker, rateLimiter: rate,
        concurrencyLimiter: places)
    var all = usual
    all.hedging = HedgingInterceptor(delay: 10)
    let hurried = NetworkClient(transport: transport, resilience: Resilience(totalTimeout: 60))
    func client(_ resilience: Resilience) -> NetworkClient {
        NetworkClient(
            interceptors: [seen], retryPolicy: .default, transport: transport,
            authenticationProvider: Key(), resilience: resilience, connectionMonitor: ConnectionMonitor.shared)
    }
    // Each has done its part, or the figure is of something else.
    let proof = {
        guard seen.authorized > 0, rate.availableCount(for: url) < 1_000_000, breaker.state(for: url) == .closed
        else { throw Failure("Not everything has run.") }
    }
    return [
        Row(name: "transport alone", operations: 20_000) { count in
            for _ in 0..<count { _ = try await transport.send(request, body: nil, context: context) }
        },
        row("pipeline, nothing switched on", NetworkClient(transport: transport)),
        row("pipeline, a deadline for each call", goal: "≤ 1 µs beyond nothing", hurried),
        row("pipeline, all but hedging", client(usual), check: proof),
        row("pipeline, all of it", goal: "< 5 µs beyond the transport", client(all), check: proof),
    ]
}

/// Answers at once.
struct Instant: HTTPTransport {
    let body = HTTPBody("{}")

    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        TransportResponse(status: 200, url: request.url, body: self.body)
    }
}

private struct Key: AuthenticationProvider {
    var partition: String? { "me" }

    func authenticate(_ request: inout URLRequest) async throws {
        request.setValue("key", forHTTPHeaderField: "X-API-Key")
    }
    func reauthenticate() async throws {}
}

/// Counts the requests that have their credentials.
private final class Seen: HTTPInterceptor {
    private let count = NSLock()
    nonisolated(unsafe) private var number = 0

    var authorized: Int { count.withLock { number } }

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        if request.value(forHTTPHeaderField: "X-API-Key") != nil { count.withLock { number += 1 } }
        return try await next(request)
    }
}
