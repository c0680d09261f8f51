import NetCore
import Network
import Testing

@testable import NetClient

/// The paths are those of the one device: one test at a time.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PathSourceTests {
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

    @Test func pathsBecomeStatuses() async {
        let heard = await statuses([
            NWPath(status: .satisfied, interfaces: [.cellular], isExpensive: true, isConstrained: true),
            NWPath(status: .unsatisfied),
            NWPath(status: .satisfied, interfaces: [.wiredEthernet]),
            NWPath(status: .requiresConnection, interfaces: [.other]),
            NWPath(status: .satisfied, interfaces: [.loopback]),
        ])
        #expect(
            heard == [
                ConnectionStatus(isReachable: true, interfaceType: .wifi),
                ConnectionStatus(isReachable: true, interfaceType: .cellular, isExpensive: true, isConstrained: true),
                ConnectionStatus(isReachable: false, interfaceType: .unknown),
                ConnectionStatus(isReachable: true, interfaceType: .wired),
                ConnectionStatus(isReachable: true, interfaceType: .other),
                ConnectionStatus(isReachable: true, interfaceType: .loopback),
            ])
    }

    @Test func aStoppedMonitorLeavesNothingBehindAndCanStartAgain() async throws {
        FakePaths.change(to: NWPath(status: .satisfied, interfaces: [.wifi]))
        let before = FakePaths.monitorCount
        let monitor = ConnectionMonitor()
        #expect(FakePaths.monitorCount == before + 1)
        monitor.stopMonitoring()
        #expect(FakePaths.monitorCount == before)
        monitor.startMonitoring()
        #expect(FakePaths.monitorCount == before + 1)
        var news = monitor.statuses.makeAsyncIterator()
        while let status = await news.next(), status.interfaceType != .wifi {}
        #expect(monitor.interfaceType == .wifi)
        monitor.stopMonitoring()
    }

    @Test func lettingGoStopsIt() async {
        let before = FakePaths.monitorCount
        do { _ = ConnectionMonitor() }
        #expect(FakePaths.monitorCount == before)
    }
}
