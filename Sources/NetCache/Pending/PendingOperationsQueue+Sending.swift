import NetCore

extension PendingOperationsQueue {
    /// What the server, or the way to it, made of an operation.
    enum Answer {
        case taken(PendingOperationEvent.Kind)
        case conflict(PendingConflict)
        case failed(NetworkFailure)
    }

    /// What is kept of an answer.
    private static let maximumAnswer = 1 << 20

    func send(_ operation: PendingOperation) async -> Answer {
        var context = RequestContext(clock: settings.clock)
        context.partition = operation.partition
        let request = restoringFields(of: operation)
        let response: TransportResponse
        do {
            response = try await client.send(request, body: operation.body.map { HTTPBody($0) }, context: context)
        } catch {
            return .failed(error)
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
                    timestamp: settings.clock.now, retryAttempt: response.attempt))
        }
    }

    /// The request, with what the environment has of the fields that were not stored. Secrets go to its own origin only.
    private func restoringFields(of operation: PendingOperation) -> URLRequest {
        var request = operation.urlRequestWithoutBody
        guard !operation.withheldHeaders.isEmpty, let environment = client.environment,
            environment.baseURL.origin == operation.url.origin
        else { return request }
        for (name, value) in environment.defaultHeaders
        where operation.withheldHeaders.contains(where: { $0.equalsIgnoringASCIICase(name) }) {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
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

    func fate(of operation: PendingOperation, after failure: NetworkFailure, retries: Int) -> Fate {
        if failure.isCancellation || failure.cause == .noInternetConnection { return .stop }
        if failure.isPermanent { return .fail }
        if let limit = settings.attemptLimit, operation.attempts >= limit { return .fail }
        guard retries < settings.retryPolicy.maxRetries, settings.retryPolicy.shouldRetry(failure) else { return .stop }
        return .retry(settings.retryPolicy.delay.seconds(for: retries, random: settings.random()))
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
