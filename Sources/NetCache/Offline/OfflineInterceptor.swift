public import NetCore

/// Obeys an ``OfflineMode`` for whole responses, by way of the HTTP cache behind it.
///
/// Stands outside the cache, among a client's `callInterceptors`. It says to the cache what RFC 9111, section 5.2.1 has words for:
/// `max-stale`, `only-if-cached`, `no-cache`. So it works with ``ResponseCache``, and with any other cache that follows that RFC; what
/// must not be given when it is old (`must-revalidate`, `no-cache`), and what is not stored, is not given here either.
///
/// ```swift
/// let patient = OfflineInterceptor(mode: .networkFirst)
/// ```
///
/// Only GET and HEAD take part, and only where the request has no `Cache-Control` of its own. Where nothing is stored, the
/// failure is that of the network; for ``OfflineMode/cacheOnly`` the cache answers 504.
public struct OfflineInterceptor: HTTPInterceptor {
    private let mode: OfflineMode

    /// An interceptor.
    ///
    /// - Parameter mode: for calls that have none of their own: see ``NetCore/RequestContext/offlineMode``.
    public init(mode: OfflineMode = .staleOnError) {
        self.mode = mode
    }

    /// Sends the request on as the mode says; if it fails by an outage, a second time to the cache alone.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        let method = request.httpMethod ?? "GET"
        guard method == "GET" || method == "HEAD", request.value(forHTTPHeaderField: "Cache-Control") == nil else {
            return try await next(request)
        }
        switch next.context.offlineMode ?? mode {
        case .cacheOnly: return try await next(request.adding(Self.stored))
        case .cacheFirst: return try await next(request)
        case .networkOnly: return try await next(request.adding("no-cache"))
        case .networkFirst: return try await send(request.adding("no-cache"), orStored: request, next: next)
        case .staleOnError: return try await send(request, orStored: request, next: next)
        }
    }

    /// A cache answers this from what it has, however old, or with 504.
    private static let stored = "only-if-cached, max-stale"

    private func send(
        _ request: URLRequest, orStored original: URLRequest, next: Next
    ) async throws -> TransportResponse {
        let outcome: Result<TransportResponse, any Error>
        do {
            let response = try await next(request)
            guard NetworkError.requestFailed(statusCode: response.status, data: nil).isOutage else { return response }
            outcome = .success(response)
        } catch {
            guard networkError(in: error)?.isOutage ?? false else { throw error }
            outcome = .failure(error)
        }
        try Task.checkCancellation()
        if let response = await answerOfCache(to: original, next: next) { return response }
        return try outcome.get()
    }

    /// Nil if the cache has none. Then the first outcome says more.
    private func answerOfCache(to request: URLRequest, next: Next) async -> TransportResponse? {
        do {
            let response = try await next(request.adding(Self.stored))
            return response.status == 504 ? nil : response
        } catch {
            return nil
        }
    }
}

extension RequestContext {
    private enum OfflineModeKey: RequestContextKey { static let defaultValue: OfflineMode? = nil }

    /// Where this call's response comes from first, if an ``OfflineInterceptor`` is in the pipeline; nil for the interceptor's own.
    public var offlineMode: OfflineMode? {
        get { self[OfflineModeKey.self] }
        set { self[OfflineModeKey.self] = newValue }
    }
}

extension URLRequest {
    fileprivate func adding(_ directives: String) -> URLRequest {
        var request = self
        request.setValue(directives, forHTTPHeaderField: "Cache-Control")
        return request
    }
}

/// Where a value comes from first, and where from otherwise.
public enum OfflineMode: String, Hashable, Sendable, CaseIterable {
    /// What is stored, if it is fresh; otherwise the network. If that cannot be reached, it fails.
    case cacheFirst
    /// The network. If that cannot be reached, what is stored, however old.
    case networkFirst
    /// What is stored, however old. Nothing is sent.
    case cacheOnly
    /// The network. If that cannot be reached, it fails.
    case networkOnly
    /// What is stored, if it is fresh; otherwise the network. If that cannot be reached, or the server fails, what is stored, however
    /// old.
    case staleOnError

    var readsFreshFirst: Bool { self == .cacheFirst || self == .staleOnError }
}
