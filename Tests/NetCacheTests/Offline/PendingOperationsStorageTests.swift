import NetTesting
import TestLab
import Testing

@testable import NetCache

/// Storage that fails in the middle of a pass.
@Suite("Pending operations: a storage that fails", .timeLimit(.minutes(1)))
struct PendingOperationsStorageTests {
    private actor Storage: PendingOperationStorage {
        private var operations: [UUID: PendingOperation] = [:]
        private var isFull = false
        func load() -> [PendingOperation] { Array(operations.values) }
        func fill(_ isFull: Bool) { self.isFull = isFull }
        func save(_ operation: PendingOperation) throws {
            if isFull { throw CocoaError(.fileWriteOutOfSpace) }
            operations[operation.id] = operation
        }
        func remove(id: UUID) throws {
            if isFull { throw CocoaError(.fileWriteOutOfSpace) }
            operations[id] = nil
        }
    }

    private struct World {
        let storage = Storage()
        let sender: ScriptedSender
        let queue: PendingOperationsQueue

        init(_ sender: ScriptedSender, onConflict: PendingOperation.Conflict.Resolution = .keep) async throws {
            self.sender = sender
            queue = try await PendingOperationsQueue(
                storage: storage, client: sender, retryPolicy: .none, onConflict: { _ in onConflict })
            for name in ["a", "b", "c"] { try await queue.add(QueueLab.request(name)) }
        }
    }

    @Test func aRemovalThatCannotBeNotedStopsThePass() async throws {
        let world = try await World(ScriptedSender())
        await world.storage.fill(true)
        let events = EventRecorder(world.queue)
        for _ in 0..<2 {
            let summary = await world.queue.processAll()
            #expect(summary.succeeded == 0)
            #expect((summary.stop?.underlyingError as? CocoaError)?.code == .fileWriteOutOfSpace)
            #expect(world.sender.paths == ["a"], "it is not sent again, and neither are those behind it")
        }
        #expect(
            try await events.wait(for: 4) == [
                "a started sending", "a storage failed sending", "a succeeded 200 status 200 sending",
                "a storage failed sending",
            ])
        await world.storage.fill(false)
        #expect(await world.queue.processAll().succeeded == 3)
        #expect(world.sender.paths == ["a", "b", "c"])
        #expect(await world.storage.load().isEmpty)
    }

    /// Another process sends an operation after it is stored, and before `add` has returned.
    @Test func whatAnotherProcessSentMeanwhileIsNotSentAgain() async throws {
        let storage = SharedStorage()
        let sender = ScriptedSender()
        let queue = try await PendingOperationsQueue(storage: storage, client: sender, retryPolicy: .none)
        let adding = Task { try await queue.add(QueueLab.request("a")) }
        while await !storage.isSaved { await Task.yield() }
        let pass = Task { await queue.processAll() }
        for _ in 0..<1_000 where await !storage.isRead { await Task.yield() }
        await storage.endSaving()
        _ = try await adding.value
        #expect(await pass.value.stop == nil)
        #expect(await queue.processAll().stop == nil)
        #expect(sender.paths.isEmpty)
        #expect(await queue.operations.isEmpty)
    }

    /// A storage whose operations another process has sent as soon as they are stored.
    private actor SharedStorage: PendingOperationStorage {
        private(set) var isSaved = false, isRead = false
        private var isNews = false
        private var saving: CheckedContinuation<Void, Never>?

        func load() -> [PendingOperation] { [] }
        func save(_ operation: PendingOperation) async {
            (isSaved, isNews) = (true, true)
            await withCheckedContinuation { saving = $0 }
        }
        func endSaving() { saving?.resume() }
        func remove(id: UUID) {}
        func prepareToSend() -> [PendingOperation]? {
            isRead = true
            defer { isNews = false }
            return isNews ? [] : nil
        }
    }

    @Test(arguments: [404, 409]) func anOutcomeThatCannotBeNotedStopsThePass(status: Int) async throws {
        let world = try await World(ScriptedSender(.status(status)))
        await world.storage.fill(true)
        #expect((await world.queue.processAll().stop?.underlyingError as? CocoaError)?.code == .fileWriteOutOfSpace)
        #expect(world.sender.paths == ["a"])
    }

    @Test func aReplacementThatCannotBeStoredIsNotSent() async throws {
        let world = try await World(ScriptedSender(.status(409)), onConflict: .replace(try QueueLab.request("other")))
        await world.storage.fill(true)
        #expect((await world.queue.processAll().stop?.underlyingError as? CocoaError)?.code == .fileWriteOutOfSpace)
        #expect(world.sender.paths == ["a"])
        await world.storage.fill(false)
        #expect(await world.queue.processAll().succeeded == 3)
        #expect(world.sender.paths == ["a", "a", "b", "c"])
    }
}
