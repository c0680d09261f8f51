/// What came before the last attempt: why each of the others failed, why it was sent again, and after what delay.
///
/// It is on every outcome (``TransportResponse/retryTrace``, ``NetworkFailure/retryTrace``, ``NetworkResponse/retryTrace``), and
/// empty, which costs nothing, where the first attempt was the last. After redirects it tells of all hops.
///
/// ```swift
/// let (_, response) = try await client.data(for: request)
/// for retry in response.retryTrace.retries { show(retry) }     // attempt 0: request_failed 503; again by policy after 0.3 s
/// ```
public struct RetryTrace: Hashable, Sendable {
    /// Why a request was sent again.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The ``RetryPolicy``.
        case policy
        /// A `retry(_:dueTo:currentRetryCount:)`.
        case hook
        /// ``RequestConfig/retryCount``.
        case retryCount = "retry_count"
        /// There were new credentials.
        case reauthentication
        /// The server's challenge could be answered.
        case challenge
        /// A connection that was kept had been closed: see ``RetryPolicy/reconnects``.
        case staleConnection = "stale_connection"
    }

    /// Why it was not sent again after all, though something wanted to.
    public enum End: Hashable, Sendable {
        /// The policy's or the call's number of retries was used up.
        case limitReached
        /// The method is not idempotent, and something may have been processed.
        case notIdempotent
        /// The body is a stream that can be read once.
        case bodyNotReplayable
        /// The client's budget for retries was empty.
        case budgetEmpty
        /// The server asked for that many seconds, more than ``RetryPolicy/maximumRetryAfter``.
        case retryAfterTooLong(TimeInterval)
        /// The call's deadline would have come first, or has.
        case deadline
    }

    /// The times that it was sent again, in order.
    public package(set) var retries: [Retry] = []
    /// How many redirects were followed.
    public package(set) var redirects = 0
    /// Why there was no further one; nil after a success, or if nothing asked for one.
    public package(set) var end: End?

    package init() {}

    /// How many times a request was sent: the first, those that were retried, and one for each redirect.
    public var attempts: Int { retries.count + redirects + 1 }

    /// What was done before a redirect, and what was done where it led to.
    package func followed(by next: RetryTrace) -> RetryTrace {
        var result = self
        result.retries += next.retries
        result.redirects += next.redirects + 1
        result.end = next.end
        return result
    }

    /// Puts what an interceptor further in has done behind what was done before.
    package mutating func append(_ inner: RetryTrace) {
        if !inner.retries.isEmpty { retries += inner.retries }
    }

    /// One time that the request was sent again.
    public struct Retry: Hashable, Sendable {
        /// The attempt that failed: 0 for the first.
        public let attempt: Int
        /// What failed: see ``NetworkError/code``.
        public let code: String
        /// What failed, in the finer list.
        public let kind: ErrorKind
        /// The status, if that was the failure.
        public let statusCode: Int?
        /// The transport's error, if that was the failure.
        public let transportCode: TransportError.Code?
        /// Why it was sent again.
        public let reason: Reason
        /// How long the server asked to wait, in seconds, if it did.
        public let retryAfter: TimeInterval?
        /// How long was waited, in seconds.
        public let delay: TimeInterval

        package init(
            after failure: NetworkFailure, attempt: Int, reason: Reason, delay: TimeInterval = 0,
            retryAfter: TimeInterval? = nil
        ) {
            self.attempt = attempt
            code = failure.code
            kind = failure.kind
            statusCode = failure.cause.statusCode
            transportCode = failure.transportError?.code
            self.reason = reason
            self.retryAfter = retryAfter
            self.delay = delay
        }
    }
}

extension RetryTrace.Retry: CustomStringConvertible {
    /// `attempt 0: request_failed 503; again by policy after 2.1 s (Retry-After 2 s)`.
    public var description: String {
        let detail = statusCode.map { " \($0)" } ?? transportCode.map { " \($0.rawValue)" } ?? ""
        let asked = retryAfter.map { String(format: " (Retry-After %g s)", $0) } ?? ""
        return "attempt \(attempt): \(code)\(detail); again by \(reason.rawValue)"
            + String(format: " after %g s", delay) + asked
    }
}

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
