/// The state of the connection to the network.
public struct ConnectionStatus: Hashable, Sendable {
    /// Whether the network may be reachable. False only if it is known to be unreachable.
    public var isReachable: Bool
    /// The interface in use, or `.unknown` without a connection.
    public var interfaceType: ConnectionType
    /// Whether data may cost money: cellular networks and hotspots. On Linux, cellular only.
    public var isExpensive: Bool
    /// Whether the user has turned on Low Data Mode. Always false on Linux.
    public var isConstrained: Bool
    /// Whether the network has very little bandwidth, such as a carrier's satellites: send only what the user waits for. Always false below
    /// iOS 26, and on Linux.
    public var isUltraConstrained: Bool

    public init(
        isReachable: Bool, interfaceType: ConnectionType = .unknown, isExpensive: Bool = false,
        isConstrained: Bool = false, isUltraConstrained: Bool = false
    ) {
        self.isReachable = isReachable
        self.interfaceType = interfaceType
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
        self.isUltraConstrained = isUltraConstrained
    }

    /// An unknown status. It counts as reachable, so that no request is held back by mistake.
    public static let unknown = ConnectionStatus(isReachable: true)
}

/// The kind of network interface.
public enum ConnectionType: String, CaseIterable, Sendable {
    case wifi, cellular
    /// Ethernet, or a virtual interface of a container or virtual machine.
    case wired
    case loopback
    /// Another kind, such as a tunnel.
    case other
    /// Unknown, or no connection.
    case unknown
}

/// Reports whether the device can reach the network. The offline guard asks it before a request is sent.
///
/// `ConnectionMonitor` in NetClient asks the system. Your own monitor needs only ``isReachable``. Requests that wait for the network also
/// need ``statuses``, and downloads that avoid expensive or constrained networks ``status``.
public protocol ConnectionMonitoring: ProtocolDefaults.ConnectionMonitoringMembers {
    /// False only if the network is known to be unreachable. Read for every request, so answer from memory.
    var isReachable: Bool { get }

    /// The current status. By default it has ``isReachable`` only. Answer from memory.
    var status: ConnectionStatus { get }
    /// The current status and then each change, as a new stream for each access. Unread changes may be dropped except for the newest. The stream ends
    /// when there are no more changes.
    var statuses: AsyncStream<ConnectionStatus> { get }
}

extension ProtocolDefaults {
    /// The members of a ``ConnectionMonitoring`` that have a default, in the types that the conforming type gives them: see ``ProtocolDefaults/EndpointMembers``.
    public protocol ConnectionMonitoringMembers: Sendable {
        associatedtype DeclaredStatus = ConnectionStatus
        associatedtype DeclaredStatuses = AsyncStream<ConnectionStatus>

        var status: DeclaredStatus { get }
        var statuses: DeclaredStatuses { get }
    }
}

extension ConnectionMonitoring where DeclaredStatus == ConnectionStatus {
    public var status: ConnectionStatus { ConnectionStatus(isReachable: isReachable) }
}

extension ConnectionMonitoring where DeclaredStatuses == AsyncStream<ConnectionStatus> {
    /// The current status only: a request that waits for the network fails at once.
    public var statuses: AsyncStream<ConnectionStatus> {
        AsyncStream { continuation in
            continuation.yield(status)
            continuation.finish()
        }
    }
}
