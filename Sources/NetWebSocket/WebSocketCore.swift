import NetCore

/// The life of a WebSocket from the handshake to its end. It does not hold the ``WebSocket``, so that releasing that ends the connection.
final class WebSocketCore: Sendable {
    private struct State {
        var closure: WebSocket.Closure?
        /// Whether this end has begun to close, so that readers get no error.
        var isClosing = false
        /// Tasks that wait for the end.
        var waiters = WaiterList<Bool>()
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

    /// How the WebSocket ended; nil while it is open.
    var closure: WebSocket.Closure? { state.withLock(\.closure) }

    /// Begins to read. Call it once.
    func start() { Task { await read() } }

    private func read() async {
        // A task of its own, since a clock may ignore its cancellation, and the end must not wait for it.
        let pings = Task { await keepAlive() }
        var failure: (any Error)?
        do {
            while let message = try await link.receive() { await inbox.add(message) }
            let closure = link.closure
            end(closure, closure.code.isNormal ? nil : WebSocketError.closed(closure))
        } catch {
            failure = error
            end(WebSocket.Closure(code: (error as? WebSocketError)?.closeCode ?? .abnormalClosure), error)
        }
        pings.cancel()
        await link.leave(after: failure)
    }

    /// Ends the WebSocket. Only the first call has an effect on ``closure``.
    private func end(_ closure: WebSocket.Closure, _ failure: (any Error)?) {
        let (isClosing, waiters) = state.withLock { state in
            state.closure = state.closure ?? closure
            return (state.isClosing, state.waiters.popAll())
        }
        inbox.finish(isClosing ? nil : failure)
        for waiter in waiters { waiter.resume(returning: true) }
    }

    private func keepAlive() async {
        guard let interval = options.pingInterval, interval > 0 else { return }
        while closure == nil {
            guard (try? await clock.sleep(for: interval)) != nil else { return }
            do {
                let pong: Void? = try await clock.run(for: options.pongTimeout) { [link] in try await link.ping() }
                // The pong may be behind messages that the app has not read.
                if pong != nil || inbox.isFull { continue }
            } catch {
                return
            }
            let message = "The peer did not answer a ping within \(options.pongTimeout) s."
            return abandon(WebSocketError(.pongMissing, message: message))
        }
    }

    /// Sends a Close frame, and waits for the peer's, no longer than ``WebSocket/Options/closeTimeout``. In a cancelled task it does not wait
    /// for the peer's.
    func close(_ closure: WebSocket.Closure) async {
        guard self.closure == nil else { return }
        inbox.discard()
        state.withLock { $0.isClosing = true }
        if Task.isCancelled {
            let sending = Task {
                try await clock.run(for: options.closeTimeout) { [link] in try await link.close(closure) }
            }
            _ = await sending.result
            return abandon(nil)
        }
        let isDone = try? await clock.run(for: options.closeTimeout) { [self] in
            try await link.close(closure)
            return await state.wait(in: \.waiters, cancelled: false) { $0.closure == nil ? nil : true }
        }
        // Timed out, cancelled, or the connection failed.
        if isDone != true { abandon(nil) }
    }

    /// Drops the connection.
    func abandon(_ failure: (any Error)?) {
        end(WebSocket.Closure(code: .abnormalClosure), failure)
        link.drop()
    }
}
