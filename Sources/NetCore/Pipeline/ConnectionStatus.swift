/// What is known of the way to the network at one moment.
public struct ConnectionStatus: Hashable, Sendable {
    /// False only if it is known that there is no way out.
    public var isReachable: Bool
    /// What the way out leads over; `.unknown` while there is none.
    public var interfaceType: ConnectionType
    /// Whether each byte may cost money: cellular networks and hotspots. On Linux, which does not say, cellular only.
    public var isExpensive: Bool
    /// Whether the user asked to use little data here ("Low Data Mode"). Never on Linux, which knows no such thing.
    public var isConstrained: Bool

    /// A status.
    public init(
        isReachable: Bool, interfaceType: ConnectionType = .unknown, isExpensive: Bool = false,
        isConstrained: Bool = false
    ) {
        self.isReachable = isReachable
        self.interfaceType = interfaceType
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }

    /// Nothing is known (yet, or on this system): counts as reachable, so that no request is held back by mistake.
    public static let unknown = ConnectionStatus(isReachable: true)
}

/// The kind of network that connections go over.
public enum ConnectionType: String, CaseIterable, Sendable {
    /// Wi-Fi.
    case wifi
    /// A mobile network.
    case cellular
    /// Ethernet, and what looks like it: the virtual cable of a container or a virtual machine.
    case wired
    /// This machine alone.
    case loopback
    /// Something else, such as a tunnel.
    case other
    /// Not known, or no connection.
    case unknown
}

/// Says whether the device can reach the network at all: what the offline guard asks before anything is sent.
///
/// `ConnectionMonitor` in NetClient asks the system. One of your own needs ``isReachable`` only; requests that wait to be
/// online again need ``statuses`` too.
public protocol ConnectionMonitoring: Sendable {
    /// False only if it is known that there is no way out. Read for every request: answer from memory.
    var isReachable: Bool { get }

    /// The status now, and then each change: a new stream each time. Of several changes that nobody has read, the newest is
    /// enough. It ends when there will be no more news.
    var statuses: AsyncStream<ConnectionStatus> { get }
}

extension ConnectionMonitoring {
    /// The status now, and no news: a request that is to wait for the network fails at once.
    public var statuses: AsyncStream<ConnectionStatus> {
        AsyncStream { continuation in
            continuation.yield(ConnectionStatus(isReachable: isReachable))
            continuation.finish()
        }
    }
}
