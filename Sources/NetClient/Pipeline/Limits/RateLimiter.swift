public import NetCore

/// Sends a host no more than so many requests in an interval; the others wait in line.
///
/// It is a token bucket for each host (scheme, host and port): a request takes a token, and tokens come back at a steady pace.
///
/// ```swift
/// let limiter = RateLimiter(requests: 100, per: 60, burst: 10)    // 10 at once, then one each 0.6 s
/// let client = NetworkClient(interceptors: [limiter])
/// ```
///
/// - **Order:** by ``RequestContext/priority``, within one by arrival. After seven tokens in a row that went to somebody who came
///   later, the next goes to who has waited longest, so that nobody starves.
/// - **Time in line** is not part of the request's own timeout but of the call's ``RequestContext/deadline``. A call that would
///   get its token after its deadline fails at once with ``NetworkError/timeout``, and ``LimitExceeded`` beneath it; one that
///   is overtaken until it is too late fails at its deadline.
/// - **Cancelling** a call that waits ends it at once. Its token goes to the next in line. One that was taken is spent,
///   whatever becomes of the request.
///
/// Clients that share a limiter have to share their clock.
public final class RateLimiter: HTTPInterceptor {
    struct Host {
        var bucket = TokenBucket()
        var line = WaitingLine<CheckedContinuation<Void, any Error>>()
        /// Hands out the tokens while somebody waits.
        var driver: Task<Void, Never>?
        var driverID: UInt64 = 0
    }

    struct State {
        /// Hosts whose bucket is full are forgotten when there are many.
        var hosts: [Origin: Host] = [:]
        var sweepsAt = 1_024
        var lastID: UInt64 = 0

        mutating func nextID() -> UInt64 {
            lastID += 1
            return lastID
        }
    }

    /// How many requests a host gets in an interval.
    public let requests: Int
    /// The interval, in seconds.
    public let interval: TimeInterval
    /// How many requests may go at once after a pause.
    public let burst: Int
    /// How many requests to a host may wait; nil for any number.
    public let maxWaitingPerHost: Int?

    let rate: TokenBucket.Rate
    let state = Locked(State())

    /// A limiter.
    ///
    /// - Parameters:
    ///   - requests: how many requests a host gets in an interval; less than one counts as one.
    ///   - interval: in seconds. Zero, a negative number or NaN sets no limit.
    ///   - burst: how many may go at once after a pause; nil for as many as in an interval, less than one counts as one.
    ///   - maxWaitingPerHost: how many may wait for a token. One more fails at once with ``LimitExceeded``. Nil is no limit.
    public init(requests: Int, per interval: TimeInterval = 1, burst: Int? = nil, maxWaitingPerHost: Int? = nil) {
        self.requests = max(1, requests)
        // Longer than a century is for ever, and infinity does not add up.
        self.interval = interval > 0 ? min(interval, 100 * 365 * 86_400) : 0
        self.burst = max(1, burst ?? requests)
        self.maxWaitingPerHost = maxWaitingPerHost.map { max(0, $0) }
        rate = TokenBucket.Rate(interval: self.interval / TimeInterval(self.requests), burst: self.burst)
    }

    /// How many requests to the URL's host could go at this moment of that clock.
    public func availableCount(for url: URL, clock: any NetworkClock = .system) -> Int {
        let now = clock.uptime
        guard let origin = url.origin else { return burst }
        return state.withLock { $0.hosts[origin]?.bucket.tokens(now: now, rate: rate) ?? burst }
    }

    /// How many requests wait for a token of the URL's host.
    public func waitingCount(for url: URL) -> Int {
        guard let origin = url.origin else { return 0 }
        return state.withLock { $0.hosts[origin]?.line.count ?? 0 }
    }

    /// How many hosts it remembers.
    var hostCount: Int { state.withLock(\.hosts.count) }

    /// Sends the request on when it has a token.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard let origin = request.url?.origin else { return try await next(request) }
        let now = next.context.clock.uptime
        if !state.withLock({ takeToken(of: origin, now: now, in: &$0) }) {
            try await waitForToken(of: origin, request, next.context)
        }
        return try await next(request)
    }

    /// Takes one, if there is one for which nobody waits.
    func takeToken(of origin: Origin, now: TimeInterval, in state: inout State) -> Bool {
        if let index = state.hosts.index(forKey: origin) {
            return state.hosts.values[index].line.isEmpty && state.hosts.values[index].bucket.take(now: now, rate: rate)
        }
        if state.hosts.count >= state.sweepsAt {
            state.hosts = state.hosts.filter { !$0.value.line.isEmpty || !$0.value.bucket.isFull(now: now) }
            state.sweepsAt = max(1_024, 2 * state.hosts.count)
        }
        var host = Host()
        let isTaken = host.bucket.take(now: now, rate: rate)
        state.hosts[origin] = host
        return isTaken
    }
}
