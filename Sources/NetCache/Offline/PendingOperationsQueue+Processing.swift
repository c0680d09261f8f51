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
                if rest.isEmpty { rest = stored.identifiers(without: visited).reversed() }
                guard let id = rest.popLast() else { break }
                visited.insert(id)
                if let operation = stored[id], operation.state != .failed {
                    await process(operation, summary: &summary)
                }
            }
        } catch {
            summary.stop = failure(error)
        }
        await contents.lockEvenIfCancelled()
        // If this fails, the journal rewrites its file with the next record.
        try? await storage.flush()
        contents.unlock()
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
            guard !operation.isExpired(at: clock.now) else {
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
                let resolution = await onConflict(conflict)
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
                try? await clock.sleep(for: delay)
                // Another process may have removed the operation. An error shows when the outcome is stored.
                try? await refresh()
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
                operation.replace(
                    with: try PendingOperation.Content(request, body: nil, keepsCredentials: keepsCredentials))
            } catch {
                await settle(operation, .fail, dueTo: failure(error, of: request), summary: &summary)
                return nil
            }
            guard await store(operation, summary: &summary) else {
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
        operation.state = action == .fail ? .failed : .waiting
        if action == .fail { summary.failed += 1 }
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
