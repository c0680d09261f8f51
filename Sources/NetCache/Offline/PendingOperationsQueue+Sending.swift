import NetCore

extension PendingOperationsQueue {
    enum Outcome {
        case accepted(PendingOperationsQueue.Event.Kind)
        case conflict(PendingOperation.Conflict)
        case failed(NetworkFailure, response: TransportResponse?)
    }

    /// The number of bytes of a response to keep.
    private static let maximumResponseBody = 1 << 20

    func send(_ operation: PendingOperation) async -> Outcome {
        var context = RequestContext(clock: clock)
        context.partition = operation.partition
        // Two retry policies would multiply.
        if retryPolicy.maxRetries > 0 { context[RetryPolicyKey.self] = RetryPolicy(maxRetries: 0) }
        let request = operation.urlRequestWithoutBody
        let response: TransportResponse
        do {
            response = try await client.send(request, body: operation.body.map { HTTPBody($0) }, context: context)
        } catch {
            return .failed(error, response: nil)
        }
        // The status has decided. A body that breaks off is left out.
        let body = (try? await response.body.prefix(upTo: Self.maximumResponseBody)) ?? Data()
        switch response.status {
        case 200..<300: return .accepted(.succeeded(statusCode: response.status, headers: response.headers, body: body))
        case 409, 412:
            return .conflict(
                PendingOperation.Conflict(
                    operation: operation, statusCode: response.status, headers: response.headers, body: body))
        default:
            return .failed(
                NetworkFailure(
                    cause: .requestFailed(statusCode: response.status, data: body),
                    request: RequestSnapshot(response.request ?? request),
                    response: ResponseSnapshot(statusCode: response.status, headers: response.headers, body: body),
                    timestamp: clock.now, retryAttempt: response.attempt),
                response: response)
        }
    }

    enum FailureAction: Equatable {
        /// Send the operation again after that many seconds.
        case retry(TimeInterval)
        /// End the pass. This operation and those behind it wait for another one.
        case stop
        /// Mark the operation as failed.
        case fail
    }

    /// - Parameter delays: the delays of the retries so far.
    func action(
        for operation: PendingOperation, after failure: NetworkFailure, response: TransportResponse?,
        delays: [TimeInterval]
    ) async -> FailureAction {
        if failure.isCancellation || failure.cause == .noInternetConnection { return .stop }
        if failure.isPermanent { return .fail }
        if let limit = attemptLimit, operation.attempts >= limit { return .fail }
        guard delays.count < retryPolicy.maxRetries else { return .stop }
        if let decide = retryPolicy.decide {
            let proposal = RetryPolicy.Proposal(
                request: operation.urlRequestWithoutBody, failure: failure, response: response, attempt: delays.count,
                clock: clock)
            // Without an answer, the operation waits for another pass.
            guard (try? await decide(proposal)) == true else { return .stop }
        } else if !retryPolicy.shouldRetry(failure) {
            return .stop
        }
        let own = retryPolicy.delay.seconds(for: delays.count, previous: delays.last, random: random())
        let asked = failure.secondsToWait(at: clock.now) ?? 0
        // A longer wait is left to another pass.
        return asked > retryPolicy.maximumRetryAfter ? .stop : .retry(max(own, asked))
    }
}

extension NetworkFailure {
    /// Returns the seconds to wait according to `Retry-After`, or nil.
    func secondsToWait(at now: Date) -> TimeInterval? {
        response.flatMap { RetryAfter.seconds(in: $0.headers, now: now) }
    }

    /// Whether sending the same request again cannot succeed.
    fileprivate var isPermanent: Bool {
        switch cause {
        case .invalidURL, .invalidRequest, .tooManyRedirects: true
        case .requestFailed(let status, _):
            // Signing in may help against the first two, waiting against the others.
            ![401, 407, 408, 425, 429].contains(status) && !isRetryable
        default: false
        }
    }
}
