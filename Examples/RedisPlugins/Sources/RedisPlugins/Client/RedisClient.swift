internal import NIOConcurrencyHelpers
internal import NIOCore
internal import NIOPosix
public import NetCore

/// One connection to a Redis server, which all who use the client share: commands go out one behind the other without waiting for answers.
///
/// ```swift
/// let redis = RedisClient(.tcp(host: "cache.internal"))
/// let client = NetworkClient(cache: ResponseCache(store: RedisCacheStore(redis)))
/// ```
///
/// It connects when it is first used, and again after a connection was lost. When the server cannot be reached or does not answer in
/// time, all fails at once for ``pause`` seconds, so that a Redis that is down costs a request one timeout at most, and most of them nothing.
public final class RedisClient: Sendable {
    private struct State {
        var connection: EventLoopFuture<any Channel>?
        /// Tells one connection from the next.
        var number = 0
        /// Until when nothing is tried, in the clock's uptime.
        var pauseEnd = -TimeInterval.infinity
        var isClosed = false
    }

    private let address: RedisAddress
    private let password: String?
    private let timeout: TimeAmount
    private let pause: TimeInterval
    private let clock: any NetworkClock
    private let eventLoop: any EventLoop
    private let state = NIOLockedValueBox(State())

    /// A client. It does nothing until it is used.
    ///
    /// - Parameters:
    ///   - address: where the server listens.
    ///   - password: for `AUTH`; nil if the server asks for none.
    ///   - timeout: how many seconds connecting, and each answer, may take; real time.
    ///   - pause: for how many seconds nothing is tried after the server was not to be reached.
    ///   - clock: for the pause.
    public init(
        _ address: RedisAddress, password: String? = nil, timeout: TimeInterval = 0.5, pause: TimeInterval = 2,
        clock: any NetworkClock = .system
    ) {
        self.address = address
        self.password = password
        // From a millisecond to a day, since what is no number or too large a one makes no nanoseconds.
        self.timeout = .nanoseconds(Int64((timeout > 0.001 ? min(timeout, 86_400) : 0.001) * 1e9))
        self.pause = pause
        self.clock = clock
        eventLoop = MultiThreadedEventLoopGroup.singleton.any()
    }

    deinit { close() }

    /// Ends the connection. Whoever waits for an answer gets an error, and so does whoever asks later. Twice is fine.
    public func close() {
        let connection = state.withLockedValue { state in
            state.isClosed = true
            return state.connection
        }
        connection?.whenSuccess { $0.close(promise: nil) }
    }

    /// Sends a command.
    ///
    /// - Returns: the server's answer.
    /// - Throws: ``RedisError``.
    func send(_ command: RESPCommand) async throws -> RESPValue {
        try await future(command).get()
    }

    /// Sends a command, and blocks this thread until the answer is there: not for threads on which tasks run.
    @available(*, noasync)
    func sendAndWait(_ command: RESPCommand) throws -> RESPValue {
        try future(command).wait()
    }

    private func future(_ command: RESPCommand) -> EventLoopFuture<RESPValue> {
        connection().flatMap { Self.call(command, on: $0) }
    }

    private static func call(_ command: RESPCommand, on channel: any Channel) -> EventLoopFuture<RESPValue> {
        let answer = channel.eventLoop.makePromise(of: RESPValue.self)
        channel.writeAndFlush(RedisCall(command: command, answer: answer)).whenFailure { error in
            answer.fail(RedisError.connectionFailed(reason: "\(error)"))
        }
        return answer.futureResult
    }

    // MARK: The connection

    private enum Step {
        case use(EventLoopFuture<any Channel>)
        case connect(EventLoopPromise<any Channel>, number: Int)
        case fail(RedisError)
    }

    private func connection() -> EventLoopFuture<any Channel> {
        let now = clock.uptime
        let step = state.withLockedValue { state -> Step in
            if state.isClosed { return .fail(.closed) }
            if let connection = state.connection { return .use(connection) }
            if now < state.pauseEnd { return .fail(.unavailable) }
            let promise = eventLoop.makePromise(of: (any Channel).self)
            state.connection = promise.futureResult
            state.number += 1
            return .connect(promise, number: state.number)
        }
        switch step {
        case .use(let connection): return connection
        case .fail(let error): return eventLoop.makeFailedFuture(error)
        case .connect(let promise, let number):
            connect(number).cascade(to: promise)
            return promise.futureResult
        }
    }

    private func connect(_ number: Int) -> EventLoopFuture<any Channel> {
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(timeout)
            .channelInitializer { [weak self, timeout] channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = RedisChannelHandler(timeout: timeout) { self?.forget(number, after: $0) }
                    try channel.pipeline.syncOperations.addHandlers(ByteToMessageHandler(RESPDecoder()), handler)
                }
            }
        let connected =
            switch address {
            case .tcp(let host, let port): bootstrap.connect(host: host, port: port)
            case .unixSocket(let path): bootstrap.connect(unixDomainSocketPath: path)
            }
        return connected.flatMap { [password] channel in
            guard let password else { return channel.eventLoop.makeSucceededFuture(channel) }
            return Self.call(["AUTH", .init(password)], on: channel).map { _ in channel }
                .flatMapError { error in channel.close().flatMapThrowing { throw error } }
        }
        .flatMapErrorThrowing { [weak self] error in
            let error = error as? RedisError ?? .connectionFailed(reason: "\(error)")
            self?.forget(number, after: error, failedAtOnce: true)
            throw error
        }
    }

    /// Called before anybody hears of the error, so that who tries again gets another connection, or waits out the pause.
    private func forget(_ number: Int, after error: RedisError, failedAtOnce: Bool = false) {
        let isPausing = if case .timedOut = error { true } else { failedAtOnce }
        let pauseEnd = clock.uptime + pause
        state.withLockedValue { state in
            guard state.number == number else { return }
            state.connection = nil
            if isPausing { state.pauseEnd = pauseEnd }
        }
    }
}
