/// The connections and exchanges of a transport with one origin, at one moment.
///
/// ```swift
/// for server in client.connectionStatistics() ?? [] where server.waitingExchanges > 0 {
///     print("\(server.origin): \(server.waitingExchanges) requests wait")
/// }
/// ```
public struct ConnectionStatistics: Hashable, Sendable {
    /// Scheme, host and port, in lower case: `https://api.example.com:443`. For a Unix-domain socket, `http+unix://` and its percent-encoded path.
    public let origin: String
    /// The established connections, with the idle ones and those of WebSockets.
    public var openConnections: Int
    /// The open connections that carry no exchange.
    public var idleConnections: Int
    /// The connections that are being established: name lookup, TCP and TLS.
    public var openingConnections: Int
    /// The exchanges that run: each from when it gets a connection or begins to open one, to the end of its response's body. WebSockets do not count.
    public var runningExchanges: Int
    /// The exchanges that wait in line, because of ``TransportConfiguration/Limits/connectionsPerHost``,
    /// ``TransportConfiguration/Limits/concurrentExchanges`` or the server's limit on HTTP/2 streams.
    public var waitingExchanges: Int

    public init(
        origin: String, openConnections: Int = 0, idleConnections: Int = 0, openingConnections: Int = 0,
        runningExchanges: Int = 0, waitingExchanges: Int = 0
    ) {
        self.origin = origin
        self.openConnections = openConnections
        self.idleConnections = idleConnections
        self.openingConnections = openingConnections
        self.runningExchanges = runningExchanges
        self.waitingExchanges = waitingExchanges
    }
}
