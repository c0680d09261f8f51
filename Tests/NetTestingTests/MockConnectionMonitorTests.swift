import NetClient
import NetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct MockConnectionMonitorTests {
    private static let mobile = ConnectionStatus(isReachable: true, interfaceType: .cellular, isExpensive: true)

    @Test func saysWhatItIsTold() {
        let monitor = MockConnectionMonitor()
        #expect(monitor.isReachable && monitor.status == .unknown)
        monitor.isReachable = false
        #expect(monitor.status == ConnectionStatus(isReachable: false))
        monitor.status = Self.mobile
        #expect(monitor.isReachable && MockConnectionMonitor(Self.mobile).status == Self.mobile)
        #expect(!MockConnectionMonitor(isReachable: false).isReachable)
    }

    @Test func eachReaderGetsTheStatusNowAndThenTheNews() async {
        let monitor = MockConnectionMonitor(Self.mobile)
        var first = monitor.statuses.makeAsyncIterator()
        #expect(await first.next() == Self.mobile)
        monitor.isReachable = false
        var second = monitor.statuses.makeAsyncIterator()
        #expect(await (first.next()?.isReachable, second.next()?.isReachable) == (false, false))
        monitor.isReachable = true
        #expect(await (first.next()?.isReachable, second.next()?.isReachable) == (true, true))
    }

    @Test func slowReaderGetsTheNewestStatus() async {
        let monitor = MockConnectionMonitor()
        var reader = monitor.statuses.makeAsyncIterator()
        monitor.isReachable = false
        monitor.status = Self.mobile
        #expect(await reader.next() == Self.mobile)
    }

    @Test func readersAreCountedWhileTheyRead() async throws {
        let monitor = MockConnectionMonitor()
        #expect(monitor.listeners == 0)
        let readers = (0..<3).map { _ in Task { for await _ in monitor.statuses {} } }
        try await monitor.waitForListeners(count: 3)
        for reader in readers { reader.cancel() }
        for reader in readers { await reader.value }
        #expect(monitor.listeners == 0)
        await #expect(throws: NetTestingError.timedOut(seconds: 0.01)) {
            try await monitor.waitForListeners(timeout: 0.01)
        }
    }

    @Test func finishingEndsEachReader() async {
        let monitor = MockConnectionMonitor()
        var reader = monitor.statuses.makeAsyncIterator()
        #expect(await reader.next() == .unknown)
        monitor.finish()
        #expect(await reader.next() == nil)
        #expect(monitor.listeners == 0)
        var late = monitor.statuses.makeAsyncIterator()
        #expect(await (late.next(), late.next()) == (.unknown, nil))
    }

    @Test func waitingRequestLeavesNoListener() async throws {
        let (monitor, url) = (MockConnectionMonitor(isReachable: false), try #require(URL(string: "https://a.example")))
        let transport = StubTransport { _, _, _ in TransportResponse(status: 200, url: nil) }
        let client = NetworkClient(
            transport: transport, resilience: Resilience(offline: .wait(timeout: 30)), connectionMonitor: monitor)
        let task = Task { try await client.data(for: URLRequest(url: url)) }
        try await monitor.waitForListeners()
        #expect(transport.exchanges.isEmpty)
        monitor.isReachable = true
        _ = try await task.value
        #expect(monitor.listeners == 0)
    }

    @Test func itsEndEndsEachReader() async {
        var monitor: MockConnectionMonitor? = MockConnectionMonitor()
        var reader = monitor?.statuses.makeAsyncIterator()
        #expect(await reader?.next() == .unknown)
        monitor = nil
        #expect(await reader?.next() == nil)
    }
}
