public import NetCore

extension PendingOperationsQueue {
    /// What a pass over the queue has done.
    public struct Summary: Sendable {
        /// The operations that the server took.
        public internal(set) var succeeded = 0
        /// The operations that became ``PendingOperation/State/failed``.
        public internal(set) var failed = 0
        /// The operations that are gone without being sent: too old, or dropped after a conflict.
        public internal(set) var dropped = 0
        /// The operations that wait for their user to sign in.
        public internal(set) var held = 0
        /// Why the pass ended before the end of the queue: the failure that may pass; nil if it did not.
        public internal(set) var stop: NetworkFailure?
    }

    /// Sends all that waits, in order, until a failure that may pass.
    ///
    /// A second call waits for the first to end, and then does the same. When the task is cancelled, what is being sent is
    /// cancelled, and waits again. In a queue that was closed it does nothing, and ``Summary/stop`` says that it was cancelled.
    @discardableResult
    public func processAll() async -> Summary {
        guard await passes.lock() else { return cancelledPass }
        defer { passes.unlock() }
        guard !isClosed else { return cancelledPass }
        // A task of its own, so that close() can cancel it.
        let pass = Task { await sendAll() }
        self.pass = pass
        defer { self.pass = nil }
        return await withTaskCancellationHandler {
            await pass.value
        } onCancel: {
            pass.cancel()
        }
    }

    private var cancelledPass: Summary {
        var summary = Summary()
        summary.stop = NetworkFailure(cause: .cancelled, timestamp: settings.clock.now)
        return summary
    }

    private func sendAll() async -> Summary {
        var summary = Summary()
        var last = 0
        while summary.stop == nil, let operation = next(after: last) {
            last = operation.sequence
            await process(operation, summary: &summary)
        }
        // Should this fail, the journal writes its file anew with the next record.
        try? await storage.flush()
        return summary
    }

    // MARK: One operation

    private func process(_ waiting: PendingOperation, summary: inout Summary) async {
        var operation = waiting
        var replacements = 0
        var delays: [TimeInterval] = []
        while true {
            guard !Task.isCancelled else {
                return await stop(operation, dueTo: NetworkFailure(cause: .cancelled), summary: &summary)
            }
            guard !operation.isExpired(at: settings.clock.now) else {
                summary.dropped += 1
                await finish(operation)
                return notices.send(.expired, operation)
            }
            guard operation.belongs(to: client.ownerName(for: operation.urlRequestWithoutBody)) else {
                summary.held += 1
                return notices.send(.held, operation)
            }
            operation.state = .sending
            operation.attempts += 1
            note(operation)
            notices.send(.started, operation)
            switch await send(operation) {
            case .taken(let response):
                summary.succeeded += 1
                await finish(operation)
                return notices.send(response, operation)
            case .conflict(let conflict):
                let resolution = await settings.onConflict(conflict)
                // Somebody may have removed it while the hook thought about it.
                guard self.operation(operation.id) != nil else { return }
                guard
                    let replacement = await resolve(
                        conflict, resolution, replacements: &replacements, summary: &summary)
                else { return }
                operation = replacement
            case .failed(let failure, let response):
                guard self.operation(operation.id) != nil else { return }
                operation.note(failure)
                // Nothing left the device.
                if failure.cause == .noInternetConnection { operation.attempts -= 1 }
                let fate = await fate(of: operation, after: failure, response: response, delays: delays)
                guard case .retry(let delay) = fate else {
                    return await settle(operation, fate, dueTo: failure, summary: &summary)
                }
                delays.append(delay)
                operation.state = .waiting
                note(operation)
                notices.send(.failed(failure), operation)
                do { try await settings.clock.sleep(for: delay) } catch {
                    // Cancelled: seen at the top.
                }
                guard self.operation(operation.id) != nil else { return }
            }
        }
    }

    /// Another operation to be sent in its place, or nil.
    private func resolve(
        _ conflict: PendingOperation.Conflict, _ resolution: PendingOperation.Conflict.Resolution, replacements: inout Int,
        summary: inout Summary
    ) async -> PendingOperation? {
        var operation = conflict.operation
        operation.lastFailure = NetworkError.requestFailed(statusCode: conflict.statusCode, data: nil).code
        operation.lastStatusCode = conflict.statusCode
        switch resolution {
        case .drop:
            summary.dropped += 1
            await finish(operation)
            notices.send(.conflict(statusCode: conflict.statusCode, resolution), operation)
            return nil
        case .replace(let request) where replacements < 3:
            replacements += 1
            do {
                let content = try PendingOperation.Content(
                    request, body: nil, keepsCredentials: settings.keepsCredentials)
                operation.replace(with: content)
            } catch {
                let failure = NetworkFailure(wrapping: error, request: request, timestamp: settings.clock.now)
                await settle(operation, .fail, dueTo: failure, summary: &summary)
                return nil
            }
            await store(operation)
            notices.send(.conflict(statusCode: conflict.statusCode, resolution), operation)
            return operation
        case .keep, .replace:
            operation.state = .conflicted
            await store(operation)
            notices.send(.conflict(statusCode: conflict.statusCode, .keep), operation)
            return nil
        }
    }

    private func settle(
        _ operation: PendingOperation, _ fate: Fate, dueTo failure: NetworkFailure, summary: inout Summary
    ) async {
        guard case .fail = fate else { return await stop(operation, dueTo: failure, summary: &summary) }
        var operation = operation
        operation.note(failure)
        operation.state = .failed
        summary.failed += 1
        await store(operation)
        notices.send(.failed(failure), operation)
    }

    private func stop(_ operation: PendingOperation, dueTo failure: NetworkFailure, summary: inout Summary) async {
        var operation = operation
        operation.state = .waiting
        summary.stop = failure
        if failure.isCancellation {
            note(operation)
        } else {
            await store(operation)
        }
        notices.send(.failed(failure), operation)
    }
}

extension PendingOperation {
    fileprivate mutating func note(_ failure: NetworkFailure) {
        lastFailure = failure.code
        lastStatusCode = failure.statusCode
    }
}

extension PendingOperationsQueue {
    /// What the server, or the way to it, made of an operation.
    enum Answer {
        case taken(PendingOperationsQueue.Event.Kind)
        case conflict(PendingOperation.Conflict)
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
                PendingOperation.Conflict(
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
