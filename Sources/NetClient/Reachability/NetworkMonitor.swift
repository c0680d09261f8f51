#if canImport(Observation)
    public import NetCore
    public import Observation

    /// The connection as an observable object for user interfaces (seed 002): a view that reads it is drawn again when it changes.
    ///
    /// ```swift
    /// let monitor = await NetworkMonitor()
    /// if await !monitor.isConnected { showOfflineBanner() }
    /// ```
    ///
    /// It changes on the main actor, and follows another monitor, by default the one that the process shares; so there may be many.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    @MainActor @Observable
    public final class NetworkMonitor {
        /// The seed's name for the kinds of connection.
        public typealias ConnectionType = NetCore.ConnectionType

        /// All that is known.
        public private(set) var status: ConnectionStatus

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
            let task = monitor.follow { [weak self] status in self?.note(status) }
            following.withLock { $0 = task }
        }

        deinit {
            following.withLock { $0 }?.cancel()
        }

        /// What reads it is told of real changes only.
        private func note(_ new: ConnectionStatus) {
            if status != new { status = new }
        }
    }
#endif
