/// What helps a client through a bad network and a bad server, each part in its place: see `Docs/Resilience.md`.
///
/// ```swift
/// let client = NetworkClient(
///     retryPolicy: .default,
///     resilience: Resilience(
///         circuitBreaker: CircuitBreaker(failureThreshold: 5, resetTimeout: 60),
///         concurrencyLimiter: ConcurrencyLimiter(maxConcurrentPerHost: 6)))
/// ```
///
/// Each part is an interceptor on the public protocol and may as well stand in a list of your own. Here they stand where they belong:
/// coalescing once per call, outside of retry; hedging, breaker, rate and concurrency limits for every attempt, in this order. Parts that
/// are classes may be shared by several clients, which then have one state.
public struct Resilience: Sendable {
    /// Identical safe requests in flight share one exchange.
    public var coalescer: RequestCoalescer?
    /// Limits the retries of all calls together.
    public var retryBudget: RetryBudget?
    /// A second copy of a safe request whose answer is slow.
    public var hedging: HedgingInterceptor?
    /// Fails requests to a host at once while it is down.
    public var circuitBreaker: CircuitBreaker?
    /// How many requests a host gets in a time.
    public var rateLimiter: RateLimiter?
    /// How many requests a host has to answer at the same time.
    public var concurrencyLimiter: ConcurrencyLimiter?
    /// What becomes of requests while the client's `connectionMonitor` says that the device is offline.
    public var offline: OfflinePolicy
    /// For each call as a whole, in seconds: all attempts, and the waiting between them and before. Nil for no limit.
    public var totalTimeout: TimeInterval?

    /// The parts that are wanted.
    public init(
        coalescer: RequestCoalescer? = nil, retryBudget: RetryBudget? = nil, hedging: HedgingInterceptor? = nil,
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

    /// None of it: what `NetworkClient()` has.
    public static let none = Resilience()

    /// Coalescing, a budget for retries, and a circuit breaker with its defaults (seed 004). A new value has state of its own.
    public static var recommended: Resilience {
        Resilience(coalescer: RequestCoalescer(), retryBudget: RetryBudget(), circuitBreaker: CircuitBreaker())
    }

    /// Whether an attempt may have to wait for its turn.
    var makesRequestsWait: Bool { rateLimiter != nil || concurrencyLimiter != nil }

    /// What stands around each attempt, outermost first.
    var attemptInterceptors: [any HTTPInterceptor] {
        var list: [any HTTPInterceptor] = []
        if let hedging { list.append(hedging) }
        if let circuitBreaker { list.append(circuitBreaker) }
        if let rateLimiter { list.append(rateLimiter) }
        if let concurrencyLimiter { list.append(concurrencyLimiter) }
        return list
    }
}
