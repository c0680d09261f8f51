import NetCore

/// Commands of other threads to the event loop: a queue, and a socket pair that wakes the loop from `poll`.
final class CommandQueue: Sendable {
    /// Runs on the loop thread.
    typealias Command = @Sendable (EventLoop) -> Void

    private struct State {
        var commands: [Command] = []
        var isClosed = false
    }

    private let state = Locked(State())
    private let sender: Socket
    /// Readable when there is a command.
    let receiver: Socket

    init() throws {
        var descriptors: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, SocketConstant.stream, 0, &descriptors) == 0 else {
            throw NetTestingError.system(call: "socketpair", code: errno)
        }
        sender = Socket(owning: descriptors[0])
        receiver = Socket(owning: descriptors[1])
    }

    deinit { close() }

    func post(_ command: @escaping Command) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.commands.append(command)
            guard state.commands.count == 1 else { return }
            // Under the lock, since the descriptor could be closed and reused otherwise. One byte never fills the buffer.
            _ = withUnsafeBytes(of: UInt8(1)) { sender.write($0) }
        }
    }

    /// Removes and returns the commands.
    func take() -> [Command] {
        state.withLock { state in
            guard !state.commands.isEmpty else { return [] }
            var byte: UInt8 = 0
            _ = withUnsafeMutableBytes(of: &byte) { receiver.read(into: $0) }
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Closes the sockets. Later commands are dropped.
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

/// A thread that can be joined, which `Thread` cannot: after ``join()`` it is gone, so a test that counts threads does not see it.
final class LoopThread: Sendable {
    private let handle = Locked<pthread_t?>(nil)
    private let run: @Sendable () -> Void

    /// Starts the thread with all signals blocked, so that the threads of the program under test get them.
    init(_ run: @escaping @Sendable () -> Void) throws {
        self.run = run
        // The thread releases it.
        let body = Unmanaged.passRetained(self)
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        var all = sigset_t()
        var previous = sigset_t()
        sigfillset(&all)
        // A thread inherits the mask of its creator. If it blocked signals itself, one could arrive before.
        pthread_sigmask(SIG_SETMASK, &all, &previous)
        let code = pthread_create(
            &thread, nil,
            { argument in
                LoopThread.main(argument)
                return nil
            }, body.toOpaque())
        pthread_sigmask(SIG_SETMASK, &previous, nil)
        guard code == 0 else {
            body.release()
            throw NetTestingError.system(call: "pthread_create", code: code)
        }
        handle.withLock { $0 = thread }
    }

    /// Waits for the thread to end, or detaches it if it is the current thread. Later calls do nothing.
    func join() {
        guard let thread = handle.withLock({ $0.take() }) else { return }
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    /// - Parameter argument: the body. Its type is optional on Linux only.
    private static func main(_ argument: UnsafeMutableRawPointer?) {
        guard let argument else { return }
        Thread.current.name = "mock-server"
        Unmanaged<LoopThread>.fromOpaque(argument).takeRetainedValue().run()
    }
}
