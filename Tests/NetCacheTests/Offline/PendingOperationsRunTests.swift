import NetTesting
import TestLab
import Testing

@testable import NetCache

@Suite("Pending operations: by themselves") struct PendingOperationsRunTests {
    private func queue(
        _ sender: ScriptedSender, clock: TestClock, in directory: TemporaryDirectory
    ) async throws -> PendingOperationsQueue {
        try await PendingOperationsQueue(
            fileURL: directory.file("queue"), client: sender, retryPolicy: .none, clock: clock, random: { 0.5 })
    }

    @Test func runSendsWhenReachableAndWhenAdded() async throws {
        let directory = try TemporaryDirectory()
        let sender = ScriptedSender()
        let queue = try await queue(sender, clock: TestClock(), in: directory)
        let monitor = MockConnectionMonitor(isReachable: false)
        try await queue.add(QueueLab.request("a"))
        let run = Task { await queue.run(monitor: monitor) }
        try await queue.add(QueueLab.request("b"))
        for _ in 0..<50 { await Task.yield() }
        #expect(sender.sent.isEmpty)
        monitor.isReachable = true
        _ = try await waitUntil("both are sent") { sender.sent.count == 2 ? true : nil }
        try await queue.add(QueueLab.request("c"))
        _ = try await waitUntil("the third is sent") { sender.sent.count == 3 ? true : nil }
        #expect(sender.paths == ["a", "b", "c"])
        run.cancel()
        await run.value
    }

    @Test func runBacksOffAfterFailures() async throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let sender = ScriptedSender(.status(500), .status(500), .status(500), .status(200), .status(500))
        let queue = try await queue(sender, clock: clock, in: directory)
        try await queue.add(QueueLab.request("a"))
        let run = Task { await queue.run(monitor: MockConnectionMonitor()) }
        for count in 1...3 {
            _ = try await waitUntil("attempt \(count)") { sender.sent.count >= count ? true : nil }
            try await clock.waitForSleepers()
            #expect(clock.sleeps.last == [5, 10, 20][count - 1])
            #expect(sender.sent.count == count)
            await clock.advanceToNextSleeper()
        }
        _ = try await waitUntil("it was taken") { sender.sent.count == 4 ? true : nil }
        // A success begins the delays anew. The next one is for another pass.
        #expect(await queue.processAll().stop == nil)
        try await queue.add(QueueLab.request("b"))
        _ = try await waitUntil("it was sent") { sender.sent.count >= 5 ? true : nil }
        try await clock.waitForSleepers()
        #expect(clock.sleeps.last == 5)
        run.cancel()
        await run.value
        _ = try await waitUntil("nobody sleeps") { clock.sleeperCount == 0 ? true : nil }
    }

    @Test func runRespectsRetryAfter() async throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let sender = ScriptedSender(.retryAfter(77))
        let queue = try await queue(sender, clock: clock, in: directory)
        try await queue.add(QueueLab.request("a"))
        let run = Task { await queue.run(monitor: MockConnectionMonitor()) }
        try await clock.waitForSleepers()
        #expect(clock.sleeps == [77])
        run.cancel()
        await run.value
    }
}
