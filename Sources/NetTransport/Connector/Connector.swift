#if os(Linux)
    import CLibcurl
    import NetCore
    import Synchronization

    /// The server of a connection, and the way to it.
    struct ConnectTarget: Sendable {
        /// The URL for errors.
        var url: URL?
        /// A name or an address, with or without the brackets of IPv6.
        var host: String
        var port: Int
        /// Whether an HTTP proxy is asked for a tunnel: for TLS, and for what is not HTTP/1.1.
        var needsTunnel: Bool
        /// Nil for a direct connection.
        var proxy: ProxyPlan.Server?
        /// The Unix-domain socket to connect to in place of host and port; nil for that of the configuration.
        var socketPath: String?
        /// The time to connect that is left: for the name look-up, TCP, and the answer of a proxy.
        var milliseconds: Int
    }

    /// An open connection without TLS, on which no byte was sent to its ``peer``.
    struct OpenedConnection: Sendable {
        enum Peer: Sendable {
            /// The server of the target, directly, through a SOCKS proxy, or in an HTTP proxy's tunnel.
            case server
            /// An HTTP proxy, which takes requests with an absolute URL (RFC 9112, section 3.2.2), and `Proxy-Authorization`.
            case httpProxy
            /// An HTTP proxy that first wants TLS. CONNECT, for targets over TLS and HTTP/2 without TLS, comes after that.
            case tlsProxy
        }

        /// The caller's: non-blocking, close-on-exec, with `TCP_NODELAY`.
        let descriptor: Int32
        let peer: Peer
        /// The ends of the connection; nil for a Unix-domain socket.
        let local: Endpoint?
        let remote: Endpoint?
        /// The microseconds from the start until the name was looked up, and until the first connection of TCP was established.
        let nameLookup: Int64
        let connect: Int64

        struct Endpoint: Sendable, CustomStringConvertible {
            let address: String
            let port: Int
            /// `192.0.2.1:443`, `[::1]:443`.
            var description: String { TransportResponse.Connection.address(address, port) }
        }
    }

    enum ConnectStep: Hashable, Sendable {
        case lookedUp
        /// A socket is opened for `192.0.2.1:443`. If an address does not answer, there is another.
        case connecting(to: String)
        case connected
    }

    /// Opens connections by libcurl, on a thread of its own: names, both families of addresses, proxies and their tunnels.
    ///
    /// The thread starts with the first connection, and ends when nothing has been opened for a second.
    final class Connector: Sendable {
        enum Command {
            case open(ConnectAttempt)
            case cancel(ConnectAttempt)
            case lookedUp(ConnectAttempt, Result<[String], any Error>)
        }

        private struct State {
            var commands: [Command] = []
            /// What wakes the thread; nil while it does not wait for commands.
            var sleeper: OpaquePointer?
            var isRunning = false
            var isStopped = false
            var waiters: [CheckedContinuation<Void, Never>] = []
        }

        let configuration: TransportConfiguration
        /// Looks up names in place of the system's resolver; nil for the latter.
        let resolver: TransportConfiguration.Resolver?
        private let addressGuard: AddressGuard?
        private let state = Locked(State())
        /// The process that has started the thread; 0 before. Not behind the lock, which a fork may have left locked.
        private let process = Atomic<Int32>(0)

        private static let restTime: Int64 = 1_000_000_000

        /// Problems with the configuration are reported by the first connection.
        ///
        /// - Parameter resolver: nil for that of the configuration.
        init(
            _ configuration: TransportConfiguration, resolver: TransportConfiguration.Resolver? = nil,
            addressGuard: AddressGuard?
        ) {
            self.configuration = configuration
            self.resolver = resolver ?? configuration.resolver
            self.addressGuard = addressGuard
        }

        /// Opens a connection.
        ///
        /// - Parameters:
        ///   - step: called on the connector's thread.
        ///   - completion: called once, on the connector's thread, or on this one if there is none after ``stop()``. The descriptor is its
        ///     own, also if the connection was opened just before it was cancelled.
        /// - Returns: what ``cancel(_:)`` takes.
        @discardableResult func open(
            _ target: ConnectTarget, step: (@Sendable (ConnectStep) -> Void)? = nil,
            completion: @escaping @Sendable (Result<OpenedConnection, any Error>) -> Void
        ) -> ConnectAttempt {
            let attempt = ConnectAttempt(target, addressGuard, step, completion)
            let isForked = isForked
            let mustStart =
                isForked
                ? nil
                : state.withLock { state -> Bool? in
                    guard !state.isStopped else { return nil }
                    Self.post(.open(attempt), to: &state)
                    defer { state.isRunning = true }
                    return !state.isRunning
                }
            switch mustStart {
            case true?: start()
            case false?: break
            case nil: completion(.failure(Self.shutDownError(target.url, isForked: isForked)))
            }
            return attempt
        }

        /// Ends the opening of a connection with `CancellationError`, if it has not ended yet.
        func cancel(_ attempt: ConnectAttempt) {
            post(.cancel(attempt))
        }

        /// Ends all connections that are being opened, and refuses later ones, without waiting for the thread.
        func stop() {
            guard !isForked else { return }
            state.withLock { state in
                state.isStopped = true
                state.sleeper.map(nc_connector_wake)
            }
        }

        /// Ends all connections that are being opened, refuses later ones, and returns when the thread is about to end.
        func shutdown() async {
            guard !isForked else { return }
            stop()
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    if state.isRunning { state.waiters.append(continuation) }
                    return state.isRunning
                }
                if !waits { continuation.resume() }
            }
        }

        /// Does nothing without a thread: then there is nothing to act on.
        func post(_ command: Command) {
            guard !isForked else { return }
            state.withLock { state in
                if state.isRunning { Self.post(command, to: &state) }
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

        static func shutDownError(_ url: URL?, isForked: Bool = false) -> TransportError {
            let message =
                isForked
                ? "The transport was used before a fork, and a forked process has no threads. Create a new one."
                : "The transport was shut down."
            return TransportError(.shutDown, phase: .preparing, message: message, url: url)
        }

        // MARK: The thread

        private func start() {
            process.store(getpid(), ordering: .relaxed)
            // The thread releases it.
            let pointer = Unmanaged.passRetained(self).toOpaque()
            let main: @convention(c) (UnsafeMutableRawPointer) -> Void = { pointer in
                let connector = Unmanaged<Connector>.fromOpaque(pointer).takeRetainedValue()
                repeat { connector.serve() } while !connector.ends()
            }
            let error = nc_thread_start("net.connect", main, pointer)
            guard error != 0 else { return }
            Unmanaged<Connector>.fromOpaque(pointer).release()
            let text = "The transport cannot start a thread: \(String(cString: strerror(error)))"
            repeat { refuse(NetworkError.unsupported(text)) } while !ends()
        }

        /// Ends the thread, unless a command has come meanwhile.
        private func ends() -> Bool {
            let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
                guard state.commands.isEmpty else { return nil }
                state.isRunning = false
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters ?? [] { waiter.resume() }
            return waiters != nil
        }

        private func take() -> (commands: [Command], isStopped: Bool) {
            state.withLock { state in
                defer { state.commands = [] }
                return (state.commands, state.isStopped)
            }
        }

        private func refuse(_ error: any Error) {
            for case .open(let attempt) in take().commands {
                let own = (error as? TransportError)?.adding(url: attempt.target.url)
                attempt.completion(.failure(own ?? error))
            }
        }

        /// Opens connections until there was none for a while, or the connector is stopped.
        private func serve() {
            let loop: ConnectLoop
            do { loop = try ConnectLoop(self) } catch { return refuse(error) }
            state.withLock { $0.sleeper = loop.handle }
            var restsSince = nc_clock()
            while true {
                let (commands, isStopped) = take()
                for command in commands { loop.handle(command) }
                loop.finish()
                if !loop.isIdle { restsSince = nc_clock() }
                if isStopped || nc_clock() - restsSince >= Self.restTime { break }
                nc_connector_wait(loop.handle, loop.isIdle ? restsSince + Self.restTime : loop.lookUpDue)
            }
            state.withLock { $0.sleeper = nil }
            loop.close()
        }
    }
#endif
