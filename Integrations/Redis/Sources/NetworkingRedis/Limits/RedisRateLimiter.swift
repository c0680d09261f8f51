internal import NetClient
public import NetCore

/// Limits the requests of a whole fleet to a host, or to whatever a key stands for.
///
/// ```swift
/// let limiter = RedisRateLimiter(redis, requests: 100, per: 60, burst: 10)     // 10 at once, then one each 0.6 s, for all servers together
/// let client = NetworkClient(interceptors: [limiter])
/// ```
///
/// It is the token bucket of `RateLimiter` (GCRA), with its state in Redis. Each attempt runs one script, with the server's own clock, so the
/// clocks of the fleet need not agree. A request that has to wait reserves its time in Redis and sleeps until then, without asking again. So
/// requests of all servers are served in order of arrival.
///
/// - **Refusals** are those of `RateLimiter`: a call whose time would come after its deadline fails at once with ``NetCore/NetworkError/timeout``
///   over ``NetClient/LimitExceeded``. One that would wait longer than ``maximumWait`` fails with ``NetClient/LimitExceeded`` as its underlying
///   error and the reason `tooManyWaiting`. Neither takes a token.
/// - **A cancelled call** that waited has spent its token.
/// - **Without Redis**, requests pass without a limit, unless `failsOpen` is false. A local `RateLimiter` behind this one bounds them then.
///
/// All servers must use the same settings for a key.
public final class RedisRateLimiter: HTTPInterceptor {
    /// The number of requests in an interval.
    public let requests: Int
    /// The interval, in seconds.
    public let interval: TimeInterval
    /// The number of requests that may be sent at once after a pause.
    public let burst: Int
    /// The longest wait for a token, in seconds.
    public let maximumWait: TimeInterval

    private let redis: RedisClient
    private let prefix: String
    private let failsOpen: Bool
    private let key: @Sendable (URLRequest) -> String?

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - redis: the client.
    ///   - requests: the number of requests in an interval; less than one counts as one.
    ///   - interval: in seconds, up to a day. Zero, a negative number or NaN sets no limit.
    ///   - burst: the number of requests at once after a pause; nil for `requests`.
    ///   - maximumWait: the longest wait for a token, in seconds, up to an hour. With 0, a request without a token fails at once.
    ///   - failsOpen: whether requests pass without a limit if Redis fails. If false, they fail with ``RedisError``.
    ///   - prefix: the start of all names in Redis.
    ///   - key: returns the name of the limit, or nil for no limit. By default the origin of the URL: one limit for each scheme, host and port.
    ///     The name is in Redis in clear text, so it must not hold a secret.
    public init(
        _ redis: RedisClient, requests: Int, per interval: TimeInterval = 1, burst: Int? = nil,
        maximumWait: TimeInterval = 10,
        failsOpen: Bool = true, prefix: String = "rate-limit:",
        key: @escaping @Sendable (URLRequest) -> String? = { RedisRateLimiter.origin(of: $0) }
    ) {
        self.redis = redis
        self.requests = max(1, requests)
        self.interval = interval > 0 ? min(interval, 86_400) : 0
        self.burst = min(max(1, burst ?? requests), 1_000_000)
        self.maximumWait = maximumWait > 0 ? min(maximumWait, 3_600) : 0
        self.failsOpen = failsOpen
        self.prefix = prefix
        self.key = key
    }

    /// Returns the scheme, host and port of a request: `https://api.example.com:443`. Nil for a URL without a host.
    public static func origin(of request: URLRequest) -> String? { request.url.flatMap { RequestOrigin($0)?.text } }

    /// Sends the request on when it has a token.
    ///
    /// - Throws: ``NetCore/NetworkFailure`` over ``NetClient/LimitExceeded``; ``RedisError`` unless the limiter fails open.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard interval > 0, let key = key(request) else { return try await next(request) }
        let wait: TimeInterval
        do {
            wait = try await reserve(key, until: next.context.timeRemaining)
        } catch is RedisError where failsOpen {
            return try await next(request)
        }
        if wait > 0 {
            try await next.context.clock.sleep(for: wait)
        } else if wait < 0 {
            throw refusal(of: request, wait: -wait, next.context)
        }
        return try await next(request)
    }

    /// Returns the seconds until the token, or a negative number if the wait would be too long.
    private func reserve(_ key: String, until timeRemaining: TimeInterval?) async throws -> TimeInterval {
        let limit = max(0, min(maximumWait, timeRemaining ?? .infinity))
        let times = [interval / TimeInterval(requests), limit, maximumWait].map { seconds in
            RedisCommand.Word("\(Int64((seconds * 1e6).rounded(.up)))")
        }
        let reply = try await redis.run(Self.script, keys: ["\(prefix){\(key)}"], ["\(burst)"] + times)
        guard case .integer(let wait) = reply else {
            throw RedisError.refused("The reply of the limit is not a number.")
        }
        return TimeInterval(wait) / 1e6
    }

    private func refusal(of request: URLRequest, wait: TimeInterval, _ context: RequestContext) -> NetworkFailure {
        let isDeadline = wait <= maximumWait
        let error = LimitExceeded(
            limit: .rate, reason: isDeadline ? .deadline : .tooManyWaiting, host: request.url?.host?.lowercased() ?? "")
        return NetworkFailure(
            cause: isDeadline ? .timeout : .unknown(error), underlyingError: error, timestamp: context.clock.now)
    }

    /// Takes a token, or reserves the next one. Times are microseconds of the server.
    ///
    /// Arguments: the burst, the time in which a token returns, the longest wait of this request, the longest wait of any. Returns the wait, or
    /// its negative if it would be too long. The key holds the time at which the bucket will be full. A time that no request can have caused,
    /// as after a jump of the server's clock, does not count.
    private static let script = RedisScript(
        """
        local now = redis.call('TIME')
        now = now[1] * 1000000 + now[2]
        local burst, interval, limit, longest = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
        local full = tonumber(redis.call('GET', KEYS[1]) or now) or now
        if full > now + interval * burst + longest then full = now end
        full = math.max(now, full)
        local wait = math.max(0, full - interval * (burst - 1) - now)
        if wait > limit then return -wait end
        full = full + interval
        redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', math.ceil((full - now) / 1000) + 1)
        return wait
        """)
}
