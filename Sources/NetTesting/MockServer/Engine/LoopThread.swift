import NetCore

/// One thread that can be joined, which `Thread` cannot: after ``join()`` it is really gone, so that a test that counts
/// threads sees none of ours.
final class LoopThread: Sendable {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let handle: Locked<pthread_t?>

    /// Starts the thread with all signals blocked, so that they reach the threads of the program under test.
    init(_ run: @escaping @Sendable () -> Void) throws {
        let body = Unmanaged.passRetained(Body(run))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        var all = sigset_t()
        var previous = sigset_t()
        sigfillset(&all)
        // A thread inherits the mask of the one that made it: blocked here, no signal can slip in before it could block them.
        pthread_sigmask(SIG_SETMASK, &all, &previous)
        let code = pthread_create(&thread, nil, startLoopThread, body.toOpaque())
        pthread_sigmask(SIG_SETMASK, &previous, nil)
        guard code == 0 else {
            body.release()
            throw NetTestingError.system(call: "pthread_create", code: code)
        }
        handle = Locked(thread)
    }

    /// Waits for the thread to end. Only the first call does something; on the thread itself it only lets go of it.
    func join() {
        let thread = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        guard let thread else { return }
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    fileprivate static func main(_ argument: UnsafeMutableRawPointer) {
        Thread.current.name = "mock-server"
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
    }
}

#if canImport(Darwin)
    private func startLoopThread(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        LoopThread.main(argument)
        return nil
    }
#else
    private func startLoopThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let argument { LoopThread.main(argument) }
        return nil
    }
#endif
