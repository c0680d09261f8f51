/// Adapts requests before they are sent, and decides after a failure whether they are sent again (seed 000, Interceptors).
///
/// It stands in the same list as every ``HTTPInterceptor``. The client calls ``adapt(_:)`` when it prepares the request, before the
/// cache sees it. Its one retry engine asks the `retry` hook of each in the list, in order; the first answer other than
/// ``RetryResult/doNotRetry`` is obeyed, also for a POST, as long as the body can be sent again.
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
    /// Called once for each hop, before the cache, and again for each later attempt. A body that is in memory shows as `httpBody`, and a
    /// changed `httpBody` replaces the body.
    ///
    /// After a redirect to another origin, credentials that it adds are not sent: header fields that are not known to be harmless, and
    /// query items. An ``HTTPInterceptor``, which sees ``RequestContext/origin``, may send them.
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

    /// Decides what to do after a failed attempt: the same for hooks that are declared with `any Error`. The client calls this one.
    ///
    /// - Parameters:
    ///   - request: the request as the caller wrote it.
    ///   - error: a ``NetworkError``.
    ///   - currentRetryCount: how many times it has been sent again already.
    /// - Throws: to give up with that error in place of `error`.
    func retry(
        _ request: URLRequest, dueTo error: any Error, currentRetryCount: Int
    ) async throws -> RetryResult
}

extension RequestInterceptor {
    /// Leaves the request as it is.
    public func adapt(_ request: URLRequest) async throws -> URLRequest { request }

    /// Leaves the decision to others.
    public func retry(
        _ request: URLRequest, dueTo error: NetworkError, currentRetryCount: Int
    ) async throws -> RetryResult { .doNotRetry }

    /// Asks the same question of the overload for ``NetworkError``.
    public func retry(
        _ request: URLRequest, dueTo error: any Error, currentRetryCount: Int
    ) async throws -> RetryResult {
        try await retry(request, dueTo: NetworkError(mapping: error), currentRetryCount: currentRetryCount)
    }

    /// Sends the request on. In the list of a client it was adapted when it was prepared; elsewhere it is adapted here.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard !next.isAdapted(by: Self.self) else { return try await next(request) }
        var next = next
        let adapted: URLRequest
        do {
            adapted = try await next.adapt(request, by: adapt)
        } catch {
            throw NetworkFailure.ofHook(error, request: request, timestamp: next.context.clock.now)
        }
        return try await next(adapted)
    }
}

extension NetworkFailure {
    /// What a hook has thrown, as the caller gets it: cancellation, an error of ours or of the network as what it is, anything else as
    /// ``NetworkError/invalidRequest``.
    package static func ofHook(_ error: any Error, request: URLRequest, timestamp: Date) -> any Error {
        if error is CancellationError || error is NetworkError || error is NetworkFailure { return error }
        if let error = error as? URLError {
            let mapped = NetworkError(error)
            if mapped.isRetryable || mapped == .noInternetConnection || mapped == .cancelled { return mapped }
        }
        return NetworkFailure(
            cause: .invalidRequest, request: RequestSnapshot(request), underlyingError: error, timestamp: timestamp)
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

/// Looks at requests before they are sent and at responses after they came (seed 003).
///
/// It stands in the same list as every ``HTTPInterceptor``. The response half runs on buffered responses: where the caller
/// reads the body as a stream, only the request half runs. Write an ``HTTPInterceptor`` to work on streams.
public protocol Interceptor: HTTPInterceptor {
    /// Gives the request to send in place of this one. When it is called, bodies and credentials are as in
    /// ``RequestInterceptor/adapt(_:)``.
    func intercept(request: URLRequest) async throws -> URLRequest

    /// Gives the body to use in place of this one. Called for every status.
    func intercept(response: HTTPURLResponse, data: Data) async throws -> Data
}

extension Interceptor {
    /// Leaves the request as it is.
    public func intercept(request: URLRequest) async throws -> URLRequest { request }

    /// Leaves the body as it is.
    public func intercept(response: HTTPURLResponse, data: Data) async throws -> Data { data }

    /// Sends the request on, and runs the response half if the body is to be collected. The request half has run when the client
    /// prepared the request; outside of a client it runs here.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var next = next
        var request = request
        if !next.isAdapted(by: Self.self) {
            do {
                request = try await next.adapt(request, by: intercept(request:))
            } catch {
                throw NetworkFailure.ofHook(error, request: request, timestamp: next.context.clock.now)
            }
        }
        var response = try await next(request)
        guard case .collected(let limit) = next.context.delivery, let head = response.httpURLResponse else {
            return response
        }
        do {
            let data = try await response.body.collect(upTo: limit)
            response.body = HTTPBody(try await intercept(response: head, data: data))
        } catch let error as CancellationError {
            throw error
        } catch {
            throw NetworkFailure(
                wrapping: error, request: response.request ?? request,
                response: ResponseSnapshot(statusCode: response.status, headers: response.headers),
                timestamp: next.context.clock.now, retryAttempt: response.attempt)
        }
        return response
    }
}

extension Next {
    /// Asks a hook that knows neither bodies nor contexts (seeds 000 and 003) for the request to send in place of this one.
    ///
    /// A body that is in memory shows as `httpBody`, and what the hook makes of that becomes ``body``. Where a redirect has led
    /// to another origin, the hook cannot know: credentials that it adds there are taken out again.
    package mutating func adapt(
        _ request: URLRequest, by hook: (URLRequest) async throws -> URLRequest
    ) async throws -> URLRequest {
        let shown = body?.data
        var given = request
        if let shown { given.httpBody = shown }
        var adapted = try await hook(given)
        let data = adapted.httpBody
        if data != shown { body = data.map { HTTPBody($0) } }
        if data != nil { adapted.httpBody = nil }
        if isCrossOrigin(request) { Self.withhold(from: &adapted, added: request, by: fields) }
        return adapted
    }

    /// Takes credentials out again that a hook has added or changed.
    private static func withhold(
        from adapted: inout URLRequest, added original: URLRequest, by fields: CredentialFields
    ) {
        for name in RequestChanges(from: original, to: adapted).fields where fields.isCredential(name) {
            adapted.setValue(original.value(forHTTPHeaderField: name), forHTTPHeaderField: name)
        }
        // A key in the query is a credential as well.
        if adapted.url?.query != original.url?.query, adapted.url?.origin == original.url?.origin {
            adapted.url = original.url
        }
    }

    private var fields: CredentialFields { context.preparer?.fields ?? .standard }

    /// Whether the request goes to another origin than the one at which the call started.
    package func isCrossOrigin(_ request: URLRequest) -> Bool {
        CredentialScope.isCrossOrigin(request.url, from: context.origin)
    }

    /// Whether a hook of this type was asked when the request was prepared, or will be.
    func isAdapted(by type: any HTTPInterceptor.Type) -> Bool {
        context.preparer?.adapts(type) == true
    }
}
