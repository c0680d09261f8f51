extension NetworkFailure {
    /// The failure that a serialiser's error is. What it threw decides the case; anything unknown is a decoding error.
    package init(serializing error: any Error, response: TransportResponse, data: Data, timestamp: Date) {
        let cause = error as? NetworkError ?? (error as? NetworkFailure)?.cause ?? .decodingError(error)
        self.init(
            cause: cause,
            request: response.request.map(RequestSnapshot.init),
            response: ResponseSnapshot(statusCode: response.status, headers: response.headers, body: data),
            timestamp: timestamp,
            retryAttempt: response.attempt)
        retryTrace = response.retryTrace
    }

    /// The failure that a response of an unacceptable status is.
    package init(response: TransportResponse, data: Data?, timestamp: Date) {
        self.init(
            cause: .requestFailed(statusCode: response.status, data: data),
            request: response.request.map(RequestSnapshot.init),
            response: ResponseSnapshot(statusCode: response.status, headers: response.headers, body: data),
            timestamp: timestamp,
            retryAttempt: response.attempt)
        retryTrace = response.retryTrace
    }
}
