/// Limits the number of requests to a host in a time. The others wait in line.
///
/// It is a token bucket for each host (scheme, host and port): a request takes a token, and tokens return at a steady pace.
///
/// ```swift
/// let limiter = RateLimiter(requests: 100, per: 60, burst: 10)    // 10 at once, then one each 0.6 s
/// let client = NetworkClient(interceptors: [limiter])
/// ```
///
/// - **Order:** by ``RequestContext/priority``, within one by arrival. After seven tokens in a row that overtook the oldest request, the oldest
///   one is next, so that no request starves.
/// - **Time in line** does not count for the request's own timeout, but for the call's ``RequestContext/deadline``. A call whose token would come
///   after its deadline fails at once with ``NetworkError/timeout`` over ``LimitExceeded``. A call that is overtaken until it is too late fails
///   at its deadline.
/// - **Cancelling** a waiting call ends it at once. Its token goes to the next in line. A taken token is spent, whatever the outcome of the
///   request.
///
/// Clients that share a limiter must share their clock.
public final class RateLimiter: HTTPInterceptor {
    struct Host {
        var bucket = TokenBucket()
        var line = WaitingLine<CheckedContinuation<Void, any Error>>()
        /// Hands out tokens while requests wait.
        var driver: Task<Void, Never>?
        var driverID: UInt64 = 0
    }

    struct State {
        /// When there are many hosts, those with a full bucket are removed.
        var hosts: [Origin: Host] = [:]
        var sweepsAt = 1_024
        var lastID: UInt64 = 0

        mutating func nextID() -> UInt64 {
            lastID += 1
            return lastID
        }
    }

    /// The number of requests to a host in an interval.
    public let requests: Int
    /// The interval, in seconds.
    public let interval: TimeInterval
    /// The number of requests that may be sent at once after a pause.
    public let burst: Int
    /// The most requests to a host that may wait; nil for no limit.
    public let maxWaitingPerHost: Int?

    let rate: TokenBucket.Rate
    let state = Locked(State())

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - requests: the number of requests to a host in an interval; less than one counts as one.
    ///   - interval: in seconds. Zero, a negative number or NaN sets no limit.
    ///   - burst: the number of requests at once after a pause; nil for `requests`, less than one counts as one.
    ///   - maxWaitingPerHost: the most requests that may wait for a token. One more fails at once with ``LimitExceeded``. Nil sets no limit.
    public init(requests: Int, per interval: TimeInterval = 1, burst: Int? = nil, maxWaitingPerHost: Int? = nil) {
        self.requests = max(1, requests)
        // At most a century, since infinity cannot be added.
        self.interval = interval > 0 ? min(interval, .longestWait) : 0
        self.burst = max(1, burst ?? requests)
        self.maxWaitingPerHost = maxWaitingPerHost.map { max(0, $0) }
        rate = TokenBucket.Rate(interval: self.interval / TimeInterval(self.requests), burst: self.burst)
    }

    /// The number of requests to the URL's host that could be sent now.
    public func availableCount(for url: URL, clock: any NetworkClock = .system) -> Int {
        let now = clock.uptime
        guard let origin = url.origin else { return burst }
        return state.withLock { $0.hosts[origin]?.bucket.tokens(now: now, rate: rate) ?? burst }
    }

    /// The number of requests that wait for a token of the URL's host.
    public func waitingCount(for url: URL) -> Int {
        guard let origin = url.origin else { return 0 }
        return state.withLock { $0.hosts[origin]?.line.count ?? 0 }
    }

    /// The number of hosts with a bucket.
    var hostCount: Int { state.withLock(\.hosts.count) }

    /// Sends the request on when it has a token.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await admitAndSend(request, next)
    }

    /// Takes a token, if there is one and no request waits.
    private func takeToken(of origin: Origin, now: TimeInterval, in state: inout State) -> Bool {
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

extension RateLimiter: ImmediateInterceptor {
    package func admit(_ request: inout AdmissionRequest, _ next: Next) throws -> Admission {
        guard let origin = request.origin else { return .passes(nil) }
        let now = next.context.clock.uptime
        return state.withLock { takeToken(of: origin, now: now, in: &$0) } ? .passes(nil) : .waits
    }

    package func waitForAdmission(of request: URLRequest, _ next: Next) async throws -> Admission.Ticket? {
        guard let origin = request.url?.origin else { return nil }
        let context = next.context
        let id = state.withLock { $0.nextID() }
        try await context.waitInLine(
            of: .rate, at: origin, for: request,
            enter: { [self] in enter(origin, id: id, context, $0) },
            quit: { [self] in quit(origin, id: id) })
        return nil
    }

    private func enter(
        _ origin: Origin, id: UInt64, _ context: RequestContext, _ continuation: CheckedContinuation<Void, any Error>
    ) -> LineEntry {
        let now = context.clock.uptime
        return state.withLock { state in
            // An earlier cancellation found no waiter and shows here. A later one finds the waiter in the line.
            if Task.isCancelled { return .cancelled }
            if takeToken(of: origin, now: now, in: &state) { return .granted }
            guard let index = state.hosts.index(forKey: origin) else { return .cancelled }
            if let maxWaitingPerHost, state.hosts.values[index].line.count >= maxWaitingPerHost { return .full }
            let ahead = state.hosts.values[index].line.count(before: context.priority)
            let due = state.hosts.values[index].bucket.dueTime(after: ahead, rate: rate)
            if let deadline = context.deadline, due > deadline { return .tooLate }
            state.hosts.values[index].line.append(continuation, id: id, priority: context.priority)
            if state.hosts.values[index].driver == nil {
                let driverID = state.nextID()
                state.hosts.values[index].driverID = driverID
                state.hosts.values[index].driver = Task { [self, clock = context.clock] in
                    await handOutTokens(of: origin, driverID: driverID, clock: clock)
                }
            }
            return .waiting
        }
    }

    private func quit(_ origin: Origin, id: UInt64) {
        let (waiter, driver) = state.withLock { state -> (CheckedContinuation<Void, any Error>?, Task<Void, Never>?) in
            guard let index = state.hosts.index(forKey: origin),
                let waiter = state.hosts.values[index].line.remove(id)
            else { return (nil, nil) }
            guard state.hosts.values[index].line.isEmpty else { return (waiter, nil) }
            defer { state.hosts.values[index].driver = nil }
            return (waiter, state.hosts.values[index].driver)
        }
        driver?.cancel()
        waiter?.resume(throwing: CancellationError())
    }

    /// Sleeps until the next token and hands it to the next request, until none waits.
    private func handOutTokens(of origin: Origin, driverID: UInt64, clock: any NetworkClock) async {
        while true {
            let now = clock.uptime
            let (served, pause) = state.withLock { state -> ([CheckedContinuation<Void, any Error>], TimeInterval?) in
                // If the line was empty for a moment, another driver has taken over.
                guard let index = state.hosts.index(forKey: origin), state.hosts.values[index].driver != nil,
                    state.hosts.values[index].driverID == driverID
                else { return ([], nil) }
                var served: [CheckedContinuation<Void, any Error>] = []
                while !state.hosts.values[index].line.isEmpty,
                    state.hosts.values[index].bucket.take(now: now, rate: rate),
                    let next = state.hosts.values[index].line.popNext()
                {
                    served.append(next)
                }
                if state.hosts.values[index].line.isEmpty {
                    state.hosts.values[index].driver = nil
                    return (served, nil)
                }
                return (served, state.hosts.values[index].bucket.dueTime(rate: rate) - now)
            }
            for waiter in served { waiter.resume() }
            guard let pause else { return }
            do {
                try await clock.sleep(for: pause)
            } catch {
                // Cancelled when the last request left the line.
                return
            }
        }
    }
}

/// A token bucket of one host. Its only state is the moment at which it will be full (GCRA), so no rounding accumulates.
struct TokenBucket {
    /// The settings of all buckets of a limiter. Times are seconds.
    struct Rate {
        /// The time in which one token returns.
        let interval: TimeInterval
        /// The number of tokens in a full bucket.
        let burst: Int

        /// The time that requests may be ahead of the steady pace.
        var tolerance: TimeInterval { TimeInterval(burst - 1) * interval }
    }

    /// The uptime at which the bucket is full.
    private var fullAt = -TimeInterval.infinity

    /// Tolerates rounding: a request may be this much early.
    private static let precision: TimeInterval = 1e-6

    /// The uptime of the next token. It may be in the past.
    ///
    /// - Parameter ahead: the number of tokens that others take before.
    func dueTime(after ahead: Int = 0, rate: Rate) -> TimeInterval {
        fullAt - rate.tolerance + TimeInterval(ahead) * rate.interval
    }

    /// Takes a token, if there is one.
    mutating func take(now: TimeInterval, rate: Rate) -> Bool {
        guard dueTime(rate: rate) <= now + Self.precision else { return false }
        fullAt = max(fullAt, now) + rate.interval
        return true
    }

    func isFull(now: TimeInterval) -> Bool { fullAt <= now }

    /// The number of tokens.
    func tokens(now: TimeInterval, rate: Rate) -> Int {
        guard rate.interval > 0 else { return rate.burst }
        let missing = ((fullAt - now - Self.precision) / rate.interval).rounded(.up)
        return rate.burst - Int(min(max(0, missing), TimeInterval(rate.burst)))
    }
}
