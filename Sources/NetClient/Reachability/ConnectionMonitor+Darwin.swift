#if canImport(Network)
    import Dispatch
    import Network

    /// The status by `NWPathMonitor`. On watchOS a path monitor reports "unsatisfied" while `URLSession` works, so none is started.
    func platformStatus(_ report: @escaping @Sendable (ConnectionStatus) -> Void) -> @Sendable () -> Void {
        guard SystemTraits.current.allowsLowLevelNetworking else {
            report(.unknown)
            return {}
        }
        let monitor = NWPathMonitor()
        monitor.pathUpdateHandler = { path in report(ConnectionStatus(path)) }
        monitor.start(queue: DispatchQueue(label: "networking.connectionMonitor.source"))
        let started = UncheckedSendable(monitor)
        return {
            started.value.cancel()
            // The handler retains the receiver of its reports.
            started.value.pathUpdateHandler = nil
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
