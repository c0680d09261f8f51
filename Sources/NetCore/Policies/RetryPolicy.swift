/// Decides when a failed request is sent again, how often, and after what delay.
///
/// ```swift
/// let client = NetworkClient(retryPolicy: RetryPolicy(maxRetries: 5, delay: .fullJitter(base: 0.2)))
/// ```
///
/// **Idempotency.** The built-in rules repeat a method that is not idempotent (POST, PATCH) only if the server cannot have processed it
/// (``TransportError/isUnprocessed``), or if it has an `Idempotency-Key`: see ``addsIdempotencyKey``. Your own rule (`shouldRetry`,
/// `decide`), a ``RequestInterceptor``'s hook and ``RequestConfig/retryCount`` apply to any method.
///
/// **Never retried** are a cancelled request and an open circuit, and nothing is sent after the call's deadline. ``RetryTrace`` tells
/// afterwards what happened and why.
public struct RetryPolicy: Sendable {
    /// The maximum number of retries.
    public let maxRetries: Int
    /// The delay before each retry. A `Retry-After` of the server makes it longer, never shorter.
    public let delay: RetryPolicy.Delay
    /// Whether to retry after that failure. A policy made with `decide` calls that instead.
    public let shouldRetry: @Sendable (NetworkFailure) -> Bool
    /// Replaces ``shouldRetry``.
    package private(set) var decide: (@Sendable (RetryPolicy.Proposal) async throws -> Bool)?
    /// Whether the rule is built in and repeats only what is safe to repeat. The user's own rule is always obeyed.
    package private(set) var respectsIdempotency = false

    /// The longest `Retry-After` (RFC 9110, section 10.2.3) to wait for, in seconds. If the server requests more, the call fails at once:
    /// an earlier retry would only be refused again.
    public var maximumRetryAfter: TimeInterval = 120
    /// Whether a POST or PATCH without an `Idempotency-Key` gets one, so that it may be repeated: the same for all attempts and redirects of a call,
    /// another for each call. The server must support the field (draft-ietf-httpapi-idempotency-key-header), or it may process the request twice.
    public var addsIdempotencyKey = false
    /// The statuses after which the client refreshes the credentials, once, and repeats the request. An empty set means 401 in a *client's*
    /// policy, and none in a call's policy.
    public var reauthenticationStatuses: Set<Int> = [401]
    /// Whether a request is sent once more, at once, if a reused connection turns out to be closed before any byte of the response. An
    /// idempotent request is; another one only if the server cannot have processed it (``TransportError/isUnprocessed``). It does not count
    /// towards ``maxRetries``, and applies even to ``none``.
    public var reconnects = true

    /// Creates a policy with the built-in rule.
    ///
    /// - Parameters:
    ///   - maxRetries: the maximum number of retries; a negative number counts as zero.
    ///   - delay: the delay before each.
    public init(maxRetries: Int, delay: RetryPolicy.Delay = .exponential(base: 1, multiplier: 2, jitter: 0.1)) {
        self.init(maxRetries: maxRetries, delay: delay, shouldRetry: \.isRetryable)
        respectsIdempotency = true
    }

    /// Creates a policy with your own rule, which applies to any method whose body can be sent again.
    ///
    /// - Parameters:
    ///   - maxRetries: the maximum number of retries; a negative number counts as zero.
    ///   - delay: the delay before each.
    ///   - shouldRetry: called after each failure.
    public init(
        maxRetries: Int, delay: RetryPolicy.Delay = .exponential(base: 1, multiplier: 2, jitter: 0.1),
        shouldRetry: @escaping @Sendable (NetworkFailure) -> Bool
    ) {
        self.maxRetries = max(0, maxRetries)
        self.delay = delay
        self.shouldRetry = shouldRetry
    }

    /// Creates a policy with an asynchronous rule, which sees the whole attempt.
    ///
    /// ```swift
    /// let tokens = TokenStore()
    /// let policy = RetryPolicy(
    ///     maxRetries: 5, delay: .exponential(base: 1),
    ///     decide: { proposal in
    ///         if proposal.statusCode == 419 { try await tokens.refresh() }
    ///         return [419, 429, 503, 504].contains(proposal.statusCode)
    ///     })
    /// ```
    ///
    /// - Parameters:
    ///   - maxRetries: the maximum number of retries; the rule is not called beyond it.
    ///   - delay: the delay before each.
    ///   - decide: whether to retry. If it throws, the call fails: with a network error as it is, with any other error as
    ///     ``NetworkError/unknown(_:)``.
    public init(
        maxRetries: Int, delay: RetryPolicy.Delay = .exponential(base: 1, multiplier: 2, jitter: 0.1),
        decide: @escaping @Sendable (RetryPolicy.Proposal) async throws -> Bool
    ) {
        self.init(maxRetries: maxRetries, delay: delay, shouldRetry: \.isRetryable)
        self.decide = decide
    }

    /// Returns the same policy, restricted to methods that are safe to repeat.
    func keepingToIdempotentMethods() -> RetryPolicy {
        var policy = self
        policy.respectsIdempotency = true
        return policy
    }

    /// Returns the same policy, with ``addsIdempotencyKey``.
    public func addingIdempotencyKey() -> RetryPolicy {
        var policy = self
        policy.addsIdempotencyKey = true
        return policy
    }

    /// Returns the delay before a retry without jitter, in seconds.
    ///
    /// - Parameter attempt: 0 for the first retry.
    public func delay(for attempt: Int) -> TimeInterval { delay.seconds(for: attempt, random: 0.5) }
}

extension RetryPolicy {
    /// Never retries; the default of `NetworkClient`. As a call's policy it also prevents a refresh of credentials.
    public static let none: RetryPolicy = {
        var policy = RetryPolicy(maxRetries: 0)
        policy.reauthenticationStatuses = []
        return policy
    }()

    /// Three retries after lost connections, timeouts, 408, 500, 502, 503 and 504, from 0.3 s, doubling. Renews credentials after 401 and 403.
    public static let `default`: RetryPolicy = {
        var policy = RetryPolicy(
            maxRetries: 3, delay: .exponential(base: 0.3, multiplier: 2, jitter: 0.1),
            shouldRetry: { failure in
                // The cause's status: a connection may be lost after a status of 200.
                failure.cause.statusCode.map([408, 500, 502, 503, 504].contains) ?? failure.isRetryable
            }
        ).keepingToIdempotentMethods()
        policy.reauthenticationStatuses = [401, 403]
        return policy
    }()

    /// Three retries after 1, 2 and 4 s if the connection failed or timed out; never for a status.
    public static let connectionFailures = RetryPolicy(
        maxRetries: 3, delay: .exponential(base: 1, multiplier: 2, jitter: 0),
        shouldRetry: { $0.cause.statusCode == nil && $0.isRetryable }
    ).keepingToIdempotentMethods()
}

// Functions with the names of types, because a policy is a value.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The same as ``RetryPolicy/default``.
public func DefaultRetryPolicy() -> RetryPolicy { .default }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The same as ``RetryPolicy/none``.
public func NoRetryPolicy() -> RetryPolicy { .none }

extension RetryPolicy {
    /// A failed attempt, about which a ``RetryPolicy`` decides.
    public struct Proposal: Sendable {
        /// The caller's request, before the interceptors of an attempt.
        public let request: URLRequest
        /// The failure: ``NetworkError/requestFailed(statusCode:data:)`` for a status of 400 and above. Its ``NetworkFailure/request`` is the
        /// request as sent.
        public let failure: NetworkFailure
        /// The number of retries so far: 0 after the first attempt.
        public let attempt: Int
        /// The source of the call's credentials: ``NoAuthProvider`` if there is none.
        public let authenticationProvider: any AuthenticationProvider
        /// The client's clock. Use it to sleep, so that tests take no time.
        public let clock: any NetworkClock
        private let head: TransportResponse?

        /// Creates a proposal. Public for tests of policies.
        public init(
            request: URLRequest, failure: NetworkFailure, response: TransportResponse? = nil, attempt: Int = 0,
            authenticationProvider: any AuthenticationProvider = .none, clock: any NetworkClock = .system
        ) {
            self.request = request
            self.failure = failure
            head = response
            self.attempt = attempt
            self.authenticationProvider = authenticationProvider
            self.clock = clock
        }

        /// The same as ``failure``.
        public var error: NetworkFailure { failure }
        /// The response's head, or nil without a response. Created at each access.
        public var response: HTTPURLResponse? { head?.httpURLResponse }
        /// The response's headers, unredacted, or nil without a response.
        public var headers: HTTPHeaders? { head?.headers }
        /// The status code, or nil without a response.
        public var statusCode: Int? { head?.status }
        /// The response's body, or nil without a response. Of a streamed body, the first MiB.
        public var data: Data? { if case .requestFailed(_, let data) = failure.cause { data } else { nil } }
    }

    /// The delay before a retry. All durations are in seconds; negative numbers and NaN count as zero.
    ///
    /// Random delays keep clients that failed together from retrying together. ``exponential(base:multiplier:jitter:maximum:)`` is nearly
    /// predictable. ``fullJitter(base:multiplier:maximum:)`` and ``decorrelatedJitter(base:maximum:)`` spread widely, for fleets of clients.
    public enum Delay: Hashable, Sendable {
        case immediate
        /// The same number of seconds each time.
        case fixed(TimeInterval)
        /// `base` seconds, multiplied by `multiplier` each time, spread by ±`jitter` (a fraction), at most `maximum`.
        case exponential(base: TimeInterval, multiplier: Double = 2, jitter: Double = 0.1, maximum: TimeInterval = 120)
        /// A random delay from zero to that of ``exponential(base:multiplier:jitter:maximum:)`` without jitter.
        case fullJitter(base: TimeInterval, multiplier: Double = 2, maximum: TimeInterval = 120)
        /// A random delay from `base` to three times the previous delay, at most `maximum`. It grows like the others, whatever the attempt's number.
        case decorrelatedJitter(base: TimeInterval, maximum: TimeInterval = 120)

        /// Returns the delay in seconds. It is never negative or NaN, and infinite only if a duration was.
        ///
        /// - Parameters:
        ///   - attempt: 0 for the first retry. A negative number counts as 0.
        ///   - previous: the delay before the last retry, for ``decorrelatedJitter(base:maximum:)``. Nil uses the middle of the spread at `attempt`.
        ///   - random: a number from 0 to 1. Any other number counts as 0.5, the middle of the spread.
        public func seconds(for attempt: Int, previous: TimeInterval? = nil, random: Double) -> TimeInterval {
            let random = (0...1).contains(random) ? random : 0.5
            switch self {
            case .immediate: return 0
            case .fixed(let seconds): return seconds > 0 ? seconds : 0
            case .exponential(let base, let multiplier, let jitter, let maximum):
                return ExponentialBackoff(baseDelay: base, backoffBase: multiplier, maxDelay: maximum, jitter: jitter)
                    .delay(for: attempt, random: random)
            case .fullJitter(let base, let multiplier, let maximum):
                // Avoids zero times infinity, which is NaN.
                guard random > 0 else { return 0 }
                let backoff = ExponentialBackoff(baseDelay: base, backoffBase: multiplier, maxDelay: maximum)
                return random * backoff.delay(for: attempt)
            case .decorrelatedJitter(let base, let maximum):
                guard base > 0, maximum > 0 else { return 0 }
                // Without it, as if all delays had been in the middle of their spread.
                let last = previous ?? base * (2 * pow(1.5, Double(max(0, attempt))) - 1)
                let delay = base + random * (max(last, base) * 3 - base)
                // NaN is an overflow here.
                return delay < maximum ? delay : maximum
            }
        }
    }
}

/// A delay that grows by a factor with each retry: `baseDelay`, `baseDelay * backoffBase`, and so on.
///
/// The client sleeps for ``delay(for:)`` spread by ±``jitter``, so that clients that failed together do not retry together.
public struct ExponentialBackoff: Hashable, Sendable {
    /// The first delay, in seconds.
    public let baseDelay: TimeInterval
    /// The factor from one delay to the next.
    public let backoffBase: Double
    /// The longest delay, in seconds.
    public let maxDelay: TimeInterval
    /// The spread of a delay in both directions, as a fraction: 0.1 for ±10 %.
    public let jitter: Double

    /// Creates a schedule. A negative number or NaN counts as zero (for `backoffBase`, as one), and jitter is clamped to 0 to 1.
    public init(
        baseDelay: TimeInterval = 1, backoffBase: Double = 2, maxDelay: TimeInterval = 120, jitter: Double = 0.1
    ) {
        self.baseDelay = baseDelay > 0 ? baseDelay : 0
        self.backoffBase = backoffBase > 0 ? backoffBase : 1
        self.maxDelay = maxDelay > 0 ? maxDelay : 0
        self.jitter = jitter > 0 ? Swift.min(jitter, 1) : 0
    }

    /// Returns the delay before a retry without jitter, in seconds.
    ///
    /// - Parameter retryCount: 0 for the first retry. A negative number counts as 0.
    public func delay(for retryCount: Int) -> TimeInterval {
        // Avoids zero times infinity, which is NaN.
        guard baseDelay > 0 else { return 0 }
        let delay = baseDelay * pow(backoffBase, Double(Swift.max(0, retryCount)))
        return delay < maxDelay ? delay : maxDelay
    }

    /// Returns the delay with jitter, in seconds.
    ///
    /// - Parameters:
    ///   - retryCount: 0 for the first retry.
    ///   - random: a number from 0 to 1. Any other number counts as 0.5, which leaves the delay unchanged.
    public func delay(for retryCount: Int, random: Double) -> TimeInterval {
        let random = (0...1).contains(random) ? random : 0.5
        let middle = delay(for: retryCount)
        // Avoids zero times infinity, which is NaN.
        guard middle < .infinity else { return middle }
        return Swift.min(middle * (1 + jitter * (2 * random - 1)), maxDelay)
    }
}
