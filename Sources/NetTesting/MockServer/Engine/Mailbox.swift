import NetCore

/// How other threads speak to the loop: a queue of commands, and a socket whose bytes end the loop's sleep.
final class Mailbox: Sendable {
    enum Command: Sendable {
        /// The answer of a handler.
        case answer(MockResponse, connection: Int, exchange: Int)
        case closeConnections
        /// For one HTTP/2 connection; nil for all.
        case http2(HTTP2Command, connection: Int?)
        case stop
    }

    private struct State {
        var commands: [Command] = []
        var isSignalled = false
        var isClosed = false
    }

    private let state = Locked(State())
    private let sender: Socket
    /// Readable when there is a command.
    let receiver: Socket

    init() throws {
        var descriptors: [Int32] = [-1, -1]
        guard System.makePair(&descriptors) == 0 else {
            throw NetTestingError.system(call: "socketpair", code: errno)
        }
        sender = Socket(owning: descriptors[0])
        receiver = Socket(owning: descriptors[1])
    }

    func post(_ command: Command) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.commands.append(command)
            guard !state.isSignalled else { return }
            state.isSignalled = true
            // Under the lock, so that the number cannot belong to something else by now. One byte never fills the buffer.
            _ = withUnsafeBytes(of: UInt8(1)) { sender.write($0) }
        }
    }

    /// The commands since the last time.
    func take() -> [Command] {
        state.withLock { state in
            guard state.isSignalled else { return [] }
            state.isSignalled = false
            var byte: UInt8 = 0
            _ = withUnsafeMutableBytes(of: &byte) { receiver.read(into: $0) }
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// From here on commands are dropped.
    func close() {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.isClosed = true
            state.commands = []
            sender.close()
            receiver.close()
        }
    }
}
