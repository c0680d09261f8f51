/// What a client has learned of the interceptors behind its cache that may add credentials without naming their owner.
///
/// The cache cannot tell whose request that is. It must not answer such a request from its store.
package final class HiddenCredentials: Sendable {
    /// Whether an interceptor is of a type that may add credentials, before one was seen to do so.
    package let isSuspected: Bool
    /// Whether credentials were seen, by the origin of the request.
    private let seen = Locked<[Origin: Bool]>([:])

    /// The maximum number of origins. Beyond it all are forgotten.
    private static let limit = 1024

    package init(isSuspected: Bool) { self.isSuspected = isSuspected }

    /// Records whether an exchange had credentials that were added behind the cache.
    package func note(_ hasCredentials: Bool, for request: URLRequest) {
        guard let origin = request.url?.origin else { return }
        seen.withLock { seen in
            if seen.count >= Self.limit { seen = [:] }
            seen[origin] = seen[origin] == true || hasCredentials
        }
    }

    /// Whether an exchange with the request's origin had such credentials, or nil if there was none.
    package func wereSeen(for request: URLRequest) -> Bool? {
        request.url?.origin.flatMap { origin in seen.withLock { $0[origin] } }
    }
}

/// An interceptor that never adds credentials.
package protocol CredentialFreeInterceptor: HTTPInterceptor {}
