public import NetCore

/// A WebSocket that reconnects when the connection is lost, and subscribes again.
///
/// ```swift
/// let feed = ReconnectingWebSocket {
///     try await client.webSocket(to: URL(string: "wss://example.com/feed")!)
/// } resubscribe: { socket in
///     try await socket.send(.text("subscribe prices"))
/// }
/// for try await message in feed.messages { print(message) }
/// ```
///
/// Reading ``messages`` drives it: it connects only while a task reads. Messages of the server are lost while there is no connection,
/// and so are messages to it that had not arrived. A server that can resume has to be told in `resubscribe` where to resume.
///
/// Read in one task. ``send(_:)-(WebSocket.Message)`` may be called from any task, and waits while there is no connection.
public final class ReconnectingWebSocket: Sendable {
    private struct State {
        var socket: WebSocket?
        var isClosed = false
        var failure: NetworkFailure?
        /// The number of pauses since the last connection, or nil before the first attempt, which does not wait.
        var pauses: Int?
        var failedAttempts = 0
        /// The tasks that wait for a message.
        var readers = 0
        /// The senders that wait for a connection.
        var waiters = WaiterList<Result<WebSocket, any Error>>()
    }

    private let connect: @Sendable () async throws -> WebSocket
    private let resubscribe: @Sendable (WebSocket) async throws -> Void
    private let reconnection: ReconnectingWebSocket.Policy
    private let clock: any NetworkClock
    private let random: @Sendable () -> Double
    private let state = Locked(State())
    /// The steps that ``close(code:reason:)`` ends: a pause, connecting and subscribing.
    private let steps = InFlightCalls()

    /// Creates a WebSocket that connects when its messages are read.
    ///
    /// - Parameters:
    ///   - reconnection: when to reconnect.
    ///   - clock: the clock for the pauses, usually the client's.
    ///   - random: returns numbers from 0 to 1 for the jitter. Set it in tests.
    ///   - connect: opens a WebSocket. It is called for each attempt.
    ///   - resubscribe: called with each new connection before its first message is read. An error counts as a failed attempt.
    public init(
        reconnection: ReconnectingWebSocket.Policy = .default, clock: any NetworkClock = .system,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        connect: @escaping @Sendable () async throws -> WebSocket,
        resubscribe: @escaping @Sendable (WebSocket) async throws -> Void = { _ in }
    ) {
        self.reconnection = reconnection
        self.clock = clock
        self.random = random
        self.connect = connect
        self.resubscribe = resubscribe
    }

    /// The current connection, or nil if there is none.
    public var current: WebSocket? { state.withLock(\.socket) }

    /// The messages of all connections. The sequence ends when the server closes with 1000 or after ``close(code:reason:)``, and throws the
    /// failure after which there is no further attempt. It holds the WebSocket.
    public var messages: WebSocket.Messages<WebSocket.Message> { WebSocket.Messages { [self] in try await next() } }

    /// Sends a message over the current connection, or over the next one if there is none.
    ///
    /// If the connection has ended while no task waits for a message of ``messages``, it fails: only a reader connects again.
    ///
    /// - Throws: as ``WebSocket/send(_:)-(WebSocket.Message)``. If the connection is lost meanwhile, the message may or may not have
    ///   arrived, and is not sent again. After the end it throws the failure of the end.
    public func send(_ message: WebSocket.Message) async throws(NetworkFailure) { try await connected().send(message) }

    /// Sends a value, encoded by the client's encoder: see `send(_:)` of ``WebSocket``.
    public func send(_ value: some Encodable & Sendable) async throws(NetworkFailure) {
        try await connected().send(value)
    }

    /// Closes the WebSocket and stops reconnecting: see ``WebSocket/close(code:reason:)``.
    public func close(code: WebSocket.CloseCode = .normalClosure, reason: String = "") async {
        let socket = state.withLock { state in
            state.isClosed = true
            return state.socket
        }
        steps.close(cancelling: true)
        finish(nil)
        await socket?.close(code: code, reason: reason)
    }

    private func next() async throws(NetworkFailure) -> WebSocket.Message? {
        state.withLock { $0.readers += 1 }
        defer { state.withLock { $0.readers -= 1 } }
        while true {
            let (socket, isClosed, failure) = state.withLock { ($0.socket, $0.isClosed, $0.failure) }
            if let failure { throw failure }
            if isClosed, socket == nil { return nil }
            guard let socket else {
                try await connectOnce()
                continue
            }
            let loss: NetworkFailure
            var isOrderly = false
            do {
                if let message = try await socket.receive() { return message }
                let closure = socket.closure ?? WebSocket.Closure(code: .normalClosure)
                loss = socket.failure(WebSocketError.closed(closure))
                isOrderly = true
            } catch {
                if error.isCancellation, Task.isCancelled { throw error }
                loss = error
            }
            let isClosing = state.withLock { state in
                state.socket = nil
                return state.isClosed
            }
            if isClosing || isOrderly && !isWorthAnAttempt(loss) {
                finish(nil)
                return nil
            }
            try consider(loss)
        }
    }

    private func isWorthAnAttempt(_ failure: NetworkFailure) -> Bool {
        reconnection.shouldReconnect(failure) && state.withLock(\.failedAttempts) < reconnection.maximumAttempts ?? .max
    }

    /// Throws if there is to be no further attempt.
    private func consider(_ failure: NetworkFailure) throws(NetworkFailure) {
        if state.withLock(\.isClosed) || isWorthAnAttempt(failure) { return }
        finish(failure)
        throw failure
    }

    private func connectOnce() async throws(NetworkFailure) {
        let pauses = state.withLock { state -> Int? in
            defer { state.pauses = state.pauses.map { $0 + 1 } ?? 0 }
            return state.pauses
        }
        if let pauses { try await pause(before: pauses) }
        if state.withLock(\.isClosed) { return }
        do {
            let socket = try await steps.run(for: 0, connect)
            do {
                try await steps.run(for: 0) { [resubscribe] in try await resubscribe(socket) }
            } catch {
                if state.withLock(\.isClosed) { await socket.close() }
                throw error
            }
            let (waiters, isClosed) = state.withLock { state in
                state.socket = socket
                state.pauses = 0
                state.failedAttempts = 0
                return (state.waiters.popAll(), state.isClosed)
            }
            for waiter in waiters { waiter.resume(returning: .success(socket)) }
            if isClosed { await socket.close() }
        } catch {
            let failure = NetworkFailure(wrapping: error, request: nil, timestamp: clock.now)
            if failure.isCancellation, Task.isCancelled { throw failure }
            state.withLock { $0.failedAttempts += 1 }
            try consider(failure)
        }
    }

    private func pause(before attempt: Int) async throws(NetworkFailure) {
        let seconds = reconnection.delay.seconds(for: attempt, random: random())
        do {
            try await steps.run(for: 0) { [clock] in try await clock.sleep(for: seconds) }
        } catch {
            // `close` ended the pause. The reader sees that next.
            guard Task.isCancelled else { return }
            throw NetworkFailure(cause: .cancelled, timestamp: clock.now)
        }
    }

    private func connected() async throws(NetworkFailure) -> WebSocket {
        let result = await state.wait(in: \.waiters, cancelled: .failure(CancellationError())) { state in
            if let socket = state.socket {
                guard let closure = socket.closure else { return .success(socket) }
                // Only a reader connects again, and this task may be the one that reads next.
                if state.readers == 0 { return .failure(WebSocketError.closed(closure)) }
            }
            return state.isClosed || state.failure != nil ? .failure(end(state.failure)) : nil
        }
        return try result.mapError { NetworkFailure(wrapping: $0, request: nil, timestamp: clock.now) }.get()
    }

    /// Ends the WebSocket for good.
    private func finish(_ failure: NetworkFailure?) {
        let waiters = state.withLock { state in
            state.failure = state.failure ?? failure
            state.isClosed = true
            return state.waiters.popAll()
        }
        for waiter in waiters { waiter.resume(returning: .failure(end(failure))) }
    }

    private func end(_ failure: NetworkFailure?) -> any Error {
        failure ?? WebSocketError.closed(WebSocket.Closure(code: .normalClosure))
    }

    /// The rules for reconnecting.
    public struct Policy: Sendable {
        /// The pause before each attempt. The first attempt after a connection was lost has number 0.
        public var delay: RetryPolicy.Delay
        /// How many attempts in a row may fail, or nil for no limit. Then the last failure is thrown.
        public var maximumAttempts: Int?
        /// Whether to reconnect after this failure of a connection or an attempt.
        public var shouldReconnect: @Sendable (NetworkFailure) -> Bool

        /// Creates a policy.
        ///
        /// - Parameters:
        ///   - delay: the pause before each attempt.
        ///   - maximumAttempts: how many attempts in a row may fail, or nil for no limit.
        ///   - shouldReconnect: whether to reconnect after a failure; ``isTransient(_:)`` by default.
        public init(
            delay: RetryPolicy.Delay = .fullJitter(base: 1, multiplier: 2, maximum: 30), maximumAttempts: Int? = nil,
            shouldReconnect: @escaping @Sendable (NetworkFailure) -> Bool = ReconnectingWebSocket.Policy.isTransient
        ) {
            self.delay = delay
            self.maximumAttempts = maximumAttempts
            self.shouldReconnect = shouldReconnect
        }

        /// Reconnects without a limit, with pauses of at most 30 seconds.
        public static let `default` = ReconnectingWebSocket.Policy()

        /// Returns whether the failure may be temporary: an outage (``NetworkFailure/isRetryable``), a missing pong, and the close codes 1001, 1005,
        /// 1006 and 1011 to 1014. Not 1000, nor the codes that blame this client (1002, 1003, 1007 to 1010), nor an application's own codes.
        @Sendable public static func isTransient(_ failure: NetworkFailure) -> Bool {
            guard let error = failure.underlyingError as? WebSocketError else { return failure.isRetryable }
            switch error.code {
            case .pongMissing: return true
            case .notUpgraded: return failure.isRetryable
            case .closed:
                guard let code = error.closure?.code.rawValue else { return false }
                return [1001, 1005, 1006].contains(code) || (1011...1014).contains(code)
            default: return false
            }
        }
    }
}
