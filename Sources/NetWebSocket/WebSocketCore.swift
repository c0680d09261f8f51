import NetCore

/// The life of a WebSocket from the handshake to its end. It does not hold the ``WebSocket``, so that letting go of that ends it.
final class WebSocketCore: Sendable {
    private struct State {
        var closure: WebSocket.Closure?
        /// This end has begun it, so that there is nothing to complain of.
        var isClosing = false
        var keepAlive: Task<Void, Never>?
        var waiters: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        var lastWaiter: UInt64 = 0
    }

    let link: any WebSocketLink
    let clock: any NetworkClock
    let inbox = WebSocketInbox()
    private let options: WebSocket.Options
    private let state = Locked(State())

    init(_ link: any WebSocketLink, options: WebSocket.Options, clock: any NetworkClock) {
        self.link = link
        self.options = options
        self.clock = clock
    }

    /// How it has ended; nil while it is open.
    var closure: WebSocket.Closure? { state.withLock(\.closure) }

    /// Begins to read. To be called once.
    func start() {
        Task { await read() }
        guard let interval = options.pingInterval, interval > 0 else { return }
        let task = Task { await keepAlive(every: interval) }
        let hasEnded = state.withLock { state in
            state.keepAlive = task
            return state.closure != nil
        }
        if hasEnded { task.cancel() }
    }

    private func read() async {
        var failure: (any Error)?
        do {
            while let message = try await link.receive() { await inbox.bring(message) }
            let closure = link.closure
            end(closure, closure.code.isNormal ? nil : WebSocketError.closed(closure))
        } catch {
            failure = error
            end(WebSocket.Closure(code: (error as? WebSocketError)?.closeCode ?? .abnormalClosure), error)
        }
        await link.leave(after: failure)
    }

    /// Only the first end counts.
    private func end(_ closure: WebSocket.Closure, _ failure: (any Error)?) {
        let (isClosing, keepAlive, waiters) = state.withLock { state in
            state.closure = state.closure ?? closure
            defer {
                state.keepAlive = nil
                state.waiters = [:]
            }
            return (state.isClosing, state.keepAlive, state.waiters.values)
        }
        inbox.finish(isClosing ? nil : failure)
        keepAlive?.cancel()
        for waiter in waiters { waiter.resume() }
    }

    // MARK: Keeping alive

    private func keepAlive(every interval: TimeInterval) async {
        while !Task.isCancelled {
            guard (try? await clock.sleep(for: interval)) != nil else { return }
            do {
                guard try await clock.limit(to: options.pongTimeout, { [link] in try await link.ping() }) == nil else {
                    continue
                }
            } catch {
                return
            }
            // An answer may be behind messages that nobody takes.
            if inbox.isFull { continue }
            end(
                WebSocket.Closure(code: .abnormalClosure),
                WebSocketError(
                    .pongMissing, message: "The peer did not answer a ping within \(options.pongTimeout) s."))
            return link.drop()
        }
    }

    // MARK: Closing

    /// Says that this end is done, and waits for the peer's part; not for longer than the options allow.
    func close(_ closure: WebSocket.Closure) async {
        guard self.closure == nil else { return }
        inbox.discard()
        state.withLock { $0.isClosing = true }
        let isDone = try? await clock.limit(to: options.closeTimeout) { [self] in
            try await link.close(closure)
            try await waitForEnd()
            return true
        }
        // Not in time, cancelled, or the connection has failed.
        if isDone != true { abandon(nil) }
    }

    /// Drops the connection.
    func abandon(_ failure: (any Error)?) {
        end(WebSocket.Closure(code: .abnormalClosure), failure)
        link.drop()
    }

    private func waitForEnd() async throws {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let hasEnded = state.withLock { state in
                    if state.closure == nil { state.waiters[id] = continuation }
                    return state.closure != nil
                }
                if hasEnded { return continuation.resume() }
                if Task.isCancelled { cancelWaiter(id) }
            }
        } onCancel: {
            cancelWaiter(id)
        }
    }

    private func cancelWaiter(_ id: UInt64) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: CancellationError())
    }
}
