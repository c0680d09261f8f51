/// Says whether the device can reach the network at all: what the offline guard asks before anything is sent.
public protocol ConnectionMonitoring: Sendable {
    /// False only if it is known that there is no way out. Read for every request: answer from memory.
    var isReachable: Bool { get }
}
