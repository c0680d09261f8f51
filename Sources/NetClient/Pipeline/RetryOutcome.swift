/// What became of one attempt.
struct RetryOutcome {
    let result: Result<TransportResponse, NetworkFailure>
    /// What asks for another attempt; nil for a success.
    let failure: NetworkFailure?

    init(_ response: TransportResponse, _ failure: NetworkFailure? = nil) {
        result = .success(response)
        self.failure = failure
    }

    init(_ failure: NetworkFailure) {
        result = .failure(failure)
        self.failure = failure
    }

    /// The response, if there was one.
    var response: TransportResponse? {
        if case .success(let response) = result { response } else { nil }
    }

    /// The response or the error, with what went before.
    func get(with trace: RetryTrace) throws(NetworkFailure) -> TransportResponse {
        switch result {
        case .success(var response):
            response.retryTrace = trace
            return response
        case .failure(var failure):
            failure.retryTrace = trace
            throw failure
        }
    }
}
