import NetTesting
import TestLab
import Testing

@testable import NetCache

@Suite("Closing pending operations", .timeLimit(.minutes(1))) struct PendingOperationsCloseTests {
    private let lab: QueueLab
    init() throws { lab = try QueueLab() }

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

    @Test func journalCountsWastedBytes() throws {
        let file = try JournalFile(path: lab.file.path)
        let operations = try (0..<50).map { try QueueLab.operation($0) }
        for operation in operations + operations { try file.save(operation) }
        for operation in operations.prefix(20) { try file.remove(operation.id, syncs: true) }
        let bytes = try Data(contentsOf: lab.file)
        let contents = JournalContents(bytes, salt: try #require(JournalHeader(bytes)).salt)
        #expect((contents.extents.count, file.wastedBytes) == (30, contents.wastedBytes) && file.wastedBytes > 0)
    }

    @Test func sentOperationsAreSyncedTogether() throws {
        let file = try JournalFile(path: lab.file.path)
        let operations = try (0..<130).map { try QueueLab.operation($0) }
        for operation in operations { try file.save(operation) }
        let before = file.syncs
        for operation in operations[..<128] { try file.remove(operation.id, syncs: false) }
        #expect(file.syncs == before + 2)
        try file.endPass()
        #expect(file.syncs == before + 2, "nothing is missing")
        try file.remove(operations[128].id, syncs: false)
        try file.endPass()
        try file.remove(operations[129].id, syncs: true)
        #expect(file.syncs == before + 4)
    }
}
