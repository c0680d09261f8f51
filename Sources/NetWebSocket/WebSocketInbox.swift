import NetCore

/// The messages that have arrived and that no reader has taken. While it is full, ``add(_:)`` suspends, so that the server has to wait.
final class WebSocketInbox: Sendable {
    private typealias Received = Result<WebSocket.Message?, any Error>

    private struct State {
        var messages = FIFO<WebSocket.Message>()
        /// The bytes of the messages that have not been taken.
        var bytes = 0
        /// Whether messages that still arrive are dropped.
        var discards = false
        /// What readers get after the messages: nil, or the error that ended the WebSocket.
        var ending: Received?
        var readers = WaiterList<Received>()
        /// The link that waits for room.
        var writers = WaiterList<Bool>()

        var isFull: Bool { bytes >= WebSocketInbox.capacity || messages.count >= WebSocketInbox.count }
    }

    /// The numbers of bytes and of messages at which the inbox is full.
    static let capacity = 256 * 1024
    static let count = 1024

    private let state = Locked(State())

    /// Whether unread messages hold up the connection.
    var isFull: Bool { state.withLock { !$0.writers.isEmpty } }

    /// Adds a message. Returns when there is room for another.
    func add(_ message: WebSocket.Message) async {
        let (reader, waits) = state.withLock { state -> (WaiterList<Received>.Waiter?, Bool) in
            if state.discards || state.ending != nil { return (nil, false) }
            if let reader = state.readers.popFirst() { return (reader, false) }
            state.messages.append(message)
            state.bytes += message.size
            return (nil, state.isFull)
        }
        reader?.resume(returning: .success(message))
        guard waits else { return }
        _ = await state.wait(in: \.writers, cancelled: true) { state in
            state.discards || state.ending != nil || !state.isFull ? true : nil
        }
    }

    /// Drops the messages that arrive from now on.
    func discard() {
        state.withLock { state in
            state.discards = true
            return state.writers.popFirst()
        }?.resume(returning: true)
    }

    /// Ends the inbox. The messages in it can still be taken.
    func finish(_ failure: (any Error)?) {
        let ending: Received = failure.map { .failure($0) } ?? .success(nil)
        let (readers, writer) = state.withLock { state in
            state.ending = state.ending ?? ending
            return (state.readers.popAll(), state.writers.popFirst())
        }
        writer?.resume(returning: true)
        for reader in readers { reader.resume(returning: ending) }
    }

    /// Takes the next message; nil at the end.
    ///
    /// - Throws: the error that ended the WebSocket; `CancellationError` if the task is cancelled, and then no message is lost.
    func next() async throws -> WebSocket.Message? {
        var writer: WaiterList<Bool>.Waiter?
        let received = await state.wait(in: \.readers, cancelled: .failure(CancellationError())) { state in
            guard let message = state.messages.popFirst() else { return state.ending }
            state.bytes -= message.size
            if state.bytes <= Self.capacity / 2, state.messages.count <= Self.count / 2 {
                writer = state.writers.popFirst()
            }
            return .success(message)
        }
        writer?.resume(returning: true)
        return try received.get()
    }
}
