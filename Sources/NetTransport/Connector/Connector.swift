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
        /// The ends of the connection (`192.0.2.1:443`, `[::1]:443`); nil for a Unix-domain socket.
        let local, remote: String?
        /// The microseconds from the start until the name was looked up, and until the first connection of TCP was established.
        let nameLookup, connect: Int64
    }

    enum ConnectStep: Hashable, Sendable {
        case lookedUp
        /// A socket is opened for `192.0.2.1:443`. If an address does not answer, there is another.
        case connecting(to: String)
        case connected
    }

    /// Opens the connections of a transport by libcurl: names, both families of addresses, proxies and their tunnels.
    final class Connector: Sendable {
        let configuration: TransportConfiguration
        /// Looks up names in place of the system's resolver; nil for the latter.
        let resolver: TransportConfiguration.Resolver?
        let addressGuard: AddressGuard?
        private let stopped = Atomic(false)
        /// The thread that all connectors share, and this connector's own.
        private let threads = (shared: sharedThread, own: ConnectThread())
        private let sharesThread: @Sendable () -> Bool

        private static let sharedThread = ConnectThread()
        /// Before 7.87, libcurl waits for a name server that does not answer when an attempt ends. That must not hold up other transports.
        private static let mayShareThread = nc_load() == nil && nc_abandons_lookups() != 0

        /// Problems with the configuration are reported by the first connection.
        ///
        /// - Parameters:
        ///   - resolver: nil for that of the configuration.
        ///   - sharesThread: whether its thread is that of all connectors; asked by each connection.
        init(
            _ configuration: TransportConfiguration, resolver: TransportConfiguration.Resolver? = nil,
            addressGuard: AddressGuard?, sharesThread: @escaping @Sendable () -> Bool = { Connector.mayShareThread }
        ) {
            self.configuration = configuration
            self.resolver = resolver ?? configuration.resolver
            self.addressGuard = addressGuard
            self.sharesThread = sharesThread
        }

        var isStopped: Bool { stopped.load(ordering: .acquiring) }

        /// Opens a connection, and returns what ``cancel(_:)`` takes.
        ///
        /// - Parameters:
        ///   - step: called on the connecting thread.
        ///   - completion: called once, on the connecting thread, or on this one after ``stop()``. The descriptor is its own, also if the
        ///     connection was opened just before it was cancelled.
        @discardableResult func open(
            _ target: ConnectTarget, step: (@Sendable (ConnectStep) -> Void)? = nil,
            completion: @escaping @Sendable (Result<OpenedConnection, any Error>) -> Void
        ) -> ConnectAttempt {
            let attempt = ConnectAttempt(target, self, step, completion)
            if isStopped { attempt.refuse() } else { (sharesThread() ? threads.shared : threads.own).open(attempt) }
            return attempt
        }

        /// Ends the opening of a connection with `CancellationError`, if it has not ended yet.
        func cancel(_ attempt: ConnectAttempt) { post(.cancel(attempt)) }

        /// Ends all connections that are being opened, and refuses later ones, without waiting for that.
        func stop() {
            stopped.store(true, ordering: .releasing)
            post(.endAll(self, nil))
        }

        /// To both threads, of which one acts on it.
        func post(_ command: ConnectThread.Command) {
            threads.shared.post(command)
            threads.own.post(command)
        }

        /// Ends all connections that are being opened, refuses later ones, and returns when they have ended.
        func shutdown() async {
            stopped.store(true, ordering: .releasing)
            for thread in [threads.shared, threads.own] {
                await withCheckedContinuation { continuation in
                    if !thread.post(.endAll(self, continuation)) { continuation.resume() }
                }
            }
        }
    }
#endif
