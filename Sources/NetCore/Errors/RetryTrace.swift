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
