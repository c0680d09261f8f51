import Dispatch

@testable import NetClient

@Suite(.timeLimit(.minutes(5))) struct ConnectionMonitorTests {
    private let script = StatusScript()
    private let clock = TestClock()

    private func waitForSleepers(_ count: Int) async throws {
        try await waitUntil("\(count) tasks sleep") { clock.sleeperCount == count ? () : nil }
    }

    private func waitForCalls(_ count: Int, in record: Locked<[Bool]>) async throws {
        try await waitUntil("\(count) calls") { record.withLock(\.count) == count ? () : nil }
    }

    // MARK: Status

    @Test func firstStatusIsKnownImmediately() {
        let monitor = StatusScript(first: .mobile).monitor()
        #expect(monitor.isMonitoring && monitor.isReachable && monitor.status == .mobile)
        #expect(monitor.interfaceType == .cellular && monitor.status.isExpensive)
        #expect(!StatusScript(first: .offline).monitor().isReachable)
    }

    @Test func unknownStatusIsReachable() {
        let script = StatusScript(first: nil)
        let monitor = script.monitor()
        #expect(monitor.status == .unknown && monitor.isReachable)
        script.say(.offline)
        #expect(!monitor.isReachable)
    }

    @Test func platformMonitor() {
        #expect(ConnectionMonitor.shared.isMonitoring && ConnectionMonitor.shared === ConnectionMonitor.shared)
        let monitor = ConnectionMonitor()
        monitor.startMonitoring()
        #expect(monitor.isMonitoring)
        monitor.stopMonitoring()
        #expect(!monitor.isMonitoring && monitor.isReachable)
    }

    // MARK: Changes

    @Test func streamHasTheStatusAndEachChange() async {
        let monitor = script.monitor()
        var reader = monitor.statuses.makeAsyncIterator()
        #expect(await reader.next() == .online)
        for status in [ConnectionStatus.offline, .mobile, .online] {
            script.say(status)
            script.say(status)
            #expect(await reader.next() == status)
        }
    }

    @Test func slowReaderGetsTheLatestStatus() async {
        let monitor = script.monitor()
        var readers = [monitor.statuses.makeAsyncIterator(), monitor.statuses.makeAsyncIterator()]
        for status in [ConnectionStatus.offline, .online, .mobile] { script.say(status) }
        #expect(await readers[0].next() == .mobile)
        script.say(.offline)
        #expect(await readers[0].next() == .offline)
        #expect(await readers[1].next() == .offline)
    }

    @Test func reachabilityChangedIsCalledWithTheStateAndChanges() async throws {
        let monitor = script.monitor()
        let record = Locked<[Bool]>([])
        monitor.reachabilityChanged = { online in
            dispatchPrecondition(condition: .notOnQueue(.main))
            record.withLock { $0.append(online) }
        }
        for status in [ConnectionStatus.mobile, .offline, .offline, .online, .mobile] { script.say(status) }
        try await waitForCalls(3, in: record)
        #expect(record.withLock { $0 } == [true, false, true], "another interface does not change the reachability")
        let other = Locked<[Bool]>([])
        monitor.reachabilityChanged = { online in other.withLock { $0.append(online) } }
        script.say(.offline)
        try await waitForCalls(2, in: other)
        #expect(other.withLock { $0 } == [true, false] && record.withLock(\.count) == 3)
        monitor.reachabilityChanged = nil
        #expect(monitor.reachabilityChanged == nil)
    }

    @Test func reachabilityChangedIsNotCalledBeforeTheFirstStatus() async throws {
        let script = StatusScript(first: nil)
        let monitor = script.monitor()
        let record = Locked<[Bool]>([])
        monitor.reachabilityChanged = { online in record.withLock { $0.append(online) } }
        script.say(.offline)
        try await waitForCalls(1, in: record)
        #expect(record.withLock { $0 } == [false])
    }

    // MARK: Debounce

    @Test func changeIsReportedAfterTheDebounce() async throws {
        let monitor = script.monitor(debounce: 2, clock: clock)
        #expect(monitor.status == .online, "the first status is not delayed")
        script.say(.offline)
        try await clock.advance(by: 1.999, whenSleeping: 1)
        #expect(monitor.status == .online && clock.sleeps == [2])
        await clock.advance(by: 0.001)
        try await monitor.waitUntilReachable(false)
        #expect(clock.sleeperCount == 0)
    }

    @Test func flappingIsReportedOnce() async throws {
        let monitor = script.monitor(debounce: 2, clock: clock)
        let record = Locked<[Bool]>([])
        monitor.reachabilityChanged = { online in record.withLock { $0.append(online) } }
        for (status, count) in zip([ConnectionStatus.offline, .mobile, .offline, .mobile], 1...) {
            script.say(status)
            script.say(status)
            // The sleep of the change before may end after this one's has begun.
            try await waitUntil("change \(count) waits") { clock.sleeps.count == count ? () : nil }
            try await waitForSleepers(1)
            await clock.advance(by: 1)
        }
        #expect(monitor.status == .online && clock.sleeps == [2, 2, 2, 2])
        await clock.advance(by: 1)
        try await monitor.waitFor { $0 == .mobile }
        script.say(.offline)
        try await waitForSleepers(1)
        await clock.advance(by: 2)
        try await waitForCalls(2, in: record)
        #expect(record.withLock { $0 } == [true, false])
    }

    @Test func changeThatEndsWithinTheDebounceIsNotReported() async throws {
        let monitor = script.monitor(debounce: 2, clock: clock)
        script.say(.offline)
        try await clock.waitForSleepers()
        script.say(.online)
        try await waitForSleepers(0)
        await clock.advance(by: 10)
        #expect(monitor.status == .online && clock.sleeps == [2])
    }

    @Test(arguments: [0, -1, .nan, .infinity]) func invalidDebounceIsNone(_ debounce: TimeInterval) {
        let monitor = script.monitor(debounce: debounce, clock: clock)
        script.say(.offline)
        #expect(!monitor.isReachable && clock.sleeps.isEmpty)
    }

    // MARK: Start, stop, end

    @Test func startAndStopTwice() async {
        let script = StatusScript(first: .offline)
        let monitor = script.monitor()
        var reader = monitor.statuses.makeAsyncIterator()
        #expect(await reader.next() == .offline)
        monitor.startMonitoring()
        #expect(script.starts == 1)
        monitor.stopMonitoring()
        monitor.stopMonitoring()
        #expect(script.stops == 1 && monitor.status == .unknown, "unknown while stopped")
        #expect(await reader.next() == .unknown)
        script.say(.offline)
        #expect(monitor.isReachable, "ignored after the stop")
        monitor.startMonitoring()
        #expect(script.starts == 2 && !monitor.isReachable)
        #expect(await reader.next() == .offline, "the stream continues")
        script.say(.mobile, start: 0)
        #expect(!monitor.isReachable, "an old source is ignored")
        script.say(.online)
        #expect(await reader.next() == .online)
    }

    @Test func stopEndsTheDebounce() async throws {
        let monitor = script.monitor(debounce: 2, clock: clock)
        script.say(.offline)
        try await clock.waitForSleepers()
        monitor.stopMonitoring()
        try await waitForSleepers(0)
        monitor.startMonitoring()
        #expect(monitor.status == .online)
    }

    @Test func stopDuringTheStart() {
        let monitor = script.monitor()
        monitor.stopMonitoring()
        script.onNextStart { monitor.stopMonitoring() }
        monitor.startMonitoring()
        #expect(!monitor.isMonitoring && script.starts == 2 && script.stops == 2 && monitor.status == .unknown)
    }

    @Test func concurrentStartsAndStops() async {
        let monitor = script.monitor()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<400 {
                group.addTask {
                    if index.isMultiple(of: 2) { monitor.startMonitoring() } else { monitor.stopMonitoring() }
                    _ = monitor.isReachable
                }
            }
        }
        monitor.stopMonitoring()
        #expect(script.starts == script.stops, "each source was stopped, once")
    }

    @Test func releasedMonitorStopsItsSourceAndStream() async throws {
        weak var gone: ConnectionMonitor?
        var reader: AsyncStream<ConnectionStatus>.AsyncIterator
        do {
            let monitor = script.monitor(debounce: 2, clock: clock)
            gone = monitor
            reader = monitor.statuses.makeAsyncIterator()
            #expect(await reader.next() == .online)
            monitor.reachabilityChanged = { _ in }
            script.say(.offline)
            try await clock.waitForSleepers()
        }
        try await waitUntil("it is released") { gone == nil ? () : nil }
        #expect(await reader.next() == nil && script.stops == 1)
        try await waitForSleepers(0)
        script.say(.online)
    }

    @Test func cancelledReaderIsRemoved() async throws {
        let monitor = script.monitor()
        let task = Task { for await _ in monitor.statuses {} }
        task.cancel()
        await task.value
        script.say(.offline)
        #expect(!monitor.isReachable)
    }

    @Test func closureMayCallTheMonitorInDeinit() {
        final class Owner: Sendable {
            let monitor: ConnectionMonitor
            init(_ monitor: ConnectionMonitor) { self.monitor = monitor }
            deinit { monitor.stopMonitoring() }
        }
        let monitor = StatusScript().monitor()
        do {
            let owner = Owner(monitor)
            monitor.reachabilityChanged = { _ in _ = owner }
        }
        monitor.reachabilityChanged = nil
    }
}
