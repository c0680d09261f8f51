#if canImport(Combine)
    public import Combine

    /// The state of a request for SwiftUI on iOS 15 and 16, macOS 12 and 13: ``RequestState`` as an `ObservableObject`.
    ///
    /// ```
    /// @StateObject private var state = RequestStateObject { try await client.request(GetUserEndpoint(id: "123")) }
    /// ```
    ///
    /// The previous value stays during a load, and if the load fails.
    @MainActor
    public final class RequestStateObject<Value>: ObservableObject, RequestObservable {
        /// The newest value; nil before the first one.
        @Published public internal(set) var value: Value?

        /// The error of the newest load; nil if it succeeded, and while the next one is running. Stopping a load is not a failure.
        @Published public internal(set) var failure: NetworkFailure?

        /// Whether a load is running.
        @Published public internal(set) var isLoading = false

        private let request: RequestLoad<Value>

        /// Creates a state without loading: see ``RequestState/init(_:load:)``.
        public init(_ value: Value? = nil, load operation: @escaping @MainActor () async throws -> Value) {
            request = RequestLoad(operation)
            self.value = value
        }

        /// Loads, and returns at the end. Stops a running load. Cancelling the waiting task stops the load too.
        public func load() async { await request.run(for: self, stopsWithCaller: true) }

        /// Loads for `.refreshable`, and returns at the end. Cancelling the waiting task does not stop it: see ``RequestState/refresh()``.
        public func refresh() async { await request.run(for: self, stopsWithCaller: false) }

        /// Stops the running load, if any.
        public func cancel() { request.cancel() }
    }

    /// The connection for SwiftUI on iOS 15 and 16, macOS 12 and 13: ``NetworkMonitor`` as an `ObservableObject`.
    ///
    /// ```
    /// @StateObject private var monitor = NetworkMonitorObject()
    /// ```
    ///
    /// It changes on the main actor.
    @MainActor
    public final class NetworkMonitorObject: ObservableObject {
        /// The status of the connection.
        @Published public private(set) var status: ConnectionStatus

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
