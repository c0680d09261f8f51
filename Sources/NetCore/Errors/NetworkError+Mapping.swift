extension NetworkError {
    /// What any error becomes: the one table by which transports', plugins' and Foundation's errors are put into cases.
    public init(mapping error: any Error) {
        switch error {
        case let error as NetworkError: self = error
        case let failure as NetworkFailure: self = failure.cause
        case let error as TransportError: self = error.networkError
        case is CancellationError: self = .cancelled
        case is RequestBuildingError: self = .invalidRequest
        case let error as URLError: self.init(error)
        case is DecodingError: self = .decodingError(error)
        case is EncodingError: self = .encodingError(error)
        default: self = .unknown(error)
        }
    }

    private init(_ error: URLError) {
        switch error.code {
        case .badURL, .unsupportedURL: self = .invalidURL
        case .cancelled, .userCancelledAuthentication: self = .cancelled
        case .timedOut: self = .timeout
        case .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed:
            self = .noInternetConnection
        case .networkConnectionLost, .cannotConnectToHost: self = .networkUnavailable
        case .httpTooManyRedirects: self = .tooManyRedirects
        default: self = .unknown(error)
        }
    }
}

extension NetworkFailure {
    /// Wraps an error once: one that is a failure already stays as it is, but for the context that it lacks.
    public init(
        wrapping error: any Error,
        request: URLRequest?,
        response: ResponseSnapshot? = nil,
        timestamp: Date = Date(),
        retryAttempt: Int? = nil
    ) {
        if let failure = error as? NetworkFailure {
            self.init(
                cause: failure.cause,
                request: failure.request ?? request.map(RequestSnapshot.init),
                response: failure.response ?? response,
                underlyingError: failure.underlyingError,
                timestamp: failure.timestamp,
                retryAttempt: failure.retryAttempt ?? retryAttempt
            )
            retryTrace = failure.retryTrace
            return
        }
        let error = (error as? TransportError)?.adding(url: request?.url) ?? error
        self.init(
            cause: NetworkError(mapping: error),
            request: request.map(RequestSnapshot.init),
            response: response,
            underlyingError: error is NetworkError ? nil : error,
            timestamp: timestamp,
            retryAttempt: retryAttempt
        )
    }
}
