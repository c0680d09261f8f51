import NetCore

/// Which networks a download may use, and whether there is one.
struct DownloadNetwork: Sendable {
    let monitor: (any ConnectionMonitoring)?
    let behavior: DownloadOptions.OfflineBehavior
    let allowsExpensive: Bool
    let allowsConstrained: Bool

    init(_ monitor: (any ConnectionMonitoring)?, _ options: DownloadOptions, url: URL) {
        // This machine itself is there without any network.
        self.monitor = url.isLoopback ? nil : monitor
        behavior = options.whileOffline
        allowsExpensive = options.allowsExpensiveNetworkAccess || url.isLoopback
        allowsConstrained = options.allowsConstrainedNetworkAccess || url.isLoopback
    }

    /// - Throws: ``NetworkError/noInternetConnection``; ``NetworkError/unsupported(_:)`` if nobody can tell which network it is.
    func checkStart() async throws {
        #if !canImport(Darwin)
            if monitor == nil, !(allowsExpensive && allowsConstrained) {
                throw NetworkError.unsupported(
                    "Only a connection monitor can tell here which networks are expensive or constrained. Give one.")
            }
        #endif
        guard let status = await now else { return }
        guard allows(status) else { throw NetworkError.noInternetConnection }
    }

    func restrict(_ request: inout URLRequest) {
        #if canImport(Darwin)
            request.allowsExpensiveNetworkAccess = allowsExpensive
            request.allowsConstrainedNetworkAccess = allowsConstrained
        #endif
    }

    /// Whether there is a network that may be used. True if nobody knows.
    var isUsable: Bool {
        get async { await now.map(allows) ?? true }
    }

    /// Calls a closure when there is no network any more that may be used, until it is cancelled.
    func watch(_ lost: @escaping @Sendable () -> Void) -> Task<Void, Never>? {
        monitor.map { monitor in
            Task {
                for await status in monitor.statuses where !allows(status) { lost() }
            }
        }
    }

    /// Returns when there is a network that may be used.
    ///
    /// - Throws: ``NetworkError/noInternetConnection`` if that is not waited for, or takes too long.
    func wait(_ clock: any NetworkClock) async throws {
        guard let monitor, await !isUsable else { return }
        guard case .wait(let timeout) = behavior, timeout.map({ $0 > 0 }) ?? true else {
            throw NetworkError.noInternetConnection
        }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await status in monitor.statuses where allows(status) { return true }
                // No more news: nobody will ever say that it is back.
                try Task.checkCancellation()
                return false
            }
            if let timeout {
                group.addTask {
                    try await clock.sleep(for: timeout)
                    return false
                }
            }
            defer { group.cancelAll() }
            guard try await group.next() == true else { throw NetworkError.noInternetConnection }
        }
    }

    private var now: ConnectionStatus? {
        get async {
            guard let monitor else { return nil }
            guard monitor.isReachable, !(allowsExpensive && allowsConstrained) else {
                return ConnectionStatus(isReachable: monitor.isReachable)
            }
            for await status in monitor.statuses { return status }
            return nil
        }
    }

    private func allows(_ status: ConnectionStatus) -> Bool {
        status.isReachable && (allowsExpensive || !status.isExpensive) && (allowsConstrained || !status.isConstrained)
    }
}
