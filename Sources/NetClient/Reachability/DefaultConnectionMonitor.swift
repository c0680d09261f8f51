public import NetCore

/// The monitor of a client that was given none: it knows what ``ConnectionMonitor/shared`` knows, and refuses requests only where waiting
/// for the answer would take long.
///
/// On Apple's systems it refuses none, since `URLSession` reports at once that the device is offline. On Linux it refuses a request while
/// there is no route at all and the host is not local, since a resolver may take 30 seconds to say so. Give a client
/// ``ConnectionMonitor/shared`` to have it asked before each request.
public struct DefaultConnectionMonitor: ConnectionMonitoring {
    /// A default monitor. All are the same.
    public init() {}

    /// Whether there is a way out, as the shared monitor knows it.
    public var isReachable: Bool { ConnectionMonitor.shared.isReachable }

    /// The status now, and then each change.
    public var statuses: AsyncStream<ConnectionStatus> { ConnectionMonitor.shared.statuses }

    /// Whether a request is refused now.
    var refuses: Bool {
        #if canImport(Darwin)
            false
        #else
            !isReachable
        #endif
    }
}

extension ConnectionMonitoring where Self == DefaultConnectionMonitor {
    /// The monitor that ``NetworkManager`` was configured with, or else the default one.
    public static var configured: DefaultConnectionMonitor { DefaultConnectionMonitor() }
}
