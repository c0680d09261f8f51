/// When a failed request is sent again by itself, how often, and after what delay.
///
/// ```swift
/// let client = NetworkClient(retryPolicy: RetryPolicy(maxRetries: 5, delay: .fullJitter(base: 0.2)))
/// ```
///
/// **Idempotency.** The built-in rules repeat a method that is not idempotent (POST, PATCH) only if nothing of it can have been
/// processed (``TransportError/isUnprocessed``), or if it has an `Idempotency-Key`: see ``addsIdempotencyKey``. A rule of your own
/// (`shouldRetry`, `decide`), a ``RequestInterceptor``'s hook and ``RequestConfig/retryCount`` are obeyed for any method.
///
/// **What is final.** A cancelled request and an open circuit, whatever the policy says; and nothing is sent after the call's
/// deadline. ``RetryTrace`` tells afterwards what was done and why.
public struct RetryPolicy: Sendable {
    /// How many times a request is sent again at the most.
    public let maxRetries: Int
    /// How long to wait before each. A `Retry-After` of the server makes it longer, never shorter.
    public let delay: RetryDelay
    /// Whether to try again after that failure. A policy made with `decide` asks that instead.
    public let shouldRetry: @Sendable (NetworkFailure) -> Bool
    /// Asked in place of ``shouldRetry``.
    package let decide: (@Sendable (RetryProposal) async throws -> Bool)?
    /// Whether the rule is one of ours, which repeats only what may be repeated. A rule of the user's is obeyed.
    package private(set) var respectsIdempotency = false

    /// The longest `Retry-After` (RFC 9110, section 10.2.3) that is waited for, in seconds. Where the server asks for more, the
    /// call ends at once with what there is: waiting for less would only be refused again.
    public var maximumRetryAfter: TimeInterval = 120
    /// Whether a POST or PATCH without an `Idempotency-Key` gets one, so that it may be repeated: the same for all attempts and
    /// redirects of a call, another for each call. The server has to know the field
    /// (draft-ietf-httpapi-idempotency-key-header); one that does not may process the request twice.
    public var addsIdempotencyKey = false
    /// The statuses after which the client's authentication gets new credentials, once, and repeats the request. As a *client's*
    /// policy one that names none leaves it at 401; as the policy of one call it means none.
    public var reauthenticationStatuses: Set<Int> = [401]
    /// Whether an idempotent request is sent once more, at once, if a connection that was kept from an earlier request turns out
    /// to be closed before any byte of an answer. Nothing was processed: it is no retry in the server's eyes, costs none of
    /// ``maxRetries``, and is done even by ``none``. (libcurl and Apple's loader do so by themselves where they can.)
    public var reconnects = true

    /// A policy.
    ///
    /// - Parameters:
    ///   - maxRetries: how many times a request is sent again at the most; a negative number counts as zero.
    ///   - delay: how long to wait before each.
    public init(maxRetries: Int, delay: RetryDelay = .exponential(base: 1, multiplier: 2, jitter: 0.1)) {
        self.init(maxRetries: maxRetries, delay: delay, shouldRetry: \.isRetryable)
        respectsIdempotency = true
    }

    /// A policy with a rule of your own, which is obeyed for any method whose body can be sent again.
    ///
    /// - Parameters:
    ///   - maxRetries: how many times a request is sent again at the most; a negative number counts as zero.
    ///   - delay: how long to wait before each.
    ///   - shouldRetry: asked after each failure.
    public init(
        maxRetries: Int,
        delay: RetryDelay = .exponential(base: 1, multiplier: 2, jitter: 0.1),
        shouldRetry: @escaping @Sendable (NetworkFailure) -> Bool
    ) {
        self.maxRetries = max(0, maxRetries)
        self.delay = delay
        self.shouldRetry = shouldRetry
        decide = nil
    }

    /// A policy that sees all there is, and may take its time: seed 001's protocol, as a closure.
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
    ///   - maxRetries: how many times a request is sent again at the most; it is not asked beyond that.
    ///   - delay: how long to wait before each.
    ///   - decide: whether to try again. What it throws ends the call: an error of ours as it is, another as
    ///     ``NetworkError/unknown(_:)``.
    public init(
        maxRetries: Int,
        delay: RetryDelay = .exponential(base: 1, multiplier: 2, jitter: 0.1),
        decide: @escaping @Sendable (RetryProposal) async throws -> Bool
    ) {
        self.maxRetries = max(0, maxRetries)
        self.delay = delay
        shouldRetry = \.isRetryable
        self.decide = decide
    }

    /// The same policy, keeping to methods that may be repeated.
    func keepingToIdempotentMethods() -> RetryPolicy {
        var policy = self
        policy.respectsIdempotency = true
        return policy
    }

    /// The same policy, with ``addsIdempotencyKey``.
    public func addingIdempotencyKey() -> RetryPolicy {
        var policy = self
        policy.addsIdempotencyKey = true
        return policy
    }

    /// The delay before a retry, without jitter, in seconds.
    ///
    /// - Parameter attempt: 0 for the first retry.
    public func delay(for attempt: Int) -> TimeInterval {
        delay.seconds(for: attempt, random: 0.5)
    }
}

extension RetryPolicy {
    /// Retries nothing: what `NetworkClient()` does. For one call it also means that no new credentials are tried.
    public static let none: RetryPolicy = {
        var policy = RetryPolicy(maxRetries: 0)
        policy.reauthenticationStatuses = []
        return policy
    }()

    /// Three times after lost connections, timeouts, 408, 500, 502, 503 and 504, from 0.3 s, doubling; new credentials after 401
    /// and 403 (seed 001).
    public static let `default`: RetryPolicy = {
        var policy = RetryPolicy(
            maxRetries: 3,
            delay: .exponential(base: 0.3, multiplier: 2, jitter: 0.1),
            shouldRetry: { failure in
                // The cause's: a connection may be lost after a status of 200.
                failure.cause.statusCode.map([408, 500, 502, 503, 504].contains) ?? failure.isRetryable
            }
        ).keepingToIdempotentMethods()
        policy.reauthenticationStatuses = [401, 403]
        return policy
    }()

    /// Three times after 1, 2 and 4 s if the connection failed or timed out; never for a status (seed 004).
    public static let connectionFailures = RetryPolicy(
        maxRetries: 3,
        delay: .exponential(base: 1, multiplier: 2, jitter: 0),
        shouldRetry: { $0.cause.statusCode == nil && $0.isRetryable }
    ).keepingToIdempotentMethods()
}

// Types of seed 001: here a policy is a value, and these names give the two that are meant.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// ``RetryPolicy/default``, by seed 001's name.
public func DefaultRetryPolicy() -> RetryPolicy { .default }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// ``RetryPolicy/none``, by seed 001's name.
public func NoRetryPolicy() -> RetryPolicy { .none }

/// What a ``RetryPolicy`` is asked about: a request that has failed, and all that is known of it.
public struct RetryProposal: Sendable {
    /// The request as the caller wrote it, before the interceptors of an attempt.
    public let request: URLRequest
    /// What went wrong; ``NetworkError/requestFailed(statusCode:data:)`` for a status of 400 and above. Its
    /// ``NetworkFailure/request`` is the request as sent.
    public let failure: NetworkFailure
    /// How many times the request has been sent again already: 0 after the first attempt.
    public let attempt: Int
    /// Where the call's credentials come from: ``NoAuthProvider`` if there are none.
    public let authenticationProvider: any AuthenticationProvider
    /// The client's clock: sleep by it, if you have to, so that tests take no time.
    public let clock: any NetworkClock

    private let head: TransportResponse?

    /// A question, as the client asks it: public to test policies by themselves.
    ///
    /// - Parameters:
    ///   - request: the request as it was sent.
    ///   - failure: what became of it.
    ///   - response: the response, if there was one.
    ///   - attempt: 0 for the first retry.
    ///   - authenticationProvider: where its credentials come from.
    ///   - clock: the client's.
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
    /// The response's head; nil if the request failed without one. Made anew at each access.
    public var response: HTTPURLResponse? { head?.httpURLResponse }
    /// The response's headers, none of them redacted; nil if there was no response.
    public var headers: HTTPHeaders? { head?.headers }
    /// The status code; nil if there was no response.
    public var statusCode: Int? { head?.status }
    /// The response's body; nil if there was no response. Of one that is read as a stream, the first MiB.
    public var data: Data? {
        if case .requestFailed(_, let data) = failure.cause { data } else { nil }
    }
}
