import NetCore
import Network
import TestLab
import Testing

@testable import NetClient

/// The paths are those of the one device: one test at a time.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PathSourceTests {
    /// The shared monitor is started by whoever asks first.
    init() { _ = ConnectionMonitor.shared }

    private func statuses(_ paths: [NWPath]) async -> [ConnectionStatus] {
        FakePaths.change(to: NWPath(status: .satisfied, interfaces: [.wifi]))
        let monitor = ConnectionMonitor()
        var news = monitor.statuses.makeAsyncIterator()
        var heard: [ConnectionStatus] = []
        while let status = await news.next() {
            // Before the first report nothing is known, and that may be out of date.
            guard status != .unknown, status.isReachable || !heard.isEmpty else { continue }
            heard.append(status)
            guard heard.count <= paths.count else { break }
            FakePaths.change(to: paths[heard.count - 1])
        }
        return heard
    }

    @Test func pathUpdatesBecomeStatuses() async {
        let heard = await statuses([
            NWPath(status: .satisfied, interfaces: [.cellular], isExpensive: true, isConstrained: true),
            NWPath(status: .unsatisfied), NWPath(status: .satisfied, interfaces: [.wiredEthernet]),
            NWPath(status: .requiresConnection, interfaces: [.other]),
            NWPath(status: .satisfied, interfaces: [.loopback]),
            NWPath(status: .satisfied, interfaces: [.cellular], isUltraConstrained: true),
        ])
        #expect(
            heard == [
                ConnectionStatus(isReachable: true, interfaceType: .wifi),
                ConnectionStatus(isReachable: true, interfaceType: .cellular, isExpensive: true, isConstrained: true),
                ConnectionStatus(isReachable: false, interfaceType: .unknown),
                ConnectionStatus(isReachable: true, interfaceType: .wired),
                ConnectionStatus(isReachable: true, interfaceType: .other),
                ConnectionStatus(isReachable: true, interfaceType: .loopback),
                ConnectionStatus(isReachable: true, interfaceType: .cellular, isUltraConstrained: true),
            ])
    }

    @Test func stoppedMonitorCanStartAgain() async throws {
        FakePaths.change(to: NWPath(status: .satisfied, interfaces: [.wifi]))
        let monitor = ConnectionMonitor()
        let first = try #require(FakePaths.newest)
        monitor.stopMonitoring()
        #expect(!FakePaths.isWatching(first))
        monitor.startMonitoring()
        let second = try #require(FakePaths.newest)
        #expect(first !== second)
        var news = monitor.statuses.makeAsyncIterator()
        while let status = await news.next(), status.interfaceType != .wifi {}
        #expect(monitor.interfaceType == .wifi)
        monitor.stopMonitoring()
        #expect(!FakePaths.isWatching(second))
    }

    @Test func deinitStopsTheMonitor() async throws {
        var source: NWPathMonitor?
        do {
            let monitor = ConnectionMonitor()
            source = FakePaths.newest
            #expect(monitor.isMonitoring)
        }
        let started = try #require(source)
        // A path that is being told holds the monitor as long as that takes.
        _ = try await waitUntil("the path monitor is cancelled") { FakePaths.isWatching(started) ? nil : true }
    }

    /// A path that was under way when the monitor was stopped is out of date.
    @Test func updatesAfterStopAreIgnored() async {
        for _ in 0..<20 {
            let monitor = ConnectionMonitor()
            FakePaths.change(to: NWPath(status: .unsatisfied))
            monitor.stopMonitoring()
            for _ in 0..<10 { await Task.yield() }
            #expect(monitor.status == .unknown)
        }
        FakePaths.change(to: NWPath(status: .satisfied, interfaces: [.wifi]))
    }
}
