import NetCore

extension PendingOperationsQueue {
    /// What the server, or the way to it, made of an operation.
    enum Answer {
        case taken(PendingOperationEvent.Kind)
        case conflict(PendingConflict)
        case failed(NetworkFailure, response: TransportResponse?)
    }

    /// What is kept of an answer.
    private static let maximumAnswer = 1 << 20

    func send(_ operation: PendingOperation) async -> Answer {
        var context = RequestContext(clock: settings.clock)
        context.partition = operation.partition
        // Two policies would multiply.
        if settings.retryPolicy.maxRetries > 0 { context[RetryPolicyKey.self] = RetryPolicy(maxRetries: 0) }
        let request = operation.urlRequestWithoutBody
        let response: TransportResponse
        do {
            response = try await client.send(request, body: operation.body.map { HTTPBody($0) }, context: context)
        } catch {
            return .failed(error, response: nil)
        }
        var body = Data()
        do {
            body = try await response.body.prefix(upTo: Self.maximumAnswer)
        } catch {
            // The status has decided. Of the answer there is as much as there is.
        }
        switch response.status {
        case 200..<300:
            return .taken(.succeeded(statusCode: response.status, headers: response.headers, body: body))
        case 409, 412:
            return .conflict(
                PendingConflict(
                    operation: operation, statusCode: response.status, headers: response.headers, body: body))
        default:
            return .failed(
                NetworkFailure(
                    cause: .requestFailed(statusCode: response.status, data: body),
                    request: RequestSnapshot(response.request ?? request),
                    response: ResponseSnapshot(statusCode: response.status, headers: response.headers, body: body),
                    timestamp: settings.clock.now, retryAttempt: response.attempt),
                response: response)
        }
    }

    /// What comes after a failure.
    enum Fate {
        /// It is sent again after so many seconds.
        case retry(TimeInterval)
        /// It waits for another pass, and those behind it too.
        case stop
        /// It is not sent any more.
        case fail
    }

    /// - Parameter delays: those of the retries so far.
    func fate(
        of operation: PendingOperation, after failure: NetworkFailure, response: TransportResponse?,
        delays: [TimeInterval]
    ) async -> Fate {
        if failure.isCancellation || failure.cause == .noInternetConnection { return .stop }
        if failure.isPermanent { return .fail }
        if let limit = settings.attemptLimit, operation.attempts >= limit { return .fail }
        let policy = settings.retryPolicy
        guard delays.count < policy.maxRetries,
            await shouldRetry(operation, after: failure, response: response, attempt: delays.count)
        else { return .stop }
        let own = policy.delay.seconds(for: delays.count, previous: delays.last, random: settings.random())
        let asked = failure.secondsToWait(at: settings.clock.now) ?? 0
        // Whoever asks for more is asked again in another pass.
        return asked > policy.maximumRetryAfter ? .stop : .retry(max(own, asked))
    }

    private func shouldRetry(
        _ operation: PendingOperation, after failure: NetworkFailure, response: TransportResponse?, attempt: Int
    ) async -> Bool {
        guard let decide = settings.retryPolicy.decide else { return settings.retryPolicy.shouldRetry(failure) }
        do {
            return try await decide(
                RetryProposal(
                    request: operation.urlRequestWithoutBody, failure: failure, response: response, attempt: attempt,
                    clock: settings.clock))
        } catch {
            // It cannot say: then not now.
            return false
        }
    }
}

extension NetworkFailure {
    /// How long the server asks to wait, in seconds.
    func secondsToWait(at now: Date) -> TimeInterval? {
        response.flatMap { RetryAfter.seconds(in: $0.headers, now: now) }
    }
}

extension NetworkFailure {
    /// Whether sending the same request again can never help.
    fileprivate var isPermanent: Bool {
        switch cause {
        case .invalidURL, .invalidRequest, .tooManyRedirects: true
        case .requestFailed(let status, _):
            // Signing in helps against the first two, waiting against the others.
            ![401, 407, 408, 425, 429].contains(status) && !isRetryable
        default: false
        }
    }
}
