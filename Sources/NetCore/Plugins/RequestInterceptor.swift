/// Adapts requests before they are sent, and decides after a failure whether they are sent again (seed 000, Interceptors).
///
/// It stands in the same list as every ``HTTPInterceptor``: its `intercept` only adapts. The client's one retry engine asks
/// the `retry` hook of each in the list, in order; the first answer other than ``RetryResult/doNotRetry`` is obeyed, also for
/// a POST, as long as the body can be sent again.
///
/// ```swift
/// struct TokenInterceptor: RequestInterceptor {
///     let tokens: TokenStore
///     func adapt(_ request: URLRequest) async throws -> URLRequest {
///         var request = request
///         request.setValue("Bearer \(await tokens.current)", forHTTPHeaderField: "Authorization")
///         return request
///     }
///     func retry(
///         _ request: URLRequest, dueTo error: NetworkError, currentRetryCount: Int
///     ) async throws -> RetryResult {
///         guard error.statusCode == 401, currentRetryCount == 0 else { return .doNotRetry }
///         try await tokens.refresh()
///         return .retry
///     }
/// }
/// ```
public protocol RequestInterceptor: HTTPInterceptor {
    /// Gives the request to send in place of this one: with a token, a signature, another URL.
    ///
    /// Called for every attempt. A body that is in memory shows as `httpBody`, and a changed `httpBody` replaces the body.
    ///
    /// After a redirect to another origin, `Authorization`, `Cookie` and `Proxy-Authorization` that it adds are not sent: they
    /// were not meant for a stranger. An ``HTTPInterceptor``, which sees ``RequestContext/origin``, may send them.
    ///
    /// - Throws: to fail the call early, as ``NetworkError/invalidRequest`` with what was thrown beneath it. A
    ///   ``NetworkError`` and `CancellationError` pass as they are.
    func adapt(_ request: URLRequest) async throws -> URLRequest

    /// Decides what to do after a failed attempt: an error, or a status of 400 and above.
    ///
    /// - Parameters:
    ///   - request: the request as the caller wrote it.
    ///   - error: what went wrong; ``NetworkError/requestFailed(statusCode:data:)`` for a status.
    ///   - currentRetryCount: how many times it has been sent again already: 0 after the first attempt. Set an upper
    ///     limit by it.
    /// - Throws: to give up with that error in place of `error`.
    func retry(
        _ request: URLRequest, dueTo error: NetworkError, currentRetryCount: Int
    ) async throws -> RetryResult
}

extension RequestInterceptor {
    /// Leaves the request as it is.
    public func adapt(_ request: URLRequest) async throws -> URLRequest { request }

    /// Leaves the decision to others.
    public func retry(
        _ request: URLRequest, dueTo error: NetworkError, currentRetryCount: Int
    ) async throws -> RetryResult { .doNotRetry }

    /// Adapts the request and sends it on.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var next = next
        let request = try await adaptOrRefuse(request, next: &next)
        return try await next(request)
    }

    private func adaptOrRefuse(_ request: URLRequest, next: inout Next) async throws -> URLRequest {
        do {
            return try await next.adapt(request, by: adapt)
        } catch let error where error is NetworkError || error is NetworkFailure || error is CancellationError {
            throw error
        } catch {
            throw NetworkFailure(
                cause: .invalidRequest, request: RequestSnapshot(request), underlyingError: error,
                timestamp: next.context.clock.now)
        }
    }
}

/// What to do after a failed attempt (seed 000).
public enum RetryResult: Sendable {
    /// Give the error to the caller, unless another interceptor or the retry policy wants to try again.
    case doNotRetry
    /// Send it again at once.
    case retry
    /// Send it again after that many seconds.
    case retryWithDelay(TimeInterval)
    /// Send it again after a delay that grows with each attempt.
    case retryWithExponentialBackoff(ExponentialBackoff)
}
