public import NetCore

extension PendingOperationsQueue {
    /// The result of a pass over the queue.
    public struct Summary: Sendable {
        /// The number of operations that the server accepted, and that are removed from the storage.
        public internal(set) var succeeded = 0
        /// The number of operations that became ``PendingOperation/State/failed``.
        public internal(set) var failed = 0
        /// The number of operations that were removed unsent: too old, or dropped after a conflict.
        public internal(set) var dropped = 0
        /// The number of operations that wait for their user to sign in.
        public internal(set) var held = 0
        /// The failure that ended the pass before the end of the queue; nil for a complete pass. If the storage failed, or another process
        /// is sending operations (``PendingOperationsQueue/Failure/inUse(path:)``), its ``NetworkFailure/underlyingError`` says so.
        public internal(set) var stop: NetworkFailure?
    }

    /// Sends all waiting operations, in order, until a temporary failure.
    ///
    /// A second call waits for the first one to end, and then does the same. Cancelling the task cancels the operation that is
    /// being sent, which then waits again. In a closed queue this does nothing, and ``Summary/stop`` is a cancellation.
    @discardableResult
    public func processAll() async -> Summary {
        guard await passes.lock() else { return Summary(stop: cancellation) }
        defer { passes.unlock() }
        guard !isClosed else { return Summary(stop: cancellation) }
        // A separate task, which close() can cancel.
        let pass = Task { await sendAll() }
        self.pass = pass
        defer { self.pass = nil }
        return await withTaskCancellationHandler {
            await pass.value
        } onCancel: {
            pass.cancel()
        }
    }

    private var cancellation: NetworkFailure { failure(CancellationError()) }

    private func sendAll() async -> Summary {
        var summary = Summary()
        // An operation that is added meanwhile is sent too.
        var visited: Set<UUID> = []
        var rest: [UUID] = []
        do {
            if let (operation, count) = unstored { await finish(operation, as: count, summary: &summary) }
            while summary.stop == nil, !isClosed {
                try await refresh()
                if rest.isEmpty { rest = stored.inOrder.map(\.id).filter { !visited.contains($0) }.reversed() }
                guard let id = rest.popLast() else { break }
                visited.insert(id)
                if let operation = stored[id], operation.state != .failed {
                    await process(operation, summary: &summary)
                }
            }
        } catch {
            summary.stop = failure(error)
        }
        // If this fails, the journal rewrites its file with the next record.
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
                return await settle(operation, .stop, dueTo: cancellation, summary: &summary)
            }
            guard !operation.isExpired(at: settings.clock.now) else {
                await finish(operation, as: \.dropped, summary: &summary)
                return report(.expired, operation)
            }
            guard operation.belongs(to: client.ownerName(for: operation.urlRequestWithoutBody)) else {
                summary.held += 1
                return report(.held, operation)
            }
            operation.state = .sending
            operation.attempts += 1
            note(operation)
            report(.started, operation)
            switch await send(operation) {
            case .accepted(let response):
                await finish(operation, as: \.succeeded, summary: &summary)
                return report(response, operation)
            case .conflict(let conflict):
                let resolution = await settings.onConflict(conflict)
                // The operation may have been removed while the hook ran.
                guard stored[operation.id] != nil,
                    let replacement = await resolve(
                        conflict, resolution, replacements: &replacements, summary: &summary)
                else { return }
                operation = replacement
            case .failed(let failure, let response):
                guard stored[operation.id] != nil else { return }
                operation.note(failure)
                // The request did not leave the device.
                if failure.cause == .noInternetConnection { operation.attempts -= 1 }
                let action = await action(for: operation, after: failure, response: response, delays: delays)
                guard case .retry(let delay) = action else {
                    return await settle(operation, action, dueTo: failure, summary: &summary)
                }
                delays.append(delay)
                operation.state = .waiting
                note(operation)
                report(.failed(failure), operation)
                // Cancellation is handled at the top of the loop.
                try? await settings.clock.sleep(for: delay)
                guard stored[operation.id] != nil else { return }
            }
        }
    }

    /// Returns an operation to send in place of this one, or nil.
    private func resolve(
        _ conflict: PendingOperation.Conflict, _ resolution: PendingOperation.Conflict.Resolution,
        replacements: inout Int, summary: inout Summary
    ) async -> PendingOperation? {
        var operation = conflict.operation
        operation.lastFailure = NetworkError.requestFailed(statusCode: conflict.statusCode, data: nil).code
        operation.lastStatusCode = conflict.statusCode
        operation.state = .waiting
        let waiting = operation
        switch resolution {
        case .drop:
            await finish(operation, as: \.dropped, summary: &summary)
            report(.conflict(statusCode: conflict.statusCode, resolution), operation)
            return nil
        case .replace(let request) where replacements < 3:
            replacements += 1
            do {
                let content = try PendingOperation.Content(
                    request, body: nil, keepsCredentials: settings.keepsCredentials)
                operation.replace(with: content)
            } catch {
                await settle(operation, .fail, dueTo: failure(error, of: request), summary: &summary)
                return nil
            }
            await store(operation, summary: &summary)
            guard summary.stop == nil else {
                note(waiting)
                return nil
            }
            report(.conflict(statusCode: conflict.statusCode, resolution), operation)
            return operation
        case .keep, .replace:
            operation.state = .conflicted
            await store(operation, summary: &summary)
            report(.conflict(statusCode: conflict.statusCode, .keep), operation)
            return nil
        }
    }

    private func settle(
        _ operation: PendingOperation, _ action: FailureAction, dueTo failure: NetworkFailure, summary: inout Summary
    ) async {
        var operation = operation
        operation.note(failure)
        if case .fail = action {
            operation.state = .failed
            summary.failed += 1
        } else {
            operation.state = .waiting
        }
        if failure.isCancellation { note(operation) } else { await store(operation, summary: &summary) }
        if operation.state == .waiting { summary.stop = failure }
        report(.failed(failure), operation)
    }
}

extension PendingOperation {
    fileprivate mutating func note(_ failure: NetworkFailure) {
        lastFailure = failure.code
        lastStatusCode = failure.statusCode
    }
}

extension PendingOperationsQueue {
    /// The outcome of sending an operation.
    enum Outcome {
        case accepted(PendingOperationsQueue.Event.Kind)
        case conflict(PendingOperation.Conflict)
        case failed(NetworkFailure, response: TransportResponse?)
    }

    /// The number of bytes of a response to keep.
    private static let maximumResponseBody = 1 << 20

    func send(_ operation: PendingOperation) async -> Outcome {
        var context = RequestContext(clock: settings.clock)
        context.partition = operation.partition
        // Two retry policies would multiply.
        if settings.retryPolicy.maxRetries > 0 { context[RetryPolicyKey.self] = RetryPolicy(maxRetries: 0) }
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
        case 200..<300:
            return .accepted(.succeeded(statusCode: response.status, headers: response.headers, body: body))
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

    /// What the queue does after a failure.
    enum FailureAction {
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
        if let limit = settings.attemptLimit, operation.attempts >= limit { return .fail }
        let policy = settings.retryPolicy
        guard delays.count < policy.maxRetries,
            await shouldRetry(operation, after: failure, response: response, attempt: delays.count)
        else { return .stop }
        let own = policy.delay.seconds(for: delays.count, previous: delays.last, random: settings.random())
        let asked = failure.secondsToWait(at: settings.clock.now) ?? 0
        // A longer wait is left to another pass.
        return asked > policy.maximumRetryAfter ? .stop : .retry(max(own, asked))
    }

    private func shouldRetry(
        _ operation: PendingOperation, after failure: NetworkFailure, response: TransportResponse?, attempt: Int
    ) async -> Bool {
        guard let decide = settings.retryPolicy.decide else { return settings.retryPolicy.shouldRetry(failure) }
        let proposal = RetryPolicy.Proposal(
            request: operation.urlRequestWithoutBody, failure: failure, response: response, attempt: attempt,
            clock: settings.clock)
        // Without an answer, the operation waits for another pass.
        return (try? await decide(proposal)) ?? false
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
