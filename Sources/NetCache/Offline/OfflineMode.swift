public import NetCore

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

extension NetworkError {
    /// Whether what is stored may stand in for an answer after this failure: the way to the server is broken, or the server is.
    ///
    /// True for no internet, a lost connection, a timeout, a name that is not found, an open circuit, and the statuses 500, 502, 503
    /// and 504 (those of RFC 5861). Not for a server that answered (a 404 is news), nor for one that nobody trusts.
    public var isOutage: Bool {
        switch self {
        case .noInternetConnection, .networkUnavailable, .timeout, .circuitOpen: true
        case .requestFailed(let status, _): [500, 502, 503, 504].contains(status)
        case .unknown(let error): (error as? TransportError)?.isTransient ?? false
        default: false
        }
    }
}

/// The ``NetworkError`` in an error of a client, if it is one.
func networkError(in error: any Error) -> NetworkError? {
    switch error {
    case let error as NetworkError: error
    case let failure as NetworkFailure: failure.cause
    case let error as TransportError: error.networkError
    default: nil
    }
}
