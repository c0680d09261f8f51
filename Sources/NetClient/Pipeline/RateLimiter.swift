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
/// - **Cancelling** a waiting call ends it at once. Its token goes to the next in line. A taken token is spent, whatever the outcome of the request.
///
/// Clients that share a limiter must share their clock.
public final class RateLimiter: HTTPInterceptor {
    private struct Host {
        var bucket = TokenBucket()
        var line = WaitingLine<CheckedContinuation<Void, any Error>>()
        /// Hands out tokens while requests wait.
        var driver: Task<Void, Never>?

        /// Takes a token, if there is one and no request waits.
        mutating func takeToken(now: TimeInterval, rate: TokenBucket.Rate) -> Bool {
            line.isEmpty && bucket.take(now: now, rate: rate)
        }
    }

    private struct State {
        var hosts: [Origin: Host] = [:]
        var sweepsAt = 1_024

        /// Removes hosts with a full bucket when there are many, before one is added.
        mutating func makeRoom(for origin: Origin, now: TimeInterval) {
            guard hosts.count >= sweepsAt, hosts[origin] == nil else { return }
            hosts = hosts.filter { !$0.value.line.isEmpty || !$0.value.bucket.isFull(now: now) }
            sweepsAt = max(1_024, 2 * hosts.count)
        }
    }

    private let maxWaitingPerHost: Int?
    private let rate: TokenBucket.Rate
    private let state = Locked(State())

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - requests: the number of requests to a host in an interval; less than one counts as one.
    ///   - interval: in seconds. Zero, a negative number or NaN sets no limit.
    ///   - burst: the number of requests at once after a pause; nil for `requests`, less than one counts as one.
    ///   - maxWaitingPerHost: the most requests that may wait for a token. One more fails at once with ``LimitExceeded``. Nil sets no limit.
    public init(requests: Int, per interval: TimeInterval = 1, burst: Int? = nil, maxWaitingPerHost: Int? = nil) {
        self.maxWaitingPerHost = maxWaitingPerHost.map { max(0, $0) }
        // At most a century, since infinity cannot be added.
        let seconds = interval > 0 ? min(interval, .longestWait) : 0
        rate = TokenBucket.Rate(interval: seconds / TimeInterval(max(1, requests)), burst: max(1, burst ?? requests))
    }

    /// The number of requests to the URL's host that could be sent now.
    public func availableCount(for url: URL, clock: any NetworkClock = .system) -> Int {
        let now = clock.uptime
        guard let origin = url.origin else { return rate.burst }
        return state.withLock { $0.hosts[origin]?.bucket.tokens(now: now, rate: rate) ?? rate.burst }
    }

    /// The number of requests that wait for a token of the URL's host.
    public func waitingCount(for url: URL) -> Int {
        url.origin.flatMap { origin in state.withLock { $0.hosts[origin]?.line.count } } ?? 0
    }

    var hostCount: Int { state.withLock(\.hosts.count) }

    /// Sends the request on when it has a token.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await admitAndSend(request, next)
    }
}

extension RateLimiter: ImmediateInterceptor {
    package func admit(_ request: inout AdmissionRequest, _ next: Next) throws -> Admission {
        guard let origin = request.origin else { return .passes(nil) }
        let now = next.context.clock.uptime
        return state.withLock { state in
            state.makeRoom(for: origin, now: now)
            return state.hosts[origin, default: Host()].takeToken(now: now, rate: rate) ? .passes(nil) : .waits
        }
    }

    package func waitForAdmission(of request: URLRequest, _ next: Next) async throws -> Admission.Ticket? {
        guard let origin = request.url?.origin else { return nil }
        let context = next.context
        try await context.waitInLine(
            of: .rate, at: origin, for: request,
            enter: { [self] id, waiter in
                let now = context.clock.uptime
                return state.withLock { state in
                    // An earlier cancellation found no waiter and shows here. A later one finds the waiter in the line.
                    if Task.isCancelled { return .cancelled }
                    state.makeRoom(for: origin, now: now)
                    return enter(&state.hosts[origin, default: Host()], of: origin, id: id, waiter, context, now: now)
                }
            }, quit: { [self] in quit(origin, id: $0) })
        return nil
    }

    private func enter(
        _ host: inout Host, of origin: Origin, id: UInt64, _ waiter: CheckedContinuation<Void, any Error>,
        _ context: RequestContext, now: TimeInterval
    ) -> LineEntry {
        if host.takeToken(now: now, rate: rate) { return .granted }
        if let maxWaitingPerHost, host.line.count >= maxWaitingPerHost { return .full }
        let due = host.bucket.dueTime(after: host.line.count(before: context.priority), rate: rate)
        if let deadline = context.deadline, due > deadline { return .tooLate }
        host.line.append(waiter, id: id, priority: context.priority)
        if host.driver == nil {
            host.driver = Task { [self, clock = context.clock] in await handOutTokens(of: origin, clock: clock) }
        }
        return .waiting
    }

    private func quit(_ origin: Origin, id: UInt64) -> CheckedContinuation<Void, any Error>? {
        let (waiter, driver) = state.withLock { state -> (CheckedContinuation<Void, any Error>?, Task<Void, Never>?) in
            let waiter = state.hosts[origin]?.line.remove(id)
            guard waiter != nil, state.hosts[origin]?.line.isEmpty == true else { return (waiter, nil) }
            return (waiter, state.hosts[origin]?.driver.take())
        }
        driver?.cancel()
        return waiter
    }

    /// Sleeps until the next token and hands it to the next request, until none waits.
    private func handOutTokens(of origin: Origin, clock: any NetworkClock) async {
        // Cancelled when the last request left the line. A later request starts another driver.
        while !Task.isCancelled {
            let now = clock.uptime
            let (served, pause) = state.withLock { state in serve(&state.hosts[origin, default: Host()], now: now) }
            for waiter in served { waiter.resume() }
            guard let pause, (try? await clock.sleep(for: pause)) != nil else { return }
        }
    }

    /// Removes the requests that have a token now. Returns them, and the time to the next token if others still wait.
    private func serve(
        _ host: inout Host, now: TimeInterval
    ) -> ([CheckedContinuation<Void, any Error>], pause: TimeInterval?) {
        var served: [CheckedContinuation<Void, any Error>] = []
        while !host.line.isEmpty, host.bucket.take(now: now, rate: rate), let next = host.line.popNext() {
            served.append(next)
        }
        guard host.line.isEmpty else { return (served, host.bucket.dueTime(rate: rate) - now) }
        host.driver = nil
        return (served, nil)
    }
}

/// A token bucket of one host. Its only state is the moment at which it will be full (GCRA), so no rounding accumulates.
struct TokenBucket {
    /// The settings of all buckets of a limiter. Times are seconds.
    struct Rate {
        /// The time in which one token returns.
        let interval: TimeInterval
        let burst: Int
    }

    private var fullAt = -TimeInterval.infinity

    /// Tolerates rounding: a request may be this much early.
    private static let precision: TimeInterval = 1e-6

    /// The uptime of the next token, or of the one after as many as others take. It may be in the past.
    func dueTime(after ahead: Int = 0, rate: Rate) -> TimeInterval {
        fullAt + TimeInterval(1 + ahead - rate.burst) * rate.interval
    }

    mutating func take(now: TimeInterval, rate: Rate) -> Bool {
        guard dueTime(rate: rate) <= now + Self.precision else { return false }
        fullAt = max(fullAt, now) + rate.interval
        return true
    }

    func isFull(now: TimeInterval) -> Bool { fullAt <= now }

    func tokens(now: TimeInterval, rate: Rate) -> Int {
        guard rate.interval > 0 else { return rate.burst }
        let missing = ((fullAt - now - Self.precision) / rate.interval).rounded(.up)
        return rate.burst - Int(min(max(0, missing), TimeInterval(rate.burst)))
    }
}
