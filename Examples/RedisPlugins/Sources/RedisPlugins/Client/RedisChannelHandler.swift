internal import NIOCore

/// A command on its way, and who waits for its answer.
struct RedisCall: Sendable {
    let command: RESPCommand
    let answer: EventLoopPromise<RESPValue>
}

/// Writes commands, and pairs each answer with its command: Redis answers in the order of the commands.
///
/// An answer that does not come would put all later ones out of step, so the connection ends then.
final class RedisChannelHandler: ChannelDuplexHandler {
    typealias InboundIn = RESPValue
    typealias OutboundIn = RedisCall
    typealias OutboundOut = ByteBuffer

    private let timeout: TimeAmount
    private let end: (RedisError) -> Void
    private var waiting = CircularBuffer<EventLoopPromise<RESPValue>>()
    private var timer: Scheduled<Void>?
    /// Why the connection ends.
    private var failure: RedisError?

    /// - Parameter end: told of the connection's end, before those who wait for answers are.
    init(timeout: TimeAmount, end: @escaping (RedisError) -> Void) {
        self.timeout = timeout
        self.end = end
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let call = unwrapOutboundIn(data)
        var buffer = context.channel.allocator.buffer(capacity: 256)
        call.command.write(to: &buffer)
        waiting.append(call.answer)
        if waiting.count == 1 { startTimer(context) }
        context.write(wrapOutboundOut(buffer), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let answer = waiting.popFirst() else {
            return fail(context, .connectionFailed(reason: "an answer that nobody asked for"))
        }
        startTimer(context)
        switch unwrapInboundIn(data) {
        case .error(let words): answer.fail(RedisError.refused(words))
        case let value: answer.succeed(value)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        let failure = lost(.connectionFailed(reason: "the server closed it"))
        while let answer = waiting.popFirst() { answer.fail(failure) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(context, .connectionFailed(reason: "\(error)"))
    }

    /// Begins again with each answer, so that a large one before does not count against the next.
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

    /// The first reason counts. It is told at once, so that nobody sends anything on what is being closed.
    @discardableResult
    private func lost(_ error: RedisError) -> RedisError {
        if let failure { return failure }
        failure = error
        end(error)
        return error
    }
}
