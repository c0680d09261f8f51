/// Adapts requests before they are sent, and decides after a failure whether they are sent again.
///
/// It is in the same list as every ``HTTPInterceptor``. The client calls ``adapt(_:)`` when it prepares the request, before the cache.
/// After a failure it calls the `retry` hooks in list order; the first result other than ``RetryResult/doNotRetry`` decides, also for
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
public protocol RequestInterceptor: HTTPInterceptor, ProtocolDefaults.RequestInterceptorMembers {
    /// Returns the request to send instead: with a token, a signature, another URL.
    ///
    /// Called once for each hop, before the cache, and again for each later attempt. A body in memory is in `httpBody`, and a changed
    /// `httpBody` replaces it.
    ///
    /// After a redirect to another origin, the client removes added credentials: header fields that are not known to be harmless, and query
    /// items. An interceptor that may add them there names their owner: see ``CredentialOwner``.
    ///
    /// - Throws: any error to fail the call. A ``NetworkError`` and `CancellationError` are kept; others become the underlying error of a
    ///   ``NetworkError/invalidRequest``.
    func adapt(_ request: URLRequest) async throws -> URLRequest

    /// Decides what to do after a failed attempt: an error, or a status of 400 and above.
    ///
    /// - Parameters:
    ///   - request: the caller's request.
    ///   - error: the failure, such as ``NetworkError/requestFailed(statusCode:data:)``.
    ///   - currentRetryCount: the number of retries so far: 0 after the first attempt. Use it to limit them.
    /// - Throws: an error to fail with instead of `error`.
    func retry(_ request: URLRequest, dueTo error: NetworkError, currentRetryCount: Int) async throws -> RetryResult
    /// The same for hooks declared with `any Error`, which is always a ``NetworkError``. The client calls this one.
    func retry(_ request: URLRequest, dueTo error: any Error, currentRetryCount: Int) async throws -> RetryResult
}

extension ProtocolDefaults {
    /// The hooks of a ``RequestInterceptor``, in the types that the conforming type gives them: see ``ProtocolDefaults/EndpointMembers``.
    public protocol RequestInterceptorMembers: Sendable {
        associatedtype DeclaredInput: Sendable = URLRequest
        associatedtype DeclaredOutput: Sendable = URLRequest
        associatedtype DeclaredRetryError: Sendable = any Error
        associatedtype DeclaredRetryResult: Sendable = RetryResult
        associatedtype MisnamedOutput: Sendable = Never?

        /// The requirement of a ``RequestInterceptor``, in the declared types.
        func adapt(_ request: DeclaredInput) async throws -> DeclaredOutput
        /// Not a hook: with it, the compiler refuses one that has an argument label.
        func adapt(request: URLRequest) async throws -> MisnamedOutput
        /// The requirement of a ``RequestInterceptor``, in the declared types.
        func retry(
            _ request: URLRequest, dueTo error: DeclaredRetryError, currentRetryCount: Int
        ) async throws -> DeclaredRetryResult
    }
}

extension ProtocolDefaults.RequestInterceptorMembers where MisnamedOutput == Never? {
    /// Nil: there is no such hook.
    public func adapt(request: URLRequest) async throws -> Never? { nil }
}

extension RequestInterceptor where DeclaredInput == URLRequest, DeclaredOutput == URLRequest, MisnamedOutput == Never? {
    public func adapt(_ request: URLRequest) async throws -> URLRequest { request }
}

extension RequestInterceptor where DeclaredRetryError == any Error, DeclaredRetryResult == RetryResult {
    /// Calls the overload for ``NetworkError``.
    public func retry(
        _ request: URLRequest, dueTo error: any Error, currentRetryCount: Int
    ) async throws -> RetryResult {
        try await retry(request, dueTo: NetworkError(error), currentRetryCount: currentRetryCount)
    }
}

extension RequestInterceptor where DeclaredRetryError == NetworkError, DeclaredRetryResult == RetryResult {
    /// Calls the overload for ``NetworkError``.
    public func retry(
        _ request: URLRequest, dueTo error: any Error, currentRetryCount: Int
    ) async throws -> RetryResult {
        try await retry(request, dueTo: NetworkError(error), currentRetryCount: currentRetryCount)
    }
}

extension RequestInterceptor {
    public func retry(
        _ request: URLRequest, dueTo error: NetworkError, currentRetryCount: Int
    ) async throws -> RetryResult { .doNotRetry }

    /// Sends the request on. For an interceptor in a client's list, preparation has adapted the request; another one, such as one inside an
    /// interceptor of your own, adapts it here.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var next = next
        let adapted = try await next.adaptUnlessPrepared(request, for: self, by: adapt)
        return try await next(adapted)
    }
}

extension NetworkFailure {
    /// Returns the caller's error for a hook's: cancellation, network errors and errors of this SDK are kept, others become
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

/// What to do after a failed attempt.
public enum RetryResult: Sendable {
    /// Return the error, unless another interceptor or the retry policy retries.
    case doNotRetry
    /// Retry at once.
    case retry
    /// Retry after that many seconds.
    case retryWithDelay(TimeInterval)
    /// Retry after a delay that grows with each attempt.
    case retryWithExponentialBackoff(ExponentialBackoff)
}

/// Changes requests before they are sent, and the bodies of responses.
///
/// It is in the same list as every ``HTTPInterceptor``. The response half runs on buffered responses only. Write an ``HTTPInterceptor`` to
/// change streamed bodies.
public protocol Interceptor: HTTPInterceptor, ProtocolDefaults.InterceptorMembers {
    /// Returns the request to send instead. Timing, bodies and credentials are as in ``RequestInterceptor/adapt(_:)``.
    func intercept(request: URLRequest) async throws -> URLRequest

    /// Returns the body to use instead. Called for every status.
    func intercept(response: HTTPURLResponse, data: Data) async throws -> Data
}

extension ProtocolDefaults {
    /// The hooks of an ``Interceptor``, in the types that the conforming type gives them: see ``ProtocolDefaults/EndpointMembers``.
    public protocol InterceptorMembers: Sendable {
        associatedtype DeclaredRequest: Sendable = URLRequest
        associatedtype DeclaredSentRequest: Sendable = URLRequest
        associatedtype DeclaredResponse: Sendable = HTTPURLResponse
        associatedtype DeclaredData: Sendable = Data
        associatedtype DeclaredResult: Sendable = Data
        associatedtype MisnamedResult: Sendable = Never?

        /// The requirement of an ``Interceptor``, in the declared types.
        func intercept(request: DeclaredRequest) async throws -> DeclaredSentRequest
        /// Not a hook: with it, the compiler refuses one without an argument label.
        func intercept(_ request: URLRequest) async throws -> MisnamedResult
        /// The requirement of an ``Interceptor``, in the declared types.
        func intercept(response: DeclaredResponse, data: DeclaredData) async throws -> DeclaredResult
    }
}

extension ProtocolDefaults.InterceptorMembers where MisnamedResult == Never? {
    /// Nil: there is no such hook.
    public func intercept(_ request: URLRequest) async throws -> Never? { nil }
}

extension Interceptor where DeclaredRequest == URLRequest, DeclaredSentRequest == URLRequest, MisnamedResult == Never? {
    public func intercept(request: URLRequest) async throws -> URLRequest { request }
}

extension Interceptor where DeclaredResponse == HTTPURLResponse, DeclaredData == Data, DeclaredResult == Data {
    public func intercept(response: HTTPURLResponse, data: Data) async throws -> Data { data }
}

extension Interceptor {
    /// Sends the request on, and runs the response half if the body is collected. For an interceptor in a client's list, preparation has run
    /// the request half; for another one, such as one inside an interceptor of your own, it runs here.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var next = next
        let request = try await next.adaptUnlessPrepared(request, for: self, by: intercept(request:))
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
    /// Calls a hook that knows neither bodies nor contexts, and returns its request.
    ///
    /// A body in memory is in `httpBody`, and the hook's `httpBody` becomes ``body``. The hook does not know of redirects: after one to
    /// another origin, the credentials that it adds are removed.
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
        if isCrossOrigin(request) { withhold(from: &adapted, changed: request, except: []) }
        return adapted
    }

    /// At another origin than the call's, removes the credentials that interceptors have added since preparation, except for those whose
    /// owner (``CredentialOwner``) is known there.
    package func withholdAdditions(from request: inout URLRequest) {
        guard let prepared = context.pipeline.prepared, context[CrossOriginHop.self] != nil else { return }
        withhold(from: &request, changed: prepared.request, except: context[OwnedFieldNamesKey.self])
    }

    /// Removes credentials that were added or changed, and tells observers once a hop.
    private func withhold(from request: inout URLRequest, changed original: URLRequest, except owned: Set<String>) {
        let hop = context[CrossOriginHop.self]
        let fields = hop?.fields ?? context.pipeline.preparer?.fields ?? .standard
        let changes = RequestChanges(from: original, to: request)
        var withheld = changes.fields.filter { fields.isCredential($0) && !owned.contains($0.asciiLowercased) }
        for name in withheld { request.setValue(original.value(forHTTPHeaderField: name), forHTTPHeaderField: name) }
        // Keys in the query are credentials as well.
        if changes.hasOtherURL, !owned.contains(RequestChanges.url), request.url?.query != original.url?.query,
            request.url?.origin == original.url?.origin
        {
            request.url = original.url
            withheld.append("the query")
        }
        guard let unnamed = hop?.name(withheld), !unnamed.isEmpty else { return }
        context.notify(
            .notice(
                "The request to \(request.url?.host ?? "another origin") leaves out \(unnamed.sorted().joined(separator: ", ")), "
                    + "which an interceptor added. Conform it to CredentialOwner, and name an owner for the URLs that may get them."
            ), of: .credentials)
    }

    /// Calls a hook, unless preparation has called it: the one at this place of the client's list.
    fileprivate mutating func adaptUnlessPrepared(
        _ request: URLRequest, for hook: any HTTPInterceptor, by adapt: (URLRequest) async throws -> URLRequest
    ) async throws -> URLRequest {
        guard !isPrepared(hook) else { return request }
        do {
            return try await self.adapt(request, by: adapt)
        } catch {
            throw NetworkFailure.ofHook(error, request: request, timestamp: context.clock.now)
        }
    }

    /// Whether the client's preparation has called a hook, or added its credentials: the chain's interceptor whose rest this is.
    package func isPrepared(_ hook: any HTTPInterceptor) -> Bool {
        guard let listed = preparedInterceptor, type(of: listed) == type(of: hook) else { return false }
        return !(type(of: hook) is AnyObject.Type) || listed as AnyObject === hook as AnyObject
    }
}

/// A request to another origin than that at which the call started, as after a redirect: decides which fields may follow.
package final class CrossOriginHop: RequestContext.Key, Hashable, Sendable {
    package static let defaultValue: CrossOriginHop? = nil

    /// The client's rules, with the names that the redirect policy lets follow.
    fileprivate let fields: CredentialFields
    private let named = Locked<Set<String>>([])

    package init(fields: CredentialFields) { self.fields = fields }

    package static func == (one: CrossOriginHop, other: CrossOriginHop) -> Bool { one.fields == other.fields }
    package func hash(into hasher: inout Hasher) { hasher.combine(fields) }

    /// Returns the names that it was not asked about before.
    fileprivate func name(_ names: [String]) -> [String] {
        named.withLock { named in names.filter { named.insert($0.asciiLowercased).inserted } }
    }
}
