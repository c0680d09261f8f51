import NetTesting
import TestLab
import Testing

@testable import NetCache

@Suite("Pending operations: run and close", .timeLimit(.minutes(1))) struct PendingOperationsRunTests {
    private let lab: QueueLab
    init() throws { lab = try QueueLab(autoAdvance: false) }

    @Test func runSendsWhenReachableAndWhenAdded() async throws {
        let sender = ScriptedSender()
        let queue = try await lab.open(sender, adding: ["a"])
        let monitor = MockConnectionMonitor(isReachable: false)
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
        let sender = ScriptedSender(.status(500), .status(500), .status(500), .status(200), .status(500))
        let queue = try await lab.open(sender, adding: ["a"])
        let run = Task { await queue.run(monitor: MockConnectionMonitor()) }
        for count in 1...3 {
            _ = try await waitUntil("attempt \(count)") { sender.sent.count >= count ? true : nil }
            try await lab.clock.waitForSleepers()
            #expect(lab.clock.sleeps.last == [5, 10, 20][count - 1] && sender.sent.count == count)
            await lab.clock.advanceToNextSleeper()
        }
        _ = try await waitUntil("it was taken") { sender.sent.count == 4 ? true : nil }
        // A success resets the delays.
        #expect(await queue.processAll().stop == nil)
        try await queue.add(QueueLab.request("b"))
        _ = try await waitUntil("it was sent") { sender.sent.count >= 5 ? true : nil }
        try await lab.clock.waitForSleepers()
        #expect(lab.clock.sleeps.last == 5)
        run.cancel()
        await run.value
        _ = try await waitUntil("no task sleeps") { lab.clock.sleeperCount == 0 ? true : nil }
    }

    @Test func runRespectsRetryAfter() async throws {
        let queue = try await lab.open(ScriptedSender(.retryAfter(77)), adding: ["a"])
        let run = Task { await queue.run(monitor: MockConnectionMonitor()) }
        try await lab.clock.waitForSleepers()
        #expect(lab.clock.sleeps == [77])
        run.cancel()
        await run.value
    }

    @Test func cancellationEndsThePass() async throws {
        let sender = ScriptedSender(.stall)
        let queue = try await lab.open(sender, adding: ["a"])
        let first = Task { await queue.processAll() }
        _ = try await waitUntil("it is being sent") { sender.sent.isEmpty ? nil : true }
        #expect(await queue.operations.map(\.state) == [.sending])
        let second = Task { await queue.processAll() }
        second.cancel()
        #expect(await second.value.stop?.cause == .cancelled)
        first.cancel()
        #expect(await first.value.stop?.cause == .cancelled)
        #expect(await (queue.operations.map(\.state), queue.processAll().succeeded) == ([.waiting], 1))
    }

    @Test func closeReleasesTheFile() async throws {
        var queues: [PendingOperationsQueue] = []
        for number in 0..<20 {
            let queue = try await lab.open(ScriptedSender())
            #expect(await queue.operations.count == number)
            try await queue.add(QueueLab.request("\(number)"))
            await queue.close()
            await queue.close()
            queues.append(queue)
        }
    }

    @Test func closedQueueRefusesOperations() async throws {
        let sender = ScriptedSender()
        let queue = try await lab.open(sender)
        let operation = try await queue.add(QueueLab.request("a"))
        let events = queue.events
        await queue.close()
        await #expect(throws: PendingOperationsQueue.Failure.closed) { try await queue.add(QueueLab.request("b")) }
        await #expect(throws: PendingOperationsQueue.Failure.closed) { try await queue.remove(operation.id) }
        await #expect(throws: PendingOperationsQueue.Failure.closed) { try await queue.retry(operation.id) }
        #expect(await queue.processAll().stop?.isCancellation == true)
        await queue.run(monitor: MockConnectionMonitor())
        for await _ in events {}
        for await _ in queue.events {}
        #expect(sender.sent.isEmpty)
        #expect(await queue.operations.count == 1)
    }

    @Test func closeCancelsAndKeepsTheOperation() async throws {
        let sender = ScriptedSender(.stall)
        let queue = try await lab.open(sender, adding: ["a"])
        let pass = Task { await queue.processAll() }
        let run = Task { await queue.run(monitor: MockConnectionMonitor()) }
        _ = try await waitUntil("it is being sent") { sender.sent.isEmpty ? nil : true }
        await queue.close()
        #expect(await pass.value.stop?.isCancellation == true)
        await run.value
        let next = try await lab.open(sender)
        #expect(await (next.operations.map(\.state), next.processAll().succeeded) == ([.waiting], 1))
    }
}
