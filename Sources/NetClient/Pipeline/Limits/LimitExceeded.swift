public import NetCore

/// Why a limit of this client's own turned a request away: nothing was sent, and the server has no part in it.
///
/// It is the ``NetworkFailure/underlyingError`` of the failure, whose cause is ``NetworkError/timeout`` for
/// ``Reason/deadline`` and ``NetworkError/unknown(_:)`` for ``Reason/tooManyWaiting``. ``CircuitBreaker`` does not count it.
public struct LimitExceeded: Error, Hashable, Sendable {
    /// What was exhausted.
    public enum Limit: String, Hashable, Sendable, CaseIterable {
        /// Requests in an interval: ``RateLimiter``.
        case rate
        /// Requests at the same time: ``ConcurrencyLimiter``.
        case concurrency
    }

    /// Why the request did not wait for its turn.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The call's deadline passed in the line, or would have.
        case deadline
        /// As many requests as are allowed to wait were waiting.
        case tooManyWaiting = "too_many_waiting"
    }

    /// What was exhausted.
    public let limit: Limit
    /// Why the request did not wait for its turn.
    public let reason: Reason
    /// The host, in lower case.
    public let host: String

    /// A limit, for limiters of your own: breaker and users then know it as one.
    public init(limit: Limit, reason: Reason, host: String) {
        self.limit = limit
        self.reason = reason
        self.host = host
    }

    func failure(of request: URLRequest, at time: Date) -> NetworkFailure {
        NetworkFailure(
            cause: reason == .deadline ? .timeout : .unknown(self), request: RequestSnapshot(request),
            underlyingError: self, timestamp: time)
    }
}

extension LimitExceeded: SecretFreeError, LocalizedError {
    /// One line for a log.
    public var description: String {
        switch reason {
        case .deadline: "The \(limit.rawValue) limit for \(host) left no turn before the call's deadline."
        case .tooManyWaiting: "The \(limit.rawValue) limit for \(host) has as many requests waiting as it allows."
        }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
