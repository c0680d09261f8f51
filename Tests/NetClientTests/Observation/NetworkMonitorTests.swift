#if canImport(Observation)
    import NetCore
    import Observation
    import TestLab
    import Testing

    @testable import NetClient

    /// TestLab's `waitUntil` cannot read the main actor's state.
    @MainActor func wait(_ condition: () -> Bool) async throws {
        while !condition() { try await SystemClock().sleep(for: 0.001) }
    }

    @MainActor @Suite(.timeLimit(.minutes(5))) struct NetworkMonitorTests {
        @Test func followsTheConnectionMonitor() async throws {
            guard #available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *) else { return }
            let script = StatusScript()
            let monitor = NetworkMonitor(following: script.monitor())
            #expect(monitor.isConnected && monitor.connectionType == .wifi && monitor.status == .online)
            script.say(.mobile)
            try await wait { monitor.connectionType == .cellular }
            #expect(monitor.status.isExpensive && monitor.isConnected)
            script.say(.offline)
            try await wait { !monitor.isConnected }
            #expect(monitor.connectionType == NetworkMonitor.ConnectionType.unknown)
        }

        @Test func firstStatusIsThatOfTheMonitorOrOfTheSharedOne() {
            guard #available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *) else { return }
            struct Fixed: ConnectionMonitoring {
                let status = ConnectionStatus.mobile
                var isReachable: Bool { status.isReachable }
            }
            #expect(NetworkMonitor(following: Fixed()).status == .mobile)
            #expect(NetworkMonitor().isConnected == ConnectionMonitor.shared.isReachable)
        }

        @Test func changesAreObserved() async throws {
            guard #available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *) else { return }
            let script = StatusScript()
            let monitor = NetworkMonitor(following: script.monitor())
            let calls = Locked(0)
            withObservationTracking {
                _ = monitor.isConnected
            } onChange: {
                calls.withLock { $0 += 1 }
            }
            script.say(.offline)
            try await wait { calls.withLock { $0 } == 1 }
            try await wait { !monitor.isConnected }
        }

        @Test func releasedMonitorStopsItsSource() async throws {
            guard #available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *) else { return }
            let script = StatusScript()
            weak var gone: NetworkMonitor?
            do {
                let monitor = NetworkMonitor(following: script.monitor())
                gone = monitor
                script.say(.offline)
                try await wait { !monitor.isConnected }
            }
            #expect(gone == nil)
            try await wait { script.stops == 1 }
        }
    }
#endif
