internal import NIOCore

/// A command and the promise of its reply.
struct RedisCall: Sendable {
    let command: RedisCommand
    let reply: EventLoopPromise<RedisValue>
    /// Whether the node accepts the command although the slot is on its way to it (`ASKING`).
    var isAsking = false
}

/// Writes commands, and pairs each reply with its command. Redis replies in the order of the commands.
///
/// If a reply does not arrive in time, the connection ends. Otherwise later replies would be taken for those of other commands.
final class RedisChannelHandler: ChannelDuplexHandler {
    typealias InboundIn = RedisValue
    typealias OutboundIn = RedisCall
    typealias OutboundOut = ByteBuffer

    private let timeout: TimeAmount
    private let end: (RedisError) -> Void
    /// Nil for a reply that is ignored.
    private var waiting = CircularBuffer<EventLoopPromise<RedisValue>?>()
    private var timer: Scheduled<Void>?
    /// The reason for the connection's end.
    private var failure: RedisError?

    /// - Parameter end: called at the connection's end, before the promises fail.
    init(timeout: TimeAmount, end: @escaping (RedisError) -> Void) {
        self.timeout = timeout
        self.end = end
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let call = unwrapOutboundIn(data)
        var buffer = context.channel.allocator.buffer(capacity: 256)
        if call.isAsking {
            RedisCommand(["ASKING"]).write(to: &buffer)
            waiting.append(nil)
        }
        call.command.write(to: &buffer)
        waiting.append(call.reply)
        if timer == nil { startTimer(context) }
        context.write(wrapOutboundOut(buffer), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let reply = waiting.popFirst() else {
            return fail(context, .connectionFailed(reason: "a reply without a command"))
        }
        startTimer(context)
        switch unwrapInboundIn(data) {
        case .error(let words): reply?.fail(RedisError.refused(words))
        case let value: reply?.succeed(value)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        let failure = lost(.connectionFailed(reason: "the server closed it"))
        while let reply = waiting.popFirst() { reply?.fail(failure) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(context, .connectionFailed(reason: "\(error)"))
    }

    /// Starts again with each reply, so that the time of a large reply does not count for the next one.
    private func startTimer(_ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        guard !waiting.isEmpty else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: timeout) {
            let (handler, context) = bound.value
            let seconds = Double(handler.timeout.nanoseconds) / 1e9
            handler.fail(context, .timedOut(seconds: seconds))
        }
    }

    private func fail(_ context: ChannelHandlerContext, _ error: RedisError) {
        lost(error)
        context.close(promise: nil)
    }

    /// Reports the first reason at once, so that no further command is sent on this connection.
    @discardableResult
    private func lost(_ error: RedisError) -> RedisError {
        if let failure { return failure }
        failure = error
        end(error)
        return error
    }
}
