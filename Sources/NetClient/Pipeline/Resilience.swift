/// The parts of a client that handle unreliable networks and servers: see [Resilience](doc:/Guides/Resilience).
///
/// ```swift
/// let client = NetworkClient(
///     retryPolicy: .default,
///     resilience: Resilience(
///         circuitBreaker: CircuitBreaker(failureThreshold: 5, resetTimeout: 60),
///         concurrencyLimiter: ConcurrencyLimiter(maxConcurrentPerHost: 6)))
/// ```
///
/// Each part is an interceptor of the public protocol, and may also be used in a list of your own. Here they run at the right place: coalescing
/// once per call, outside of retry; hedging, breaker, rate and concurrency limits for each attempt, in this order. Clients can share parts that
/// are classes, and then share their state.
public struct Resilience: Sendable {
    /// Shares one exchange between identical safe requests in flight.
    public var coalescer: RequestCoalescer?
    /// Limits the retries of all calls together.
    public var retryBudget: RetryPolicy.Budget?
    /// Sends a second copy of a slow safe request.
    public var hedging: HedgingInterceptor?
    /// Fails requests at once while their host is down.
    public var circuitBreaker: CircuitBreaker?
    /// Limits the number of requests to a host in a time.
    public var rateLimiter: RateLimiter?
    /// Limits the number of concurrent requests to a host.
    public var concurrencyLimiter: ConcurrencyLimiter?
    /// The treatment of requests while the client's `connectionMonitor` reports that the device is offline.
    public var offline: OfflinePolicy
    /// The longest time of a call as a whole, in seconds: all attempts, and the waits before and between them. Nil for no limit.
    public var totalTimeout: TimeInterval?

    /// Creates a value with some of the parts.
    public init(
        coalescer: RequestCoalescer? = nil, retryBudget: RetryPolicy.Budget? = nil, hedging: HedgingInterceptor? = nil,
        circuitBreaker: CircuitBreaker? = nil, rateLimiter: RateLimiter? = nil,
        concurrencyLimiter: ConcurrencyLimiter? = nil, offline: OfflinePolicy = .failImmediately,
        totalTimeout: TimeInterval? = nil
    ) {
        self.coalescer = coalescer
        self.retryBudget = retryBudget
        self.hedging = hedging
        self.circuitBreaker = circuitBreaker
        self.rateLimiter = rateLimiter
        self.concurrencyLimiter = concurrencyLimiter
        self.offline = offline
        self.totalTimeout = totalTimeout
    }

    /// No part: the default of `NetworkClient()`.
    public static let none = Resilience()

    /// Coalescing, a retry budget and a circuit breaker with their defaults. Each value has a state of its own.
    public static var recommended: Resilience {
        Resilience(coalescer: RequestCoalescer(), retryBudget: RetryPolicy.Budget(), circuitBreaker: CircuitBreaker())
    }
}
