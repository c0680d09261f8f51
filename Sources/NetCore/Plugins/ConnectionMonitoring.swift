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
