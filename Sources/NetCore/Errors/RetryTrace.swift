/// The attempts before the last one: why each failed, why it was sent again, and after which delay.
///
/// Every outcome has it (``TransportResponse/retryTrace``, ``NetworkFailure/retryTrace``, ``NetworkResponse/retryTrace``). It is empty if
/// there was one attempt. After redirects it covers all hops.
///
/// ```swift
/// let (_, response) = try await client.data(for: request)
/// for retry in response.retryTrace.retries { print(retry) }     // attempt 0: request_failed 503; again by policy after 0.3 s
/// ```
public struct RetryTrace: Hashable, Sendable {
    /// The reason for a retry.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The ``RetryPolicy``.
        case policy
        /// A `retry(_:dueTo:currentRetryCount:)`.
        case hook
        /// ``RequestConfig/retryCount``.
        case retryCount = "retry_count"
        /// New credentials.
        case reauthentication
        /// An answer to the server's challenge.
        case challenge
        /// A kept connection turned out to be closed: see ``RetryPolicy/reconnects``.
        case staleConnection = "stale_connection"
        /// A 415 to a compressed body, which is sent again without ``RequestOptions/Compression``.
        case contentCoding = "content_coding"
        /// The device was offline, and the `Resilience.OfflinePolicy` of the client waits.
        case offline
    }

    /// The reason why a requested retry did not happen.
    public enum End: Hashable, Sendable {
        /// The policy or the call allows no more retries.
        case limitReached
        /// The method is not idempotent, and the server may have processed the request.
        case notIdempotent
        /// The body is a stream that can be read only once.
        case bodyNotReplayable
        /// The client's retry budget is used up.
        case budgetEmpty
        /// The server requested a delay of that many seconds, more than ``RetryPolicy/maximumRetryAfter``.
        case retryAfterTooLong(TimeInterval)
        /// The call's deadline has passed, or would have before the retry.
        case deadline
    }

    /// The retries, in order.
    public package(set) var retries: [Retry] = []
    /// The redirects that were followed, in order.
    package var hops: [Redirect] = []
    /// The reason why there was no further retry, or nil after a success or if none was requested.
    public package(set) var end: End?

    package init() {}

    /// The number of redirects followed.
    public var redirects: Int { hops.count }

    /// The number of times the request was sent: the first, the retries, and one for each redirect.
    public var attempts: Int { retries.count + redirects + 1 }

    /// Returns the trace before a redirect followed by the trace of the redirect's target.
    package func followed(by next: RetryTrace, over hop: Redirect) -> RetryTrace {
        var result = self
        result.retries += next.retries
        result.hops += [hop] + next.hops
        result.end = next.end
        return result
    }

    /// Appends the retries of an inner interceptor.
    package mutating func append(_ inner: RetryTrace) { if !inner.retries.isEmpty { retries += inner.retries } }

    /// A redirect that was followed: the head of a response with `Location` (RFC 9110, section 15.4). One from a cache counts too.
    public struct Redirect: Hashable, Sendable {
        /// The URL that answered.
        public let url: URL?
        public let status: Int
        /// The header fields as received, **including secrets**. Descriptions redact them.
        public let headers: HTTPHeaders

        package init(url: URL?, status: Int, headers: HTTPHeaders) {
            self.url = url
            self.status = status
            self.headers = headers
        }
    }

    /// A retry.
    public struct Retry: Hashable, Sendable {
        /// The attempt that failed: 0 for the first.
        public let attempt: Int
        /// The code of the failure: see ``NetworkError/code``.
        public let code: String
        /// The kind of the failure.
        public let kind: ErrorKind
        /// The status, if that was the failure.
        public let statusCode: Int?
        /// The transport's error, if that was the failure.
        public let transportCode: TransportError.Code?
        public let reason: Reason
        /// The delay that the server requested, in seconds, or nil.
        public let retryAfter: TimeInterval?
        /// The delay before the retry, in seconds.
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

extension RetryTrace.Redirect: RedactedReflectable {
    public var shownFields: KeyValuePairs<String, Any?> {
        ["status": status, "url": url?.redactedText, "headers": headers.isEmpty ? nil : headers]
    }
}

extension NetworkFailure {
    /// The redirects that were followed before the failure, in order: see ``TransportResponse/redirects``.
    public var redirects: [RetryTrace.Redirect] { retryTrace.hops }
}
