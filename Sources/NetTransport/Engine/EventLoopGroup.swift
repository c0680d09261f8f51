#if os(Linux)
    import CLibcurl
    import NetCore

    /// The loops of the process, which all transports share: a client costs no thread.
    final class EventLoopGroup: Sendable {
        static let shared = EventLoopGroup(count: EventLoopGroup.usualCount)

        private enum State {
            /// The number of loops to start.
            case unused(Int)
            case running([EventLoop], process: pid_t)
        }

        private let state: Locked<State>
        private let start: @Sendable () throws -> EventLoop

        /// One on two cores, about half of the cores up to eight elsewhere: the other half is for those who send.
        private static var usualCount: Int { min(8, max(1, ProcessInfo.processInfo.activeProcessorCount / 2)) }

        /// - Parameter start: starts a loop.
        init(count: Int, start: @escaping @Sendable () throws -> EventLoop = { try EventLoop.start() }) {
            self.start = start
            state = Locked(.unused(max(1, count)))
        }

        /// Sets the number of loops, before they are started.
        func setCount(_ count: Int) throws(NetworkError) {
            guard 1...64 ~= count else {
                throw .unsupported("\(count) threads are not possible. Set a number from 1 to 64.")
            }
            try state.withLock { state throws(NetworkError) in
                guard case .unused = state else {
                    throw .unsupported(
                        "The threads run already. Set their number before the first request of the process.")
                }
                state = .unused(count)
            }
        }

        /// The loops if they were started; nil otherwise.
        var running: [EventLoop]? {
            state.withLock { state in
                if case .running(let loops, getpid()) = state { loops } else { nil }
            }
        }

        /// Returns the loops, and starts them for the first caller: at least one, and fewer than the set number if the process lacks
        /// threads or descriptors.
        ///
        /// - Throws: ``TransportError`` if the system has no thread or descriptor for one, and in a forked child process, which has none.
        func loops() throws -> [EventLoop] {
            try state.withLock { state in
                switch state {
                case .running(let loops, getpid()): return loops
                case .running: throw TransportError.forked(nil)
                case .unused(let count):
                    var loops = [try start()]
                    // Fewer than asked for serve as well. Their threads never end, so a failure here would leak them.
                    while loops.count < count, let loop = try? start() { loops.append(loop) }
                    state = .running(loops, process: getpid())
                    return loops
                }
            }
        }
    }
#endif
