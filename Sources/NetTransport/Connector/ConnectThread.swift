#if os(Linux)
    import CLibcurl
    import NetCore
    import Synchronization

    /// A thread on which libcurl opens the connections of all transports of the process, or of one. It starts with the first connection, and
    /// ends when nothing has been opened for a second.
    final class ConnectThread: Sendable {
        enum Command {
            case open(ConnectAttempt)
            case cancel(ConnectAttempt)
            case lookedUp(ConnectAttempt, Result<[String], any Error>)
            /// Ends all attempts of a connector that is stopped, and resumes its caller.
            case endAll(Connector, CheckedContinuation<Void, Never>?)
        }

        private struct State {
            var commands: [Command] = []
            /// What wakes the thread; nil while it does not wait for commands.
            var sleeper: OpaquePointer?
            var isRunning = false
        }

        private let state = Locked(State())
        /// The process that has started the thread; 0 before. Not behind the lock, which a fork may have left locked.
        private let process = Atomic<Int32>(0)

        private static let restTime: Int64 = 1_000_000_000
        /// Bounds libcurl's handles, of 12 KB each: connections that are established meanwhile have none any more.
        private static let commandsPerTurn = 64

        /// Opens a connection, or refuses to in a process that was forked from one with the thread.
        func open(_ attempt: ConnectAttempt) {
            guard !isForked else { return attempt.completion(.failure(TransportError.forked(attempt.target.url))) }
            let wasRunning = state.withLock { state in
                Self.post(.open(attempt), to: &state)
                defer { state.isRunning = true }
                return state.isRunning
            }
            if !wasRunning { start() }
        }

        /// Does nothing without a thread, and returns false: then there is nothing to act on.
        @discardableResult func post(_ command: Command) -> Bool {
            guard !isForked else { return false }
            return state.withLock { state in
                if state.isRunning { Self.post(command, to: &state) }
                return state.isRunning
            }
        }

        private static func post(_ command: Command, to state: inout State) {
            // The thread has been woken for the earlier ones.
            if state.commands.isEmpty { state.sleeper.map(nc_connector_wake) }
            state.commands.append(command)
        }

        private var isForked: Bool {
            let starter = process.load(ordering: .relaxed)
            return starter != 0 && starter != getpid()
        }

        // MARK: The thread

        private func start() {
            process.store(getpid(), ordering: .relaxed)
            // The thread releases it.
            let pointer = Unmanaged.passRetained(self).toOpaque()
            let main: @convention(c) (UnsafeMutableRawPointer) -> Void = { pointer in
                let thread = Unmanaged<ConnectThread>.fromOpaque(pointer).takeRetainedValue()
                repeat { thread.serve() } while !thread.ends()
            }
            let error = nc_thread_start("net.connect", main, pointer)
            guard error != 0 else { return }
            Unmanaged<ConnectThread>.fromOpaque(pointer).release()
            let text = "The transport cannot start a thread: \(String(cString: strerror(error)))"
            repeat { refuse(NetworkError.unsupported(text)) } while !ends()
        }

        /// Ends the thread, unless a command has come meanwhile.
        private func ends() -> Bool {
            state.withLock { state in
                state.isRunning = !state.commands.isEmpty
                return !state.isRunning
            }
        }

        private func take() -> [Command] {
            state.withLock { state in
                defer { state.commands = [] }
                return state.commands
            }
        }

        private func refuse(_ error: any Error) {
            for command in take() {
                switch command {
                case .open(let attempt):
                    let own = (error as? TransportError)?.adding(url: attempt.target.url)
                    attempt.completion(.failure(own ?? error))
                case .endAll(_, let caller): caller?.resume()
                case .cancel, .lookedUp: break
                }
            }
        }

        /// Opens connections until there was none for a while.
        private func serve() {
            let loop: ConnectLoop
            do { loop = try ConnectLoop() } catch { return refuse(error) }
            state.withLock { $0.sleeper = loop.handle }
            var restsSince = nc_clock()
            var commands: ArraySlice<Command> = []
            while true {
                for command in commands.prefix(Self.commandsPerTurn) { loop.handle(command) }
                commands = commands.dropFirst(Self.commandsPerTurn)
                loop.finish()
                // Just before the wait: a command that comes later ends it.
                if commands.isEmpty { commands = take()[...] }
                if !loop.isIdle || !commands.isEmpty {
                    restsSince = nc_clock()
                } else if nc_clock() - restsSince >= Self.restTime {
                    break
                }
                let rest = loop.isIdle ? restsSince + Self.restTime : loop.lookUpDue
                nc_connector_wait(loop.handle, commands.isEmpty ? rest : NC_AT_ONCE)
            }
            state.withLock { $0.sleeper = nil }
            loop.close()
        }
    }
#endif
