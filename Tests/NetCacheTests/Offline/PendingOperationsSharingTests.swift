import NetSystem
import NetTesting
import TestLab
import Testing

@testable import NetCache

/// Two queues over one file, as an app and its extension have them.
@Suite("Pending operations: a file that is shared", .timeLimit(.minutes(1))) struct PendingOperationsSharingTests {
    private let lab: QueueLab
    init() throws { lab = try QueueLab() }

    private func isLocked(_ folder: TemporaryDirectory) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).contains { name in
            try !DiskFile(folder.file(name).path, O_RDWR).lock(.exclusive)
        }
    }

    /// iOS kills an app that is suspended with a lock on a file in a shared container.
    @Test func fileIsLockedOnlyDuringAPass() async throws {
        let sender = ScriptedSender(.status(200), .stall)
        let queue = try await lab.open(sender)
        #expect(try !isLocked(lab.directory), "it was opened")
        for name in ["a", "b"] { try await queue.add(QueueLab.request(name)) }
        #expect(try !isLocked(lab.directory), "operations were added")
        let pass = Task { await queue.processAll() }
        _ = try await waitUntil("one is being sent") { sender.sent.count == 2 ? true : nil }
        #expect(try isLocked(lab.directory), "one is being sent")
        pass.cancel()
        #expect(await pass.value.stop?.isCancellation == true)
        #expect(try !isLocked(lab.directory), "the pass has ended")
        try await queue.remove(try #require(await queue.operations.first).id)
        #expect(try !isLocked(lab.directory), "one was removed")
    }

    @Test func queuesSeeEachOthersOperations() async throws {
        let sender = ScriptedSender()
        let (app, share) = try await (lab.open(sender), lab.open(sender))
        for (queue, name) in [(app, "a"), (share, "b"), (share, "c"), (app, "d")] {
            await lab.clock.advance(by: 1)
            try await queue.add(QueueLab.request(name))
        }
        #expect(await app.processAll().succeeded == 4)
        #expect(sender.paths == ["a", "b", "c", "d"], "in the order in which they were added")
        let summary = await share.processAll()
        #expect((summary.succeeded, summary.stop) == (0, nil) && sender.sent.count == 4)
        #expect(await share.operations.isEmpty)
    }

    @Test func oneQueueSendsAtATime() async throws {
        let sender = ScriptedSender(.stall)
        let (app, share) = try await (lab.open(sender), lab.open(sender))
        try await app.add(QueueLab.request("a"))
        let pass = Task { await app.processAll() }
        _ = try await waitUntil("it is being sent") { sender.sent.isEmpty ? nil : true }
        await lab.clock.advance(by: 1)
        try await share.add(QueueLab.request("b"))
        let stop = try #require(await share.processAll().stop)
        #expect(stop.underlyingError as? PendingOperationsQueue.Failure == .inUse(path: lab.file.path), "\(stop)")
        #expect(sender.sent.count == 1)
        pass.cancel()
        _ = await pass.value
        #expect(await (share.processAll().succeeded, sender.paths) == (2, ["a", "a", "b"]))
        #expect(await app.processAll().succeeded == 0)
    }

    @Test(arguments: [false, true]) func operationRemovedByAnotherQueueIsNotSent(isRetried: Bool) async throws {
        let sender = ScriptedSender(.status(503))
        let app = try await lab.open(
            sender,
            retryPolicy: RetryPolicy(maxRetries: 1) { [lab] proposal in
                // While the first is being retried, the other process removes it, and the one behind it.
                let share = try await lab.open(ScriptedSender())
                for operation in await share.operations.prefix(2) { try await share.remove(operation.id) }
                await share.close()
                return isRetried
            })
        for name in ["a", "b", "c"] { try await app.add(QueueLab.request(name)) }
        if !isRetried { #expect(await app.processAll().stop?.statusCode == 503) }
        #expect(await (app.processAll().succeeded, sender.paths) == (1, ["a", "c"]))
        #expect(await (try lab.open(sender)).operations.isEmpty)
    }

    @Test func operationSentByAnotherQueueIsNotRetried() async throws {
        let sender = ScriptedSender(.status(404))
        let app = try await lab.open(sender)
        let operation = try await app.add(QueueLab.request("a"))
        await app.processAll()
        let share = try await lab.open(sender)
        try await share.retry(operation.id)
        #expect(await share.processAll().succeeded == 1)
        try await app.retry(operation.id)
        #expect(await (app.processAll().succeeded, sender.sent.count) == (0, 2))
        #expect(await app.operations.isEmpty)
    }

    @Test func fileRewrittenByAnotherQueueIsReadAgain() async throws {
        let sender = ScriptedSender()
        let (app, share) = try await (lab.open(sender), lab.open(sender))
        let large = String(repeating: "x", count: 60_000)
        for number in 0..<8 {
            try await app.add(QueueLab.request("a\(number)", body: large))
            #expect(await share.processAll().succeeded == 1)
            try await share.add(QueueLab.request("b\(number)", body: large))
            try await app.add(QueueLab.request("c\(number)"))
            for operation in await share.operations { try await share.remove(operation.id) }
            #expect(await app.processAll().succeeded == 1)
            #expect(await app.operations.isEmpty)
        }
        #expect(sender.paths == (0..<8).flatMap { ["a\($0)", "c\($0)"] })
        #expect(await (try lab.open(sender)).operations.isEmpty)
    }
}
