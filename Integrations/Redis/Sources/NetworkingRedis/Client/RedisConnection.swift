internal import NIOConcurrencyHelpers
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import NetCore

/// The connection to one server. It is made at the first use, and again after it was lost.
final class RedisConnection: Sendable {
    private struct State {
        var channel: EventLoopFuture<any Channel>?
        /// Tells one connection from the next.
        var number = 0
        /// The uptime until which nothing is tried.
        var pauseEnd = -TimeInterval.infinity
        var isClosed = false
    }

    private let configuration: RedisConfiguration
    private let timeout: TimeAmount
    private let clock: any NetworkClock
    private let eventLoop: any EventLoop
    private let state = NIOLockedValueBox(State())

    /// - Parameter configuration: with the address of this server.
    init(_ configuration: RedisConfiguration, clock: any NetworkClock) {
        self.configuration = configuration
        // NaN, infinity and huge numbers are not nanoseconds.
        let seconds = configuration.timeout > 0.001 ? min(configuration.timeout, 86_400) : 0.001
        timeout = .nanoseconds(Int64(seconds * 1e9))
        self.clock = clock
        eventLoop = MultiThreadedEventLoopGroup.singleton.any()
    }

    func close() {
        let channel = state.withLockedValue { state in
            state.isClosed = true
            return state.channel
        }
        channel?.whenSuccess { $0.close(promise: nil) }
    }

    /// Returns the promise of a reply. Failing it ends the wait, not the command.
    func send(_ command: RedisCommand, isAsking: Bool = false) -> EventLoopPromise<RedisValue> {
        let reply = eventLoop.makePromise(of: RedisValue.self)
        let call = RedisCall(command: command, reply: reply, isAsking: isAsking)
        channel().whenComplete { result in
            switch result {
            case .success(let channel): Self.write(call, to: channel)
            case .failure(let error): reply.fail(error)
            }
        }
        return reply
    }

    private static func write(_ call: RedisCall, to channel: any Channel) {
        channel.writeAndFlush(call).whenFailure { error in
            call.reply.fail(RedisError.connectionFailed(reason: "\(error)"))
        }
    }

    private enum Step {
        case use(EventLoopFuture<any Channel>)
        case connect(EventLoopPromise<any Channel>, number: Int)
        case fail(RedisError)
    }

    private func channel() -> EventLoopFuture<any Channel> {
        let now = clock.uptime
        let step = state.withLockedValue { state -> Step in
            if state.isClosed { return .fail(.closed) }
            if let channel = state.channel { return .use(channel) }
            if now < state.pauseEnd { return .fail(.unavailable) }
            let promise = eventLoop.makePromise(of: (any Channel).self)
            state.channel = promise.futureResult
            state.number += 1
            return .connect(promise, number: state.number)
        }
        switch step {
        case .use(let channel): return channel
        case .fail(let error): return eventLoop.makeFailedFuture(error)
        case .connect(let promise, let number):
            connect(number).cascade(to: promise)
            return promise.futureResult
        }
    }

    private func connect(_ number: Int) -> EventLoopFuture<any Channel> {
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(timeout)
            .channelInitializer { [weak self, timeout, configuration] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls = configuration.tls {
                        try pipeline.addHandler(try tls.makeHandler(for: configuration.address))
                    }
                    let handler = RedisChannelHandler(timeout: timeout) { self?.forget(number, after: $0) }
                    try pipeline.addHandlers(ByteToMessageHandler(RESPDecoder()), handler)
                }
            }
        let connected =
            switch configuration.address {
            case .tcp(let host, let port): bootstrap.connect(host: host, port: port)
            case .unixSocket(let path): bootstrap.connect(unixDomainSocketPath: path)
            }
        return connected.flatMap { [greeting] channel in
            let replies = greeting.map { command in
                let call = RedisCall(command: command, reply: channel.eventLoop.makePromise())
                Self.write(call, to: channel)
                return call.reply.futureResult
            }
            return EventLoopFuture.andAllSucceed(replies, on: channel.eventLoop).map { channel }
                .flatMapErrorThrowing { error in
                    channel.close(promise: nil)
                    throw error
                }
        }
        .flatMapErrorThrowing { [weak self] error in
            let error = error as? RedisError ?? .connectionFailed(reason: "\(error)")
            self?.forget(number, after: error, isNew: true)
            throw error
        }
    }

    /// The first commands of a connection. The last one always asks for a reply: a connection that TLS, `AUTH` or a server that is still
    /// loading its data refuses counts as a failed attempt.
    private var greeting: [RedisCommand] {
        var commands: [RedisCommand] = []
        if let password = configuration.password {
            let user = configuration.username.map { [RedisCommand.Word($0)] } ?? []
            commands.append(RedisCommand(["AUTH"] + user + [.init(password)]))
        }
        if configuration.database != 0 { commands.append(["SELECT", "\(configuration.database)"]) }
        return commands + [["PING"]]
    }

    /// Forgets a connection that ended. It is called before the callers get the error, so that their next attempt opens a new connection or
    /// respects the pause.
    private func forget(_ number: Int, after error: RedisError, isNew: Bool = false) {
        let isPausing = if case .timedOut = error { true } else { isNew }
        let pauseEnd = clock.uptime + configuration.pause
        state.withLockedValue { state in
            guard state.number == number else { return }
            state.channel = nil
            if isPausing { state.pauseEnd = pauseEnd }
        }
    }
}
