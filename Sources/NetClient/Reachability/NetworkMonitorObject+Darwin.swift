#if canImport(Combine)
    public import Combine
    public import NetCore

    /// The connection for SwiftUI on iOS 15 and 16, macOS 12 and 13: ``NetworkMonitor`` as an `ObservableObject`.
    ///
    /// ```
    /// @StateObject private var monitor = NetworkMonitorObject()
    /// ```
    ///
    /// It changes on the main actor, and follows another monitor, by default the one that the process shares; so there may be many.
    @MainActor
    public final class NetworkMonitorObject: ObservableObject {
        /// All that is known.
        @Published public private(set) var status: ConnectionStatus

        /// Whether there is a way out. True also while nothing is known.
        public var isConnected: Bool { status.isReachable }

        /// What the way out leads over; `.unknown` while there is none.
        public var connectionType: ConnectionType { status.interfaceType }

        /// Whether each byte may cost money.
        public var isExpensive: Bool { status.isExpensive }

        /// Whether the user asked to use little data.
        public var isConstrained: Bool { status.isConstrained }

        private let following = Locked<Task<Void, Never>?>(nil)

        /// Follows a monitor until it is released.
        ///
        /// - Parameter monitor: whom to follow.
        public init(following monitor: any ConnectionMonitoring = ConnectionMonitor.shared) {
            status = monitor.currentStatus
            let task = monitor.follow { [weak self] status in
                // What reads it is told of real changes only.
                if let self, self.status != status { self.status = status }
            }
            following.withLock { $0 = task }
        }

        deinit {
            following.withLock { $0 }?.cancel()
        }
    }
#endif
