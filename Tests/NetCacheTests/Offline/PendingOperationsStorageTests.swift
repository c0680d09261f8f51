import TestLab
import Testing

@testable import NetCache

@Suite("Pending operations: a storage that fails", .timeLimit(.minutes(1))) struct PendingOperationsStorageTests {
    /// Each call takes a while, and changes nothing before its end.
    private actor Storage: PendingOperationsQueue.Storage {
        private var operations: [UUID: PendingOperation] = [:]
        private var isFull = false
        /// Whether a removal lasts until ``endRemoving()``.
        private let isHeld: Bool
        private var removing: CheckedContinuation<Void, Never>?
        private var running = 0
        private(set) var saves = 0, overlaps = 0
        var isRemoving: Bool { removing != nil }
        init(isHeld: Bool = false) { self.isHeld = isHeld }
        func fill(_ isFull: Bool) { self.isFull = isFull }
        func endRemoving() { removing?.resume() }
        private func run() async {
            running += 1
            if running > 1 { overlaps += 1 }
            for _ in 0..<10 { await Task.yield() }
            running -= 1
        }
        private func set(_ operation: PendingOperation?, for id: UUID) async throws {
            await run()
            if isFull { throw CocoaError(.fileWriteOutOfSpace) }
            operations[id] = operation
        }
        func load() -> [PendingOperation] { Array(operations.values) }
        func save(_ operation: PendingOperation) async throws {
            try await set(operation, for: operation.id)
            saves += 1
        }
        func remove(id: UUID) async throws {
            try await set(nil, for: id)
            if isHeld { await withCheckedContinuation { removing = $0 } }
        }
        func removeSent(id: UUID) async throws { try await remove(id: id) }
        func prepareToSend() async -> [PendingOperation]? {
            let operations = Array(operations.values)
            await run()
            return operations
        }
        func flush() async { await run() }
        func close() async { await run() }
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

    @Test func failedRemovalStopsThePass() async throws {
        let world = try await World(ScriptedSender())
        await world.storage.fill(true)
        let events = EventRecorder(world.queue)
        for _ in 0..<2 {
            let summary = await world.queue.processAll()
            let code = (summary.stop?.underlyingError as? CocoaError)?.code
            #expect((summary.succeeded, code) == (0, .fileWriteOutOfSpace))
            #expect(world.sender.paths == ["a"], "it is not sent again, and neither are those behind it")
        }
        #expect(
            try await events.wait(for: 4) == [
                "a started sending", "a storage failed sending", "a succeeded 200 status 200 sending",
                "a storage failed sending",
            ])
        await world.storage.fill(false)
        #expect(await (world.queue.processAll().succeeded, world.sender.paths) == (3, ["a", "b", "c"]))
        #expect(await world.storage.load().isEmpty)
    }

    /// Another process sends an operation after it is stored, and before `add` has returned.
    @Test func operationSentByAnotherProcessIsNotSentAgain() async throws {
        let storage = SharedStorage()
        let sender = ScriptedSender()
        let queue = try await PendingOperationsQueue(storage: storage, client: sender, retryPolicy: .none)
        let adding = Task { try await queue.add(QueueLab.request("a")) }
        while await !storage.isSaved { await Task.yield() }
        let pass = Task { await queue.processAll() }
        for _ in 0..<1_000 where await !storage.isRead { await Task.yield() }
        await storage.endSaving()
        _ = try await adding.value
        #expect(await (pass.value.stop, queue.processAll().stop) == (nil, nil) && sender.paths.isEmpty)
        #expect(await queue.operations.isEmpty)
    }

    /// A storage whose operations another process has sent as soon as they are stored.
    private actor SharedStorage: PendingOperationsQueue.Storage {
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

    @Test(arguments: [(404, false), (409, false), (409, true)])
    func failedSaveStopsThePassAndSendsNoReplacement(status: Int, isReplaced: Bool) async throws {
        let other = try QueueLab.request("other")
        let world = try await World(ScriptedSender(.status(status)), onConflict: isReplaced ? .replace(other) : .keep)
        await world.storage.fill(true)
        #expect((await world.queue.processAll().stop?.underlyingError as? CocoaError)?.code == .fileWriteOutOfSpace)
        #expect(world.sender.paths == ["a"])
        guard isReplaced else { return }
        await world.storage.fill(false)
        #expect(await (world.queue.processAll().succeeded, world.sender.paths) == (3, ["a", "a", "b", "c"]))
    }

    @Test func storageCallsDoNotOverlap() async throws {
        let storage = Storage()
        let sender = ScriptedSender(.status(404), .status(404), .status(404), .status(404))
        let queue = try await PendingOperationsQueue(storage: storage, client: sender, retryPolicy: .none)
        let passes = Task { for _ in 0..<5 { _ = await queue.processAll() } }
        _ = try await atOnce(20) { try await queue.add(QueueLab.request("\($0)")) }
        await passes.value
        await queue.processAll()
        let refused = await queue.operations
        #expect(refused.map(\.state) == Array(repeating: .failed, count: 4))
        let again = Task { await queue.processAll() }
        _ = try await atOnce(4) { number in
            let id = refused[number].id
            if number < 2 { try await queue.retry(id) } else { try await queue.remove(id) }
        }
        _ = await again.value
        await queue.processAll()
        #expect(await queue.operations.isEmpty)
        #expect(await storage.load().isEmpty && sender.sent.count == 22)
        let adding = Task { try await atOnce(5) { _ = try? await queue.add(QueueLab.request("\($0)")) } }
        await queue.close()
        _ = try await adding.value
        #expect(await storage.overlaps == 0)
    }

    /// The operation fails, is to be sent again, or is replaced after a conflict, while it is being removed.
    @Test(arguments: [503, 404, 409]) func removedOperationIsNotRestored(status: Int) async throws {
        let storage = Storage(isHeld: true)
        let isRemoving = Locked(status == 404)
        let body = HTTPBody(pulling: {
            _ = try await waitUntil("it is being removed") { isRemoving.withLock { $0 } ? true : nil }
            return nil
        })
        let sender = ScriptedSender(.body(status, body))
        let replacement = try QueueLab.request("other")
        let queue = try await PendingOperationsQueue(
            storage: storage, client: sender, retryPolicy: .none, onConflict: { _ in .replace(replacement) })
        let operation = try await queue.add(QueueLab.request("a"))
        let pass = Task { await queue.processAll() }
        if status == 404 { _ = await pass.value }
        let saves = await storage.saves
        let removal = Task { try await queue.remove(operation.id) }
        while await !storage.isRemoving { await Task.yield() }
        isRemoving.withLock { $0 = true }
        let retry = Task { if status == 404 { try await queue.retry(operation.id) } else { _ = await pass.value } }
        for _ in 0..<10_000 where await storage.saves == saves { await Task.yield() }
        await storage.endRemoving()
        try await removal.value
        try await retry.value
        #expect(await storage.load().isEmpty)
        #expect(await queue.operations.isEmpty && sender.paths == ["a"])
    }
}
