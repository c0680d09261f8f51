public import NetCore

/// Applies an ``OfflineInterceptor/Mode`` to whole responses, by directives to the HTTP cache behind it.
///
/// Place it among the `callInterceptors` of a client with a cache. A client without a cache behind it refuses each request with
/// ``NetworkError/unsupported(_:)``. It adds the directives of RFC 9111, section 5.2.1: `max-stale`, `only-if-cached`, `no-cache`. So
/// it works with ``ResponseCache`` and any other cache that follows the RFC. A response that must not be used stale (`must-revalidate`,
/// `no-cache`), or is not stored, is not available offline either.
///
/// ```swift
/// let patient = OfflineInterceptor(mode: .networkFirst)
/// ```
///
/// Only GET and HEAD requests without a `Cache-Control` of their own take part. If nothing is stored, the call fails with the
/// network's error. For ``OfflineInterceptor/Mode/cacheOnly`` the cache answers 504.
public struct OfflineInterceptor: HTTPInterceptor {
    private let mode: OfflineInterceptor.Mode

    /// Creates an interceptor.
    ///
    /// - Parameter mode: the mode of calls without their own: see ``NetCore/RequestContext/offlineMode``.
    public init(mode: OfflineInterceptor.Mode = .staleOnError) { self.mode = mode }

    /// False: a connection cannot be stored.
    public var handlesUpgrades: Bool { false }

    /// Sends the request as the mode says. After an outage, asks the cache alone.
    ///
    /// - Throws: ``NetworkError/unsupported(_:)`` if the client has no cache behind this interceptor.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard next.hasCache else {
            throw NetworkError.unsupported(
                "Put OfflineInterceptor among the callInterceptors of a client with a cache. It needs one behind it.")
        }
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
        case .staleWhileRevalidate: return try await next(request.adding("stale-while-revalidate"))
        }
    }

    /// A cache answers this with a stored response of any age, or with 504.
    private static let stored = "only-if-cached, max-stale"

    private func send(
        _ request: URLRequest, orStored original: URLRequest, next: Next
    ) async throws -> TransportResponse {
        let outcome: Result<TransportResponse, any Error>
        do {
            let response = try await next(request)
            guard StatusRules.isServerError(response.status) else { return response }
            outcome = .success(response)
        } catch {
            guard isOutage(error) else { throw error }
            outcome = .failure(error)
        }
        try Task.checkCancellation()
        // If the cache has no response, the first outcome says more.
        guard let response = try? await next(original.adding(Self.stored)), response.status != 504 else {
            return try outcome.get()
        }
        return response
    }
}

extension RequestContext {
    private enum OfflineModeKey: RequestContext.Key { static let defaultValue: OfflineInterceptor.Mode? = nil }

    /// The mode of this call, if an ``OfflineInterceptor`` is in the pipeline; nil for the interceptor's mode.
    public var offlineMode: OfflineInterceptor.Mode? {
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

extension OfflineInterceptor {
    /// The order in which sources are asked for a value.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// The stored value, if it is fresh; otherwise the network. Fails if the network fails.
        case cacheFirst
        /// The network; after an outage the stored value, of any age.
        case networkFirst
        /// The stored value, of any age. Sends nothing.
        case cacheOnly
        /// The network. Fails if the network fails.
        case networkOnly
        /// The stored value, if it is fresh; otherwise the network; after an outage or a server error the stored value, of any age.
        case staleOnError
        /// The stored value, of any age, at once. A stale one is refreshed in the background, by one request at a time, whose error is
        /// ignored. The network if nothing is stored. A cache other than ``ResponseCache`` may ask the network for a stale response.
        case staleWhileRevalidate
    }
}

extension OfflineInterceptor: CredentialFreeInterceptor {}
