#if canImport(Observation)
    public import Observation
#endif

// Shared by `NetworkMonitor` (from iOS 17) and `NetworkMonitorObject`.
extension ConnectionMonitoring {
    /// Calls a closure on the main actor with each status, until the task is cancelled.
    @MainActor
    func follow(_ receive: @escaping @MainActor (ConnectionStatus) -> Void) -> Task<Void, Never> {
        let statuses = statuses
        return Task {
            // A released monitor would report no more.
            defer { withExtendedLifetime(self) {} }
            for await status in statuses { receive(status) }
        }
    }
}

#if canImport(Observation)
    /// The connection as an observable object for user interfaces. A view that reads it is drawn again when it changes.
    ///
    /// ```swift
    /// let monitor = await NetworkMonitor()
    /// if await !monitor.isConnected { showOfflineBanner() }
    /// ```
    ///
    /// It changes on the main actor.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    @MainActor @Observable
    public final class NetworkMonitor {
        /// The kinds of connection.
        public typealias ConnectionType = NetCore.ConnectionType

        /// The status of the connection.
        public private(set) var status: ConnectionStatus

        /// Whether the network can be reached. True while the status is unknown.
        public var isConnected: Bool { status.isReachable }

        /// The kind of connection in use; `.unknown` while offline.
        public var connectionType: ConnectionType { status.interfaceType }

        private let following = Locked<Task<Void, Never>?>(nil)

        /// Creates an object that follows a monitor.
        ///
        /// - Parameter monitor: the monitor; by default the shared one.
        public init(following monitor: any ConnectionMonitoring = ConnectionMonitor.shared) {
            status = monitor.status
            let task = monitor.follow { [weak self] status in
                // Only if it changed, so that views are not drawn in vain.
                if let self, self.status != status { self.status = status }
            }
            following.withLock { $0 = task }
        }

        deinit { following.withLock { $0 }?.cancel() }
    }
#endif
