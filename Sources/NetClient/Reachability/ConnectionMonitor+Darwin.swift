#if canImport(Network)
    import Dispatch
    import Network

    /// On watchOS a path monitor reports "unsatisfied" while `URLSession` works, so none is started.
    func platformStatusSource() -> any StatusSource {
        SystemTraits.current.allowsLowLevelNetworking ? PathSource() : SilentSource()
    }

    /// The status by `NWPathMonitor`. A cancelled monitor cannot be started again, so each start makes a new source.
    final class PathSource: StatusSource {
        private let monitor = Locked(NWPathMonitor())
        private let queue = DispatchQueue(label: "networking.connectionMonitor.source")

        func start(_ report: @escaping @Sendable (ConnectionStatus) -> Void) {
            monitor.withLock { monitor in
                monitor.pathUpdateHandler = { path in report(ConnectionStatus(path)) }
                monitor.start(queue: queue)
            }
        }

        func stop() {
            monitor.withLock { monitor in
                monitor.cancel()
                // The handler retains the receiver of its reports.
                monitor.pathUpdateHandler = nil
            }
        }
    }

    extension ConnectionStatus {
        /// A path that "requires a connection" may be satisfied by an attempt, so it does not count as offline.
        init(_ path: NWPath) {
            let isReachable = path.status != .unsatisfied
            self.init(
                isReachable: isReachable, interfaceType: isReachable ? ConnectionType(path) : .unknown,
                isExpensive: path.isExpensive, isConstrained: path.isConstrained)
            if #available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
                isUltraConstrained = path.isUltraConstrained
            }
        }
    }

    extension ConnectionType {
        fileprivate init(_ path: NWPath) {
            let known: [(NWInterface.InterfaceType, ConnectionType)] = [
                (.wifi, .wifi), (.cellular, .cellular), (.wiredEthernet, .wired), (.loopback, .loopback),
                (.other, .other),
            ]
            self = known.first { path.usesInterfaceType($0.0) }?.1 ?? .unknown
        }
    }
#endif
