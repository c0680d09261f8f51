extension NetworkError {
    /// Creates the network error that corresponds to any error.
    ///
    /// A ``NetworkFailure`` becomes its ``NetworkFailure/cause``. The errors of transports, Foundation, POSIX, and Swift's tasks and coders
    /// become the corresponding case. Any other error becomes ``unknown(_:)``, which holds it.
    ///
    /// ```swift
    /// do {
    ///     print(try String(contentsOf: url, encoding: .utf8))
    /// } catch {
    ///     if NetworkError(error) == .noInternetConnection { showOfflineBanner() }
    /// }
    /// ```
    public init(_ error: any Error) {
        switch error {
        case let error as NetworkError: self = error
        case let failure as NetworkFailure: self = failure.cause
        case let error as TransportError: self = error.networkError
        case is CancellationError: self = .cancelled
        case is RequestBuildingError: self = .invalidRequest(error)
        case let error as URLError: self.init(urlError: error)
        case is DecodingError: self = .decodingError(error)
        case is EncodingError: self = .encodingError(error)
        default: self.init(foreign: error)
        }
    }

    /// Maps by domain and code, because Foundation on Linux does not cast an `NSError` to a `URLError` or a `POSIXError`.
    private init(foreign error: any Error) {
        let bridged = error as NSError
        switch bridged.domain {
        case NSURLErrorDomain:
            // Foundation on Linux lacks some codes.
            let code: URLError.Code? = URLError.Code(rawValue: bridged.code)
            self = code.map { NetworkError(urlError: URLError($0, userInfo: bridged.userInfo)) } ?? .unknown(error)
        case NSPOSIXErrorDomain: self.init(errno: Int32(truncatingIfNeeded: bridged.code), error)
        case NSCocoaErrorDomain where bridged.code == CocoaError.Code.userCancelled.rawValue: self = .cancelled
        default: self = .unknown(error)
        }
    }

    private init(errno: Int32, _ error: any Error) {
        switch errno {
        case ECONNREFUSED, ECONNRESET, ECONNABORTED, ENOTCONN, EPIPE, EHOSTUNREACH, EHOSTDOWN, ENETUNREACH, ENETDOWN,
            ENETRESET:
            self = .networkUnavailable(error)
        case ETIMEDOUT: self = .timeout(error)
        case ECANCELED: self = .cancelled
        default: self = .unknown(error)
        }
    }

    private init(urlError error: URLError) {
        switch error.code {
        case .badURL, .unsupportedURL: self = .invalidURL
        case .cancelled, .userCancelledAuthentication: self = .cancelled
        case .timedOut: self = .timeout(error)
        case .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed:
            self = .noInternetConnection
        case .networkConnectionLost, .cannotConnectToHost: self = .networkUnavailable(error)
        case .httpTooManyRedirects: self = .tooManyRedirects
        default: self = .unknown(error)
        }
    }
}

extension NetworkFailure {
    /// Creates the failure for any error. A failure is kept; any other becomes the cause by ``NetworkError/init(_:)``, and the ``underlyingError``.
    public init(_ error: any Error) { self.init(wrapping: error, request: nil) }

    /// Wraps an error once. A failure is kept, and gets the context that it lacks.
    public init(
        wrapping error: any Error, request: URLRequest?, response: ResponseSnapshot? = nil, timestamp: Date = Date(),
        retryAttempt: Int? = nil
    ) {
        if let failure = error as? NetworkFailure {
            self.init(
                cause: failure.cause, request: failure.request ?? request.map(RequestSnapshot.init),
                response: failure.response ?? response, underlyingError: failure.underlyingError,
                timestamp: failure.timestamp, retryAttempt: failure.retryAttempt ?? retryAttempt)
            retryTrace = failure.retryTrace
            (resumeData, systemResumeData) = (failure.resumeData, failure.systemResumeData)
            return
        }
        let error = (error as? TransportError)?.adding(url: request?.url) ?? error
        self.init(
            cause: NetworkError(error), request: request.map(RequestSnapshot.init), response: response,
            underlyingError: error is NetworkError ? nil : error, timestamp: timestamp, retryAttempt: retryAttempt)
    }
}

/// The reason why a request could not be built: the ``NetworkFailure/underlyingError`` of ``NetworkError/invalidRequest``.
package struct RequestBuildingError: SecretFreeError, Hashable, Sendable, LocalizedError {
    /// The problem and its solution, without secrets.
    package let message: String

    package init(_ message: String) { self.message = message }

    package var description: String { message }
    package var errorDescription: String? { message }
}
