@testable import NetClient

/// A source of statuses for a ``ConnectionMonitor``.
final class StatusScript: Sendable {
    private struct State {
        var first: ConnectionStatus?
        var reports: [@Sendable (ConnectionStatus) -> Void] = []
        var stops = 0
        var whenStarting: (@Sendable () -> Void)?
    }

    private let state: Locked<State>

    /// - Parameter first: the status that is reported before a start returns, or nil.
    init(first: ConnectionStatus? = .online) { state = Locked(State(first: first)) }

    func monitor(debounce: TimeInterval = 0, clock: any NetworkClock = .system) -> ConnectionMonitor {
        ConnectionMonitor(debounce: debounce, clock: clock) { [self] report in
            let (first, hook) = state.withLock { state in
                state.reports.append(report)
                defer { state.whenStarting = nil }
                return (state.first, state.whenStarting)
            }
            hook?()
            if let first { report(first) }
            return { self.state.withLock { $0.stops += 1 } }
        }
    }

    var starts: Int { state.withLock { $0.reports.count } }
    var stops: Int { state.withLock { $0.stops } }

    /// Reports a status to the last start, or to the one with that number.
    func say(_ status: ConnectionStatus, start: Int? = nil) {
        state.withLock { $0.reports[start ?? $0.reports.count - 1] }(status)
    }

    func onNextStart(_ hook: @escaping @Sendable () -> Void) { state.withLock { $0.whenStarting = hook } }
}

extension ConnectionStatus {
    static let online = ConnectionStatus(isReachable: true, interfaceType: .wifi)
    static let mobile = ConnectionStatus(isReachable: true, interfaceType: .cellular, isExpensive: true)
    static let offline = ConnectionStatus(isReachable: false)
}

extension ConnectionMonitoring {
    /// Waits for a status.
    @discardableResult
    func waitFor(_ isWanted: @Sendable (ConnectionStatus) -> Bool) async throws -> ConnectionStatus {
        for await status in statuses where isWanted(status) { return status }
        try Task.checkCancellation()
        throw LabError("The stream has ended.")
    }

    func waitUntilReachable(_ isReachable: Bool) async throws { try await waitFor { $0.isReachable == isReachable } }
}
