import NetCore

// What the monitors for user interfaces share: `NetworkMonitor` from iOS 17 on, `NetworkMonitorObject` before.
extension ConnectionMonitoring {
    /// All that is known now.
    var currentStatus: ConnectionStatus {
        (self as? ConnectionMonitor)?.status ?? ConnectionStatus(isReachable: isReachable)
    }

    /// Tells the main actor each status, until the task is cancelled.
    @MainActor
    func follow(_ note: @escaping @MainActor (ConnectionStatus) -> Void) -> Task<Void, Never> {
        let statuses = statuses
        return Task {
            // Held along: a monitor that is released tells no more.
            defer { withExtendedLifetime(self) {} }
            for await status in statuses { note(status) }
        }
    }
}
