extension Exchange {
    /// The body of a streamed response. Dropping it ends the transfer.
    func streamedBody(length: Int64?) -> HTTPBody {
        let reader = ExchangeReader(exchange: self)
        return HTTPBody(length: length, pulling: { try await reader.next() })
    }

    /// What can be said to a reader at once; nil if it has to wait.
    fileprivate func take() -> Result<Data?, any Error>? {
        state.withLock { state in
            if !state.buffer.isEmpty {
                defer { state.buffer = Data() }
                return .success(state.buffer)
            }
            switch state.end {
            case .success?: return .success(nil)
            case .failure(let error)?: return .failure(error)
            case nil: return nil
            }
        }
    }

    fileprivate func wait(_ reader: CheckedContinuation<Data?, any Error>) {
        let isReady = state.withLock { state in
            if !state.buffer.isEmpty || state.end != nil || state.reader != nil { return true }
            state.reader = reader
            return false
        }
        guard isReady else { return }
        // Two readers at a time: the contract of `HTTPBody` forbids it, and neither may wait for ever.
        reader.resume(with: take() ?? .failure(NetworkError.bodyNotReplayable))
    }

    /// Stops the server when the reader is too far behind, and lets it go on.
    func updateFlow() {
        guard URLSessionPlatform.canSuspend else { return }
        // A lock of its own: the order of suspending and resuming must be that of the decisions.
        flow.withLock { isPaused in
            let (isFull, task) = state.withLock { state in
                (state.end == nil && state.buffer.count > limits.streamBufferBytes, state.task)
            }
            guard case .streamed = delivery, isFull != isPaused, let task else { return }
            isPaused = isFull
            if isFull {
                task.suspend()
            } else {
                state.withLock { $0.lastActivity = ExchangeTimer.now }
                task.resume()
            }
        }
    }
}

/// Reads the body of an exchange, and ends the exchange when nobody holds it any more.
private final class ExchangeReader: Sendable {
    private let exchange: Exchange

    init(exchange: Exchange) {
        self.exchange = exchange
    }

    deinit {
        exchange.stop(CancellationError())
    }

    func next() async throws -> Data? {
        try Task.checkCancellation()
        defer { exchange.updateFlow() }
        if let ready = exchange.take() { return try ready.get() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { exchange.wait($0) }
        } onCancel: {
            exchange.stop(CancellationError())
        }
    }
}
